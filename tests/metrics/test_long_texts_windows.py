"""From rows to inputs and back, by hand."""

import re

import numpy as np

from evaluate_qa.metrics._shared.arithmetic import first_best
from evaluate_qa.metrics._shared.classifiers import Tokens
from evaluate_qa.metrics._shared.long_texts import Claims, MatcherOptions, Parts, best_pairs, expand, row_starts


class Words:
    """Counts words as tokens."""

    def tokenize(self, texts):
        """Return words as tokens."""
        return {text: Tokens([], [match.span() for match in re.finditer(r"\S+", text)]) for text in texts}


ROWS = (["q1 q2 q3", ""], ["a b c d e f g h i", ""], [["x", "y"], ["z"]])


def test_every_window_is_paired_with_every_reference():
    inputs = expand(*ROWS, MatcherOptions(window=8, question_tokens=2), Words())
    assert inputs.texts == [
        ("q2 q3", "a b c d e f g h ", "x"),
        ("q2 q3", "g h i", "x"),
        ("q2 q3", "a b c d e f g h ", "y"),
        ("q2 q3", "g h i", "y"),
        ("", "", "z"),
    ]
    assert inputs.pair_starts.tolist() == [0, 2, 4]
    assert row_starts(ROWS[2]).tolist() == [0, 2]
    assert inputs.answered.tolist() == [True, True, False]
    # The second window has the last eight of 14 words, so there is no third.
    inputs = expand([""], ["a b c d e f g h i j k l m n"], [["x"]], MatcherOptions(window=8), Words())
    assert [piece for _, piece, _ in inputs.texts] == ["a b c d e f g h ", "g h i j k l m n"]


def test_the_best_window_and_the_first_best_reference_count():
    inputs = expand(*ROWS, MatcherOptions(window=8), Words())
    pairs = inputs.best_window(np.array([0.1, 0.7, 0.7, 0.2, 0.4]))
    assert pairs.tolist() == [0.7, 0.7, 0.4]
    assert first_best(pairs, row_starts(ROWS[2])).tolist() == [0, 2]


def test_a_score_equal_to_the_threshold_is_incorrect():
    none = np.zeros(3, dtype=bool)
    claims = Claims(np.arange(3), none, np.full(3, np.nan), none)
    scores = np.array([0.25, 0.5, 0.75])
    unread = np.full(3, np.nan)
    parts = Parts(np.arange(3), ~none, claims, said=scores, evidence={}, weights={}, exact=unread)
    assert best_pairs(parts, scores, MatcherOptions(), lexical=True)[1]["verdict"].tolist() == [False, False, True]


def test_truncate_makes_no_windows():
    inputs = expand(*ROWS, MatcherOptions(long_answers="truncate", window=8, question_tokens=1), Words())
    assert inputs.texts[0] == ("q1 q2 q3", "a b c d e f g h i", "x")


def test_settings_leave_out_options_without_effect():
    assert MatcherOptions().settings() == {"long": "window200", "longref": None, "q": 96, "thr": None}
    truncated = MatcherOptions(long_answers="truncate").settings()
    assert truncated == {"long": "truncate", "longref": None, "q": None, "thr": None}
    assert MatcherOptions(long_references="sentences").settings()["longref"] == "sentences"
