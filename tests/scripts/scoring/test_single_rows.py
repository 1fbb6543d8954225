"""Rows that threads score one at a time are scored together, as by one `compute`."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluate_qa.loading import load_metric
from evaluate_qa.scoring.single_rows import RowScore, RowScorer

ANSWERS = [f"the patient of room {number} has a dry rash" for number in range(24)]
REFERENCES = [["a rash", "the patient has a dry rash"], ["a dry rash on the hand"], ["eczema of the hand"]] * 8


@pytest.fixture
def metric():
    """A metric that records its calls in `together`; the first one waits for `go_on`."""
    metric = load_metric("deltableu")
    metric.together, metric.go_on, compute = [], threading.Event(), metric.compute

    def noted(**given):
        metric.together.append(len(given["predictions"]))
        assert metric.go_on.wait(60)
        return compute(**given)

    metric.compute = noted
    return metric


def rows():
    return [{"predictions": one, "references": two} for one, two in zip(ANSWERS, REFERENCES, strict=True)]


def in_threads(scorer, given, metric):
    """Score each row in a thread, the first one while the others arrive; return futures."""
    with ThreadPoolExecutor(len(given)) as threads:
        futures = [threads.submit(scorer, given[0])]
        while not metric.together:
            time.sleep(0.001)
        futures += [threads.submit(scorer, row) for row in given[1:]]
        while len(scorer._batcher.waiting) < len(given) - 1:
            time.sleep(0.001)
        metric.go_on.set()
    return futures


def test_rows_that_wait_are_scored_together(metric):
    scorer = RowScorer(metric, {"effective_order": True})
    found = [future.result() for future in in_threads(scorer, rows(), metric)]
    assert metric.together == [1, 23]
    expected = load_metric("deltableu").compute(predictions=ANSWERS, references=REFERENCES, effective_order=True)
    assert [one.score for one in found] == pytest.approx(expected["per_example"]["score"], abs=1e-9)
    # The signature counts references: the first row, scored alone, has two, and the others have one or two.
    assert found[0].signature == expected["signature"].replace("nrefs:var", "nrefs:2")
    assert {one.signature for one in found[1:]} == {expected["signature"]}
    assert found[0].components["ref_len"] == expected["per_example"]["ref_len"][0]
    assert found[0].why.startswith(f"score {found[0].score:.3f}, brevity_penalty ")


def test_one_bad_row_fails_alone(metric):
    given = rows()
    given[7]["references"] = []
    failed = [future.exception() for future in in_threads(RowScorer(metric, {}), given, metric)]
    assert [number for number, error in enumerate(failed) if error] == [7]
    assert "references" in str(failed[7])


def test_why_explains_a_score():
    metric = load_metric("nli_lex")
    row = {"predictions": "It is Paris.", "references": ["Lyon", "Paris"], "questions": "Which is the capital?"}
    found = RowScorer(metric, {})(row)
    score, entailment = found.score, found.components["entailment"]
    assert found.why.startswith(f"right, score {score:.3f}, nearest reference 'Paris', entailment {entailment:.3f}")
    wrong = RowScorer(metric, {})({"predictions": "It is Rome.", "references": "Paris"})
    assert wrong.why.startswith(f"wrong, score {wrong.score:.3f}, nearest reference 'Paris'")


def test_a_row_that_could_not_be_scored():
    per_example = {"score": [None], "verdict": [None], "tokens_in": [3], "error": ["HTTP 500"]}
    found = RowScore.from_result({"per_example": per_example, "signature": "judge|v:1"}, 0, ["Paris"])
    assert (found.score, found.why, found.components) == (None, "not scored: HTTP 500", {"tokens_in": 3})


def test_unusable_metrics_and_options_are_refused():
    with pytest.raises(TypeError, match="evqascore is not a metric of evaluate-qa that compares answers"):
        RowScorer("evqascore", {})
    with pytest.raises(ValueError, match="threshold is 7"):
        RowScorer("nli_lex", {"threshold": 7})
