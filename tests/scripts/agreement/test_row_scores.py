"""How scores are read from the results of all kinds of metrics, and put together."""

import numpy as np
import pytest

from evaluate_qa.agreement.results import gives_row_scores, read_number, read_result
from evaluate_qa.agreement.row_scores import RowScores, best_of_runs, mean_of_runs, merged


def test_our_metrics_give_scores_and_verdicts():
    result = {"m": 0.6, "signature": "m|v:1", "per_example": {"score": [0.9, 0.3], "verdict": [True, False]}}
    found = read_result(result, 2, "m")
    assert (found.scores.tolist(), found.verdicts.tolist(), found.signature) == ([0.9, 0.3], [True, False], "m|v:1")


def test_a_component_has_no_verdicts():
    result = {"per_example": {"score": [0.9, 0.3], "verdict": [True, False], "lexical": [1, 0], "text": ["a", "b"]}}
    found = read_result(result, 2, "m:lexical", "lexical")
    assert found.scores.tolist() == [1, 0]
    assert found.verdicts is None


def test_a_threshold_makes_verdicts():
    result = {"per_example": {"score": [0.9, 0.5, 0.3], "verdict": [True, False, False]}}
    assert read_result(result, 3, "m", threshold=0.5).verdicts.tolist() == [True, True, False]
    assert read_result({"scores": [0.9, 0.3]}, 2, "m", threshold=0.4).verdicts.tolist() == [True, False]


def test_other_metrics_give_lists_at_the_top():
    result = {"rouge1": np.array([0.5, 0.25], dtype=np.float32), "rougeL": [np.float64(0.5), 0.125], "length": 2}
    assert read_result(result, 2, "rouge:rougeL", "rougeL").scores.tolist() == [0.5, 0.125]
    assert read_result({"f": [1, 0]}, 2, "m").scores.tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"rouge: its result has the per-row scores rouge1, rougeL; .* rouge:rouge1"):
        read_result(result, 2, "rouge")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"per_example": {"text": ["a", "b"]}}, "no list of 2 numbers"),
        ({"score": [0.5, float("nan")]}, "the score of row 1 is nan"),
        ({"score": [None, None]}, "no list of 2 numbers"),
        ({"score": [0.5, float("inf")]}, "the score of row 1 is inf"),
    ],
)
def test_results_without_a_score_for_each_row(result, message):
    with pytest.raises(ValueError, match=message):
        read_result(result, 2, "m")


def test_rows_that_a_metric_left_without_a_score():
    found = read_result({"per_example": {"score": [None, 0.9, 0.2], "verdict": [None, True, False]}}, 3, "judge")
    assert found.scores.tolist() == pytest.approx([np.nan, 0.9, 0.2], nan_ok=True)
    assert found.verdicts[1:].tolist() == [True, False]


def test_the_best_of_each_run_of_pairs():
    pairs = RowScores("m", np.array([0.1, 0.7, 0.2, 0.9, 0.4]), np.array([False, True, False, True, False]))
    found = best_of_runs(pairs, [2, 1, 2])
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([0.7, 0.2, 0.9], [True, False, True])
    assert best_of_runs(RowScores("m", np.array([3.0, 4.0]), None), [2]).verdicts is None


def test_the_mean_of_each_run_of_pairs():
    found = mean_of_runs(RowScores("m", np.array([1.0, 2.0, 5.0, 3.0, 6.0]), np.ones(5, dtype=bool)), [2, 1, 2])
    assert (found.scores.tolist(), found.verdicts) == ([1.5, 5, 4.5], None)


def test_parts_are_put_together_in_the_order_of_the_rows():
    one = RowScores("m", np.array([0.1, 0.3]), np.array([True, False]), "m|lang:en")
    other = RowScores("m", np.array([0.2]), np.array([True]), "m|lang:zh")
    found = merged([one, other], [[0, 2], [1]])
    assert found.scores.tolist() == [0.1, 0.2, 0.3]
    assert found.verdicts.tolist() == [True, True, False]
    assert found.signature == "m|lang:en; m|lang:zh"
    assert merged([one, RowScores("m", np.array([0.2]), None)], [[0, 2], [1]]).verdicts is None


def test_scores_repeated_for_rows_that_are_equal():
    found = RowScores("m", np.array([0.1, 0.2]), np.array([True, False])).placed([np.array([0, 1, 0])])
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([0.1, 0.2, 0.1], [True, False, True])


def test_answers_compared_score_their_difference_and_have_no_verdict():
    found = RowScores("m", np.array([0.1, 0.4]), np.array([True, False])).placed([np.array([0, 1]), np.array([1, 1])])
    assert found.scores.tolist() == pytest.approx([-0.3, 0])
    assert found.verdicts is None


@pytest.mark.parametrize(
    ("result", "rows", "metric", "expected"),
    [
        ({"per_example": {"score": [1.0]}}, 1, "m", True),
        ({"rouge1": [0.5, 0.2], "rougeL": [0.5, 0.2]}, 2, "rouge", True),
        ({"rouge1": 0.5, "rougeL": 0.2}, 2, "rouge", False),
        ({"bleu": 0.3, "precisions": [0.4, 0.3, 0.2, 0.1]}, 4, "bleu", False),  # the precisions are of all rows
        ({"bleu": 0.3, "precisions": [0.4, 0.3, 0.2, 0.1]}, 9, "bleu", False),
    ],
)
def test_whether_a_result_has_a_score_for_each_row(result, rows, metric, expected):
    assert gives_row_scores(result, rows, metric) is expected


def test_the_number_of_a_single_row():
    result = {"rouge1": np.float64(0.5), "rougeL": 0.25, "note": "x"}
    assert read_number(result, "rouge:rougeL", "rougeL") == 0.25
    with pytest.raises(ValueError, match=r"rouge: its result has the numbers rouge1, rougeL; .* rouge:rouge1"):
        read_number(result, "rouge", "rouge")
    with pytest.raises(ValueError, match="the numbers none"):
        read_number({"note": "x"}, "m", "m")
