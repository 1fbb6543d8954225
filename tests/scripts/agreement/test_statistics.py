"""Agreement statistics by hand, by definition, and against scikit-learn and scipy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evaluate_qa.agreement.comparison import Comparison
from evaluate_qa.agreement.statistics import SCORE_STATISTICS, VERDICT_STATISTICS, compute_statistic


def comparison(scores, labels, verdicts=None, questions=None):
    return Comparison(
        scores=np.array(scores, dtype=float),
        verdicts=None if verdicts is None else np.array(verdicts, dtype=bool),
        labels=np.array(labels, dtype=float),
        questions=np.arange(len(scores)) if questions is None else np.array(questions),
    )


def value(name, table, weights=None):
    weights = np.ones((1, table.questions.max() + 1)) if weights is None else np.array([weights], dtype=float)
    (found,) = compute_statistic(name, table, weights)
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 5 / 8),  # 3 + 2 of 8
        ("precision", 3 / 4),
        ("recall", 3 / 5),
        ("specificity", 2 / 3),
        ("false_accept_rate", 1 / 3),
        ("false_reject_rate", 2 / 5),
        ("f1", 2 / 3),  # 2·3 / (2·3 + 1 + 2)
        ("macro_f1", (2 / 3 + 4 / 7) / 2),  # for "incorrect": 2·2 / (2·2 + 2 + 1)
        ("mcc", (3 * 2 - 1 * 2) / math.sqrt(4 * 5 * 3 * 4)),
        ("kappa", (5 / 8 - 1 / 2) / (1 - 1 / 2)),  # by chance: 4/8 · 5/8 + 4/8 · 3/8
    ],
)
def test_statistics_of_verdicts_by_hand(name, expected):
    # TP = 3, FP = 1, FN = 2, TN = 2
    table = comparison(np.zeros(8), labels=[1, 1, 1, 0, 1, 1, 0, 0], verdicts=[1, 1, 1, 1, 0, 0, 0, 0])
    assert value(name, table) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_statistics_without_labels_of_one_kind(label):
    """The metric accepts two of three answers."""
    table = comparison(np.zeros(3), labels=[label] * 3, verdicts=[1, 1, 0])
    found = {name: value(name, table) for name in VERDICT_STATISTICS}
    defined = {"accuracy": 2 / 3, "precision": 1, "recall": 2 / 3, "f1": 0.8, "false_reject_rate": 1 / 3}
    if label == 0:
        defined = {"accuracy": 1 / 3, "precision": 0, "specificity": 1 / 3, "false_accept_rate": 2 / 3}
    assert {name: statistic for name, statistic in found.items() if not math.isnan(statistic)} == pytest.approx(defined)


def random_table(seed, levels, rows=200):
    """Return scores with ties and labels with a number of levels, several rows per question."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(levels, size=rows) / (levels - 1)
    scores = np.round(labels + generator.normal(size=rows), 1)
    return comparison(scores, labels, scores > 0.4, generator.integers(40, size=rows))


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_correlations_equal_scipy(levels):
    table = random_table(0, levels)
    assert value("pearson", table) == pytest.approx(stats.pearsonr(table.scores, table.labels).statistic, abs=1e-12)
    assert value("kendall", table) == pytest.approx(stats.kendalltau(table.scores, table.labels).statistic, abs=1e-12)
    assert value("spearman", table) == pytest.approx(stats.spearmanr(table.scores, table.labels).statistic, abs=1e-12)
    mean = np.mean([value(name, table) for name in ("pearson", "kendall", "spearman")])
    assert value("mean_correlation", table) == pytest.approx(mean, abs=1e-12)


def test_auc_by_hand():
    # right .9 and .4, wrong .4 and .1: .9 is above both, .4 ties with .4 and is above .1: (2 + .5 + 1) / 4
    table = comparison([0.9, 0.4, 0.4, 0.1], [1, 1, 0, 0])
    assert value("auc", table) == 3.5 / 4
    # The question of .1 counts three times: (1 + 3 + .5 + 3) / (2 · 4).
    assert value("auc", table, weights=[1, 1, 1, 3]) == 7.5 / 8
    assert math.isnan(value("auc", table, weights=[1, 1, 0, 0]))
    assert math.isnan(value("auc", comparison([0.1, 0.2], [1, 1])))
    assert math.isnan(value("auc", comparison([0.1, 0.2, 0.3], [0, 0.5, 1])))  # ratings


@pytest.mark.parametrize("name", [*SCORE_STATISTICS, *VERDICT_STATISTICS])
@pytest.mark.parametrize("levels", [2, 4])
def test_weight_equals_copies_of_question(name, levels):
    table = random_table(7, levels)
    weights = np.random.default_rng(1).integers(4, size=40)
    copies = np.concatenate([np.flatnonzero(weights[table.questions] > number) for number in range(3)])
    numbers = np.concatenate([np.full((weights[table.questions] > number).sum(), number) for number in range(3)])
    questions = 3 * table.questions[copies] + numbers
    copied = comparison(table.scores[copies], table.labels[copies], table.verdicts[copies], questions)
    assert value(name, table, weights) == pytest.approx(value(name, copied), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["pearson", "kendall", "spearman", "mean_correlation"])
def test_correlation_without_variation_is_undefined(name):
    assert math.isnan(value(name, comparison([0.1] * 7, [1, 0, 1, 1, 0, 1, 1])))
    assert math.isnan(value(name, comparison([0.1, 0.4, 0.7], [1, 1, 1])))
    # A resample of the two rows with the same score only.
    assert math.isnan(value(name, comparison([0.1, 0.1, 0.3], [1, 0, 1]), weights=[2, 1, 0]))


def test_pairwise_accuracy_by_hand():
    """Scores tie if they differ by less than .05, ratings if they are equal."""
    scores = [0.50, 0.54, 0.60, 0.2, 0.3, 0.9]
    ratings = [0.50, 0.50, 0.00, 0.0, 1.0, 0.5]
    questions = [0, 0, 0, 1, 1, 2]
    # question 0: .50 and .54 tie, as do .5 and .5: right; .50 < .60 but .5 > 0: wrong; .54 < .60 likewise: wrong.
    # question 1: .2 < .3 and 0 < 1: right. question 2 has one answer, and no pair.
    table = comparison(scores, ratings, questions=questions)
    assert value("pairwise_accuracy", table) == 2 / 4
    # Question 1 counted twice, question 2 nine times: (1 + 2·1) / (3 + 2·1).
    assert value("pairwise_accuracy", table, weights=[1, 2, 9]) == 3 / 5
    # On a scale to 100 the same differences are ties.
    assert value("pairwise_accuracy", replace(table, tie=5.0)) == 1 / 4
    assert math.isnan(value("pairwise_accuracy", comparison([1, 2], [1, 2])))


def test_pearson_keeps_its_digits_far_from_zero():
    scores, labels = np.array([0.1, 0.5, 0.3, 0.9]), np.array([0, 1, 0, 1])
    near, far = comparison(scores, labels), comparison(scores + 1e6, labels)
    assert value("pearson", far) == pytest.approx(value("pearson", near), abs=1e-8)


def test_metric_without_verdicts_has_only_correlations():
    table = comparison([1, 2, 3], [0, 0, 1])
    assert all(math.isnan(value(name, table)) for name in VERDICT_STATISTICS)
    assert value("pearson", table) > 0


def test_preference_accuracy_leaves_out_ties():
    # right, wrong, a half for a difference of 0, and one without a preference: 1.5 of 3
    assert value("preference_accuracy", comparison([0.2, 0.1, 0.0, 0.3], [2, -1, 1, 0])) == 0.5
    assert math.isnan(value("preference_accuracy", comparison([0.2, 0.1], [0, 0])))


def test_calibration_error_by_hand():
    """A score on an edge is in the bin below: |1 + 1 − .05 − .1| in the bin to .1, and |0 − .15| above, of 4 rows."""
    table = comparison([0, 0.05, 0.1, 0.15], [1, 0, 1, 0])
    assert value("calibration_error", table) == pytest.approx((1.85 + 0.15) / 4)


@pytest.mark.parametrize(("scores", "labels"), [([0, 1.01], [0, 1]), ([-0.01, 1], [0, 1]), ([0, 1], [1, 3])])
def test_calibration_error_needs_probabilities_and_verdicts(scores, labels):
    assert math.isnan(value("calibration_error", comparison(scores, labels)))
