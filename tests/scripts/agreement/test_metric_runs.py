"""Scores of labeled answers: metrics loaded with evaluate, results of any metric, and scores merged and reduced."""

import numpy as np
import pytest

from evaluate_qa.agreement.metric_runs import (
    Metric,
    MetricSpec,
    RowScores,
    best_and_mean,
    merge,
    parse_metric,
    read_result,
)
from evaluate_qa.labeled_data.rows import LabeledRow

ROWS = [
    LabeledRow("0", "Q?", ["ab", "ab cd ef gh"], "ab cd", 1.0, frozenset({"all"})),
    LabeledRow("1", "Q?", ["zy"], "xy", 1.0, frozenset({"all"})),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smile", ("smile", None)),
        ("rouge:rougeL", ("rouge", "rougeL")),
        ("org/rouge:rougeL", ("org/rouge", "rougeL")),
        (r"C:\metrics\smile", (r"C:\metrics\smile", None)),
    ],
)
def test_metric_names(text, expected):
    assert parse_metric(text) == expected


def test_metric_of_this_package(blend):
    metric = Metric(MetricSpec(str(blend)))
    found = metric.score(ROWS)
    # words: 1 and 0; letters: 1 and 1/2; w = .5
    assert found.scores.tolist() == [1, 0.25]
    assert found.verdicts.tolist() == [True, False]
    assert (found.name, found.signature) == ("blend", "blend|w:0.5|questions:2")


def test_compute_option_and_component(blend):
    assert Metric(MetricSpec(str(blend), compute={"w": 1})).score(ROWS).scores.tolist() == [1, 0.5]
    words = Metric(MetricSpec(f"{blend}", column="words")).score(ROWS)
    assert (words.name, words.scores.tolist(), words.verdicts) == ("blend:words", [1, 0], None)


def test_metric_with_one_reference_uses_best(plain):
    found = Metric(MetricSpec(str(plain), threshold=-1)).score(ROWS)
    # lengths: 5 against 2 and 11, 2 against 2
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([-3, 0], [False, True])


def test_threshold_gives_verdicts():
    result = {"per_example": {"score": [0.9, 0.5, 0.3], "verdict": [True, False, False]}}
    assert read_result(result, 3, "m", threshold=0.5).verdicts.tolist() == [True, True, False]
    assert read_result({"scores": [0.9, 0.3]}, 2, "m", threshold=0.4).verdicts.tolist() == [True, False]


def test_result_of_other_metrics():
    result = {"rouge1": np.array([0.5, 0.25], dtype=np.float32), "rougeL": [np.float64(0.5), 0.125], "length": 2}
    assert read_result(result, 2, "rouge:rougeL", "rougeL").scores.tolist() == [0.5, 0.125]
    assert read_result({"f": [1, 0]}, 2, "m").scores.tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"rouge: its result has the row scores rouge1, rougeL\. .* rouge:rouge1"):
        read_result(result, 2, "rouge")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"per_example": {"text": ["a", "b"]}}, "no list of 2 numbers"),
        ({"rouge1": 0.5, "rougeL": 0.2}, "no list of 2 numbers"),
        ({"m": 0.3, "precisions": [0.4, 0.3]}, "m: its result is one number for all rows"),
        ({"score": [0.5, float("nan")]}, "the score of row 1 is nan"),
        ({"score": [None, None]}, "no list of 2 numbers"),
        ({"score": [0.5, float("inf")]}, "the score of row 1 is inf"),
    ],
)
def test_result_without_row_scores_is_rejected(result, message):
    with pytest.raises(ValueError, match=message):
        read_result(result, 2, "m")


def test_best_and_mean_of_references():
    pairs = RowScores("m", np.array([0.1, 0.7, 0.2, 0.9, 0.4]), np.array([False, True, False, True, False]))
    best, mean = best_and_mean(pairs, [2, 1, 2])
    assert (best.scores.tolist(), best.verdicts.tolist()) == ([0.7, 0.2, 0.9], [True, False, True])
    assert (mean.scores.tolist(), mean.verdicts) == (pytest.approx([0.4, 0.2, 0.65]), None)


def test_cost_and_cached_verdicts_are_read():
    per_example = {"score": [0.9, 0.2, 0.1], "cached": [True, False, True]}
    found = read_result({"per_example": per_example, "cost": 0.25}, 3, "judge")
    assert (found.cost, found.cached) == (0.25, 2)


def test_parts_are_merged_in_row_order():
    one = RowScores("m", np.array([0.1, 0.3]), np.array([True, False]), "m|lang:en")
    other = RowScores("m", np.array([0.2]), np.array([True]), "m|lang:zh")
    found = merge([one, other], [[0, 2], [1]])
    assert found.scores.tolist() == [0.1, 0.2, 0.3]
    assert found.verdicts.tolist() == [True, True, False]
    assert found.signature == "m|lang:en; m|lang:zh"
    assert merge([one, RowScores("m", np.array([0.2]), None)], [[0, 2], [1]]).verdicts is None
