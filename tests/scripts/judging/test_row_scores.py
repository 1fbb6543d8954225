"""How per-row scores are read from the results of all kinds of metrics."""

import numpy as np
import pytest
from evaluate_qa.judging.row_scores import RowScores, best_of_runs, read_result


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
        ({"bleu": 0.3, "precisions": [0.4, 0.3, 0.2, 0.1]}, "no list of 2 numbers"),
        ({"score": [0.5, float("nan")]}, "the score of row 1 is nan"),
        ({"score": [0.5, None]}, "the score of row 1 is None"),
        ({"score": [0.5, float("inf")]}, "the score of row 1 is inf"),
    ],
)
def test_results_without_a_score_for_each_row(result, message):
    with pytest.raises(ValueError, match=message):
        read_result(result, 2, "m")


def test_the_best_of_each_run_of_pairs():
    pairs = RowScores("m", np.array([0.1, 0.7, 0.2, 0.9, 0.4]), np.array([False, True, False, True, False]))
    found = best_of_runs(pairs, [2, 1, 2])
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([0.7, 0.2, 0.9], [True, False, True])
    assert best_of_runs(RowScores("m", np.array([3.0, 4.0]), None), [2]).verdicts is None
