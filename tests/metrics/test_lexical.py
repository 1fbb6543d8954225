"""Word features, compared with hand-derived numbers and with DIVER-QA's own program."""

import numpy as np
import pytest

from evaluate_qa.datasets_scripts.diver_qa.rows import read_rows
from evaluate_qa.metrics._shared import lexical
from evaluate_qa.metrics._shared.lexical import match, recall, word_features


def test_match_compares_whole_words():
    assert match(["it", "took", "18", "years"], ["18", "years"]) == 1
    assert match(["it", "took", "18", "years"], ["8"]) == 0
    assert match(["18", "long", "years"], ["18", "years"]) == 0
    assert match(["180", "years"], ["18"]) == 0
    assert match(["the", "house", "is", "white"], ["white", "house"]) == match([], ["house"]) == 0


def test_recall_counts_repetitions():
    assert recall(["duran"], ["duran", "duran"]) == 0.5
    assert recall([], ["paris"]) == 0


def test_features_have_a_value_for_every_pair():
    columns = word_features(["Paris, 1987", ""], [["Paris", "not Paris 1988"], ["x"]])
    assert {name: values.tolist() for name, values in columns.items()} == {
        "match": [1, 0, 0],
        "recall": [1, pytest.approx(1 / 3), 0],
        "same": [0, 0, 0],
        "long": [0, 0, 0],
        "length": pytest.approx([np.log(2), np.log(2), 0]),
        "trigram_precision": [0, 0, 0],
    }
    assert tuple(columns) == lexical.WORD_FEATURES


def test_same_needs_equal_words_in_equal_order():
    found = word_features(
        ["The man bites a dog!"], [["man bites dog", "dog bites man", "man bites dog dog", "man bites"]]
    )
    assert found["same"].tolist() == [1, 0, 0, 0]


def test_long_and_length_count_exact_words():
    answers = ["The five words it has.", "word " * 30, ""]
    found = word_features(
        answers, [["a the four words here", "one two three four five"], ["x"], ["five words are long, too"]]
    )
    assert found["long"].tolist() == [0, 1, 0, 1]
    # "five words it has" are four; thirty count as eight, zero as one.
    assert found["length"].tolist() == pytest.approx([np.log(4), np.log(4), np.log(8), 0])
    # "five words it has" has 4 + 5 + 2 + 3 trigrams; the reference has the four of "five".
    assert found["trigram_precision"].tolist() == pytest.approx([0, 4 / 14, 0, 0])
    # For a reference of five words, an answer of fifteen words is long, and one of sixteen is not.
    for count, long in ((15, 1), (16, 0)):
        assert word_features(["word " * count], [["one two three four five"]])["long"].tolist() == [long]


def test_recall_agrees_with_people_on_diver_qa(shared):
    """Another program, with SQuAD's words, reports an agreement of .845 for a recall of at least one half."""
    rows = list(read_rows(shared / "data" / "diver_qa"))
    columns = word_features([row["answer"] for row in rows], [row["references"] for row in rows])
    labels = np.array([row["judgement"] for row in rows])
    assert ((columns["recall"] >= 0.5) == labels).mean() == pytest.approx(0.845, abs=2e-3)
