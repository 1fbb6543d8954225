"""Calibrated combinations of the judge's score and its matcher's."""

import json
import math
import re
from functools import partial

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics.judge.calibration import calibrate, fit_weights
from evaluate_qa.metrics.judge.options import JudgeLoading
from evaluate_qa.metrics.judge.reading import Verdict
from evaluate_qa.metrics.judge.scoring import RequestOutcome, RowOutcome

WEIGHTS = {"judge": 0.5, "first": 2.0, "intercept": -1.0}


def outcome(score, asked=True):
    verdict = Verdict("correct" if score >= 0.5 else "incorrect", score, score >= 0.5, "probabilities")
    return RowOutcome(verdict, (RequestOutcome(verdict, asked),))


@pytest.mark.parametrize(("first", "score", "label"), [(0.6, 0.6234, "correct"), (0.3, 0.1191, "incorrect")])
def test_the_combination_by_hand(first, score, label):
    """Z = −1 + .5 · ln(.8/.2) + 2 · ln(.6/.4) = −1 + .693 + .811 = .504; σ(z) = .623.

    With ln(.3/.7), z = −1 + .693 − 1.695 = −2.001, and σ(z) = .119.
    """
    found = calibrate(outcome(0.8), first, WEIGHTS).verdict
    assert found.score == pytest.approx(score, abs=1e-4)
    assert (found.correct, found.label) == (label == "correct", label)


def test_scores_are_clipped():
    """A score of 1 counts as .99: z = ln 99."""
    found = calibrate(outcome(1.0), None, {"judge": 1.0, "intercept": 0.0}).verdict
    assert found.score == pytest.approx(0.99)


NO_VERDICT = RowOutcome(None, (RequestOutcome(None, error="no reply"),))


@pytest.mark.parametrize(
    ("given", "first"),
    [(NO_VERDICT, 0.1), (outcome(0.9, asked=False), 0.1), (outcome(0.9), None)],
    ids=["without a verdict", "not asked", "without the matcher's score"],
)
def test_other_rows_stay_as_they_are(given, first):
    assert calibrate(given, first, WEIGHTS) == given


def labeled(rows, seed=0):
    """Return scores of a judge and a matcher with the labels: log-odds of "correct" are 2 · judge + first − 1."""
    random = np.random.default_rng(seed)
    logits = random.normal(size=(rows, 2))
    labels = random.random(rows) < 1 / (1 + np.exp(-(logits @ [2.0, 1.0] - 1)))
    judge, first = (1 / (1 + np.exp(-logits))).T
    return {"judge": judge.tolist(), "first": first.tolist()}, labels.tolist(), [f"q{row}" for row in range(rows)]


def test_fit_finds_the_weights_that_made_the_labels():
    found = fit_weights(*labeled(4000))
    assert found == pytest.approx({"judge": 2.0, "first": 1.0, "intercept": -1.0}, abs=0.2)


def test_fit_refuses_weights_that_do_not_help():
    """The judge's scores of .8 and .2 are right on 80% of the rows, and the matcher's are random: nothing to gain."""
    columns = {
        "judge": [0.8 if row % 2 else 0.2 for row in range(60)],
        "first": np.random.default_rng(1).random(60).tolist(),
    }
    labels = [(row % 2 == 1) == (row // 2 % 5 > 0) for row in range(60)]
    with pytest.raises(ValueError, match=r"^judge: weights do not help: the log-loss on held-out rows is 0\.\d+, "):
        fit_weights(columns, labels, [str(row) for row in range(60)])


def test_fit_needs_both_labels_in_ten_questions():
    columns, _, questions = labeled(60)
    with pytest.raises(ValueError, match=r"59 of them correct; expected .* correct answers to 10 of them"):
        fit_weights(columns, [row > 0 for row in range(60)], questions)


def test_fit_needs_fifty_questions():
    columns, labels, _ = labeled(100)
    with pytest.raises(ValueError, match=r"100 judged answers to 1 question, \d+ of them correct; expected .* 50 q"):
        fit_weights(columns, labels, ["q"] * 100)


@pytest.mark.parametrize(
    ("weights", "matched", "message"),
    [
        ({"judge": 1.0, "intercept": 0.0}, True, "expected finite numbers for first, intercept, judge, as fit returns"),
        (
            WEIGHTS,
            False,
            "expected finite numbers for intercept, judge, as fit returns them for a judge without a matcher",
        ),
        ({"judge": math.nan, "intercept": 0.0}, False, "weights are {'judge': nan"),
    ],
)
def test_invalid_weights_are_refused(weights, matched, message):
    with pytest.raises(ValueError, match=message):
        JudgeLoading(weights=weights, first="bem" if matched else None)


def test_weights_can_be_a_file(tmp_path):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(WEIGHTS))
    assert JudgeLoading(weights=file, first="bem").calibration == WEIGHTS


class _Unsure:
    """A matcher whose scores have a logit of 0, so that they change nothing."""

    def compute(self, predictions, **_):
        count = len(predictions)
        return {"per_example": {"score": [0.5] * count, "verdict": [False] * count}, "signature": "unsure"}


@pytest.mark.parametrize("first", [None, _Unsure()], ids=["alone", "with a matcher"])
def test_fit_and_compute(server, first):
    """The server says .99 or .01, but people agree with it on 75% only: fitted scores are near .75 and .25."""
    load = partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", first=first)
    answers = [f"{'right' if number % 2 else 'wrong'} {number}" for number in range(80)]
    labels = [(number % 2 == 1) == (number // 2 % 4 > 0) for number in range(80)]
    rows = {"predictions": answers, "references": ["right"] * 80, "questions": [f"Question {n}?" for n in range(80)]}
    weights = load().fit(**rows, labels=labels)
    assert ("first" in weights) == (first is not None)
    out = load(weights=weights).compute(**rows)
    assert out["per_example"]["score"] == pytest.approx([0.75 if n % 2 else 0.25 for n in range(80)], abs=0.02)
    assert re.search(r"\|calibration:(first=0,)?intercept=.*,judge=", out["signature"])
    assert load().compute(**rows)["per_example"]["verdict"] == out["per_example"]["verdict"]
    with pytest.raises(ValueError, match="load the judge without weights"):
        load(weights=weights).fit(**rows, labels=labels)
