"""From claims to windows and back, and from pairs to verdicts, by hand."""

import re

import numpy as np

from evaluate_qa.metrics._shared.claims import Claims, Search
from evaluate_qa.metrics._shared.classifiers import Tokens
from evaluate_qa.metrics._shared.matcher_features import PairFeatures, best_pairs
from evaluate_qa.metrics._shared.matcher_options import MatcherOptions
from evaluate_qa.metrics._shared.windows import split_into_windows


class Words:
    """Counts words as tokens."""

    def tokenize(self, texts):
        """Return words as tokens."""
        return {text: Tokens([], [match.span() for match in re.finditer(r"\S+", text)]) for text in texts}


SEARCHES = [Search("q1 q2 q3", "a b c d e f g h i", ["x", "y"]), Search("", "", ["z"])]


def test_every_window_is_paired_with_every_claim():
    windows = split_into_windows(SEARCHES, MatcherOptions(window=8, question_tokens=2), Words())
    assert windows.inputs == [
        ("q2 q3", "a b c d e f g h ", "x"),
        ("q2 q3", "g h i", "x"),
        ("q2 q3", "a b c d e f g h ", "y"),
        ("q2 q3", "g h i", "y"),
        ("", "", "z"),
    ]
    assert windows.starts.tolist() == [0, 2, 4]
    # The second window has the last eight of 14 words, so there is no third.
    search = Search("", "a b c d e f g h i j k l m n", ["x"])
    windows = split_into_windows([search], MatcherOptions(window=8), Words())
    assert [piece for _, piece, _ in windows.inputs] == ["a b c d e f g h ", "g h i j k l m n"]


def test_the_best_window_counts():
    windows = split_into_windows(SEARCHES, MatcherOptions(window=8), Words())
    assert windows.best(np.array([0.1, 0.7, 0.7, 0.2, 0.4])).tolist() == [0.7, 0.7, 0.4]


def test_a_score_equal_to_the_threshold_is_correct_except_0():
    none = np.zeros(3, dtype=bool)
    claims = Claims(np.arange(3), none, np.full(3, np.nan), none)
    scores = np.array([0, 0.5, 0.25])
    unread = np.full(3, np.nan)
    features = PairFeatures(np.arange(3), claims, ~none, {}, None, [], scores, {}, unread)
    found = [best_pairs(features, scores, MatcherOptions(threshold=t), lexical=True)[1]["verdict"] for t in (0.5, 0)]
    assert [verdicts.tolist() for verdicts in found] == [[False, True, False], [False, True, True]]


def test_truncate_makes_no_windows():
    options = MatcherOptions(long_answers="truncate", window=8, question_tokens=1)
    assert split_into_windows(SEARCHES, options, Words()).inputs[0] == ("q1 q2 q3", "a b c d e f g h i", "x")


def test_settings_leave_out_options_without_effect():
    assert MatcherOptions().settings() == {"long": "window200", "longref": None, "q": 96, "thr": None}
    truncated = MatcherOptions(long_answers="truncate").settings()
    assert truncated == {"long": "truncate", "longref": None, "q": None, "thr": None}
    assert MatcherOptions(long_references="sentences").settings()["longref"] == "sentences"
