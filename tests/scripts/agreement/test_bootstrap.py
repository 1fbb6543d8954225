"""Properties of bootstrap intervals."""

import numpy as np
import pytest

from evaluate_qa.agreement.bootstrap import Bootstrap, estimate
from evaluate_qa.agreement.comparison import Comparison
from evaluate_qa.agreement.statistics import SCORE_STATISTICS, VERDICT_STATISTICS
from evaluate_qa.uncertainty.intervals import BootstrapEstimate

STATISTICS = [
    name
    for name in (*SCORE_STATISTICS, *VERDICT_STATISTICS)
    if name not in ("pairwise_accuracy", "preference_accuracy", "calibration_error")
]


def table(questions=60, answers=3, seed=0):
    """Return labels and the scores of a metric that often agrees with them."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(2, size=questions * answers).astype(float)
    scores = np.round(0.5 * labels + 0.6 * generator.random(len(labels)), 2)
    return Comparison(scores, scores > 0.55, labels, np.arange(questions).repeat(answers))


def test_seed_determines_intervals():
    found = [estimate({"m": table()}, STATISTICS, Bootstrap(200, seed)) for seed in (3, 3, 4)]
    assert found[0] == found[1] != found[2]


def test_replicate_with_undefined_statistic_is_left_out():
    """The metric is always right; one of 20 questions has a wrong answer, which a third of the resamples lack."""
    labels = np.arange(20) > 0
    perfect = Comparison(labels.astype(float), labels, labels.astype(float), np.arange(20))
    for found in estimate({"m": perfect}, ("specificity", "mcc", "macro_f1", "auc"), Bootstrap(300))["m"].values():
        assert (found.value, found.low, found.high) == (1, 1, 1)


def test_metrics_share_resamples():
    found = estimate({"one": table(), "same": table()}, STATISTICS, Bootstrap(50))
    assert found["one"] == found["same"]


def test_questions_are_resampled():
    """Copies of rows do not change the interval within the same questions; as new questions, they narrow it."""
    once = table(answers=1)
    copied = [np.concatenate([column] * 4) for column in (once.scores, once.verdicts, once.labels, once.questions)]
    same_questions = Comparison(*copied)
    new_questions = Comparison(*copied[:3], np.arange(len(copied[0])))
    found = {
        name: estimate({"m": rows}, STATISTICS, Bootstrap(200))["m"]
        for name, rows in {"once": once, "same": same_questions, "new": new_questions}.items()
    }
    for statistic in STATISTICS:
        once_, same, new = (found[name][statistic] for name in ("once", "same", "new"))
        assert (same.value, same.low, same.high) == pytest.approx((once_.value, once_.low, once_.high), abs=1e-12)
        assert new.high - new.low < 0.7 * (once_.high - once_.low)


def test_interval_of_share_is_close_to_normal():
    # 400 questions, accuracy .8: standard error √(.8·.2/400) = .02, so that 95% lie within .0392.
    labels = np.ones(400)
    verdicts = np.arange(400) % 5 > 0
    found = estimate({"m": Comparison(labels, verdicts, labels, np.arange(400))}, ["accuracy"], Bootstrap(2000))
    accuracy = found["m"]["accuracy"]
    assert accuracy.value == pytest.approx(0.8)
    assert (accuracy.low, accuracy.high) == pytest.approx((0.8 - 0.0392, 0.8 + 0.0392), abs=0.006)


def test_calibration_error_and_undefined_statistics_have_no_interval():
    constant = Comparison(np.ones(3), None, np.array([1.0, 0.0, 1.0]), np.arange(3))
    found = estimate({"m": constant}, ["calibration_error", "pearson", "accuracy"], Bootstrap(20))["m"]
    values = [BootstrapEstimate(value) for value in (pytest.approx(1 / 3), None, None)]
    assert list(found.values()) == values


def test_no_interval_without_resamples():
    found = estimate({"m": table()}, ["accuracy"], Bootstrap(resamples=0))["m"]["accuracy"]
    assert found.value is not None
    assert (found.low, found.high) == (None, None)
