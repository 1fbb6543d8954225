"""Agreement statistics that papers report, such as accuracy, Matthews correlation and AUC.

Every statistic is a function of a comparison and of *weights*, the number of times each question counts. Weights of one
give the statistic itself; random weights give the bootstrap's replicates (`bootstrap.py`), thousands in a few matrix
products.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..uncertainty.arrays import Bools, Floats
from .comparison import Comparison, quotients, weighted_sums

_BINS = 10
"""Number of bins of the calibration error."""


@dataclass(frozen=True)
class Confusion:
    """Weighted numbers of true and false positives and negatives, one entry per replicate.

    Positive means "correct": `fp` counts wrong answers that the metric calls correct.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @classmethod
    def of(cls, verdicts: Bools, comparison: Comparison, weights: Floats) -> "Confusion":
        """Count the rows in each cell."""
        right = comparison.labels != 0
        cells = verdicts & right, verdicts & ~right, ~verdicts & right, ~verdicts & ~right
        return cls(*weighted_sums(comparison.questions, cells, weights))


# A statistic is NaN without the labels that it needs. Precision and MCC are 0 if all verdicts are the same.


def accuracy(c: Confusion) -> Floats:
    """(TP + TN) / all: the share of rows on which the metric and people agree."""
    return quotients(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn)


def precision(c: Confusion) -> Floats:
    """TP / (TP + FP): the share of accepted answers that are right; 0 if no answer is accepted."""
    return quotients(c.tp, c.tp + c.fp, 0.0)


def recall(c: Confusion) -> Floats:
    """TP / (TP + FN): the share of right answers that the metric accepts; NaN without them."""
    return quotients(c.tp, c.tp + c.fn)


def specificity(c: Confusion) -> Floats:
    """TN / (TN + FP): the share of wrong answers that the metric rejects; NaN without them."""
    return quotients(c.tn, c.tn + c.fp)


def false_positive_rate(c: Confusion) -> Floats:
    """FP / (TN + FP): the share of wrong answers that the metric accepts; NaN without them."""
    return quotients(c.fp, c.tn + c.fp)


def false_negative_rate(c: Confusion) -> Floats:
    """FN / (TP + FN): the share of right answers that the metric rejects; NaN without them."""
    return quotients(c.fn, c.tp + c.fn)


def f1(c: Confusion) -> Floats:
    """2·TP / (2·TP + FP + FN), the harmonic mean of precision and recall; NaN if no answer is right."""
    return np.where(c.tp + c.fn > 0, quotients(2 * c.tp, 2 * c.tp + c.fp + c.fn), np.nan)


def macro_f1(c: Confusion) -> Floats:
    """Mean of F1 for "correct" and F1 for "incorrect"; NaN unless there are labels of both."""
    return (f1(c) + f1(Confusion(tp=c.tn, fp=c.fn, fn=c.fp, tn=c.tp))) / 2


def mcc(c: Confusion) -> Floats:
    """Matthews correlation: (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [−1, 1].

    NaN unless there are labels of both kinds, 0 if there are verdicts of one.
    """
    margins = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    found = quotients(c.tp * c.tn - c.fp * c.fn, np.sqrt(margins), 0.0)
    return np.where((c.tp + c.fn > 0) & (c.tn + c.fp > 0), found, np.nan)


def kappa(c: Confusion) -> Floats:
    """Cohen's kappa (1960): agreement beyond chance, (p − e)/(1 − e), in [−1, 1].

    p is the accuracy, and e the accuracy that verdicts of the same frequency reach by chance. This equals
    2·(TP·TN − FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN)). NaN unless there are labels of both kinds.
    """
    margins = (c.tp + c.fp) * (c.fp + c.tn) + (c.tp + c.fn) * (c.fn + c.tn)
    found = quotients(2 * (c.tp * c.tn - c.fp * c.fn), margins)
    return np.where((c.tp + c.fn > 0) & (c.tn + c.fp > 0), found, np.nan)


def auc(comparison: Comparison, weights: Floats) -> Floats:
    """Area under the ROC curve: the probability that a right answer scores higher than a wrong one; a tie counts half.

    It does not depend on a threshold. NaN unless there are two distinct labels.
    """
    table = comparison.table(weights)
    if table.shape[1] != 2:  # noqa: PLR2004
        return np.full(len(weights), np.nan)
    wrong, right = table[:, 0], table[:, 1]
    below = wrong.cumsum(axis=1) - wrong / 2
    return quotients((right * below).sum(axis=1), right.sum(axis=1) * wrong.sum(axis=1))


def pearson(comparison: Comparison, weights: Floats) -> Floats:
    """Pearson's r of scores and labels, from each question's sums of 1, x, y, x², y² and xy.

    This and the other correlations are NaN if scores or labels do not vary, as in scipy.
    """
    # Sums of squares lose digits far from zero.
    x, y = (values - values.mean() for values in (comparison.scores, comparison.labels))
    columns = np.ones_like(x), x, y, x * x, y * y, x * y
    n, sx, sy, sxx, syy, sxy = weighted_sums(comparison.questions, columns, weights)
    return quotients(sxy - sx * sy / n, _deviation(sxx, sx, n) * _deviation(syy, sy, n))


def kendall(comparison: Comparison, weights: Floats) -> Floats:
    """Kendall's τ-b of scores and labels: (concordant − discordant) / √(pairs untied in x · pairs untied in y).

    A pair of rows is concordant if scores and labels order it alike.
    """
    table = comparison.table(weights)
    by_score, by_label = table.sum(axis=1), table.sum(axis=2)
    n = by_label.sum(axis=1)
    untied = [np.sqrt(n**2 - np.einsum("bi,bi->b", margin, margin)) for margin in (by_score, by_label)]
    surplus = np.zeros(len(table))
    lower = np.zeros_like(by_score)
    for label in range(1, table.shape[1]):
        # A row is concordant with rows of a lower label and a lower score, and discordant with rows of a lower label
        # and a higher score: Σ here · (below − above), where above = all − (below + tied).
        lower += table[:, label - 1]
        here, upto = table[:, label], lower.cumsum(axis=1)
        surplus += 2 * np.einsum("bs,bs->b", here, upto) - np.einsum("bs,bs->b", here, lower)
        surplus -= by_label[:, label] * upto[:, -1]
    return quotients(2 * surplus, untied[0] * untied[1])


def spearman(comparison: Comparison, weights: Floats) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks; tied rows share their mean rank."""
    table = comparison.table(weights)
    by_score, by_label = table.sum(axis=1), table.sum(axis=2)
    x, y = _centered_ranks(by_score), _centered_ranks(by_label)
    covariance = ((table @ x[:, :, None])[:, :, 0] * y).sum(axis=1)
    return quotients(covariance, np.sqrt((by_score * x**2).sum(axis=1)) * np.sqrt((by_label * y**2).sum(axis=1)))


def mean_correlation(comparison: Comparison, weights: Floats) -> Floats:
    """Mean of Kendall's, Pearson's and Spearman's correlation, as in MORQA's paper."""
    return (kendall(comparison, weights) + pearson(comparison, weights) + spearman(comparison, weights)) / 3


def pairwise_accuracy(comparison: Comparison, weights: Floats) -> Floats:
    """Share of the pairs of answers to a question that the metric orders as people do: better, worse or a tie.

    Scores tie if they differ by less than `comparison.tie`, ratings if they are equal. NaN if no question has two
    answers.
    """
    questions, alike = comparison.pairs
    return quotients(*weighted_sums(questions, (alike, np.ones_like(alike)), weights))


def preference_accuracy(comparison: Comparison, weights: Floats) -> Floats:
    """Share of the comparisons in which the score's difference has the sign of people's preference.

    Comparisons without a preference are left out; a score difference of 0 counts half. NaN if none is left.
    """
    decided = comparison.labels != 0
    agreed = (1 + np.sign(comparison.scores) * np.sign(comparison.labels)) / 2
    return quotients(*weighted_sums(comparison.questions, (agreed * decided, decided), weights))


def calibration_error(comparison: Comparison, weights: Floats) -> Floats:
    """Σ_b |correct answers in b − sum of scores in b| / n over ten bins b of equal width (Naeini et al. 2015).

    A score on an edge is in the bin below. NaN if a score is outside [0, 1] or a label is neither 0 nor 1.
    """
    scores, labels = comparison.scores, comparison.labels
    if not (((scores >= 0) & (scores <= 1)).all() and np.isin(labels, (0, 1)).all()):
        return np.full(len(weights), np.nan)
    bins = np.searchsorted(np.linspace(0, 1, _BINS + 1)[1:-1], scores)
    gaps = [(labels - scores) * (bins == number) for number in range(_BINS)]
    *sums, count = weighted_sums(comparison.questions, [*gaps, np.ones_like(scores)], weights)
    return quotients(np.abs(sums).sum(axis=0), count)


_RATES = accuracy, f1, macro_f1, precision, recall, specificity, mcc, kappa
_OTHERS = pearson, kendall, spearman, mean_correlation, auc, pairwise_accuracy, preference_accuracy, calibration_error

VERDICT_STATISTICS: Mapping[str, Callable[[Confusion], Floats]] = {
    **{one.__name__: one for one in _RATES},
    "false_accept_rate": false_positive_rate,  # tables and files have these names
    "false_reject_rate": false_negative_rate,
}
SCORE_STATISTICS: Mapping[str, Callable[[Comparison, Floats], Floats]] = {one.__name__: one for one in _OTHERS}


def compute_statistic(name: str, comparison: Comparison, weights: Floats) -> Floats:
    """Compute one agreement statistic, a key of `VERDICT_STATISTICS` or `SCORE_STATISTICS`.

    Weights are the number of times each question counts, shape (replicates, questions). The result has one entry per
    replicate; NaN where the statistic is undefined, such as accuracy for a metric without verdicts.
    """
    if name in SCORE_STATISTICS:
        return SCORE_STATISTICS[name](comparison, weights)
    if comparison.verdicts is None:
        return np.full(len(weights), np.nan)
    return VERDICT_STATISTICS[name](Confusion.of(comparison.verdicts, comparison, weights))


def _deviation(squares: Floats, total: Floats, n: Floats) -> Floats:
    """Return √Σ(x − mean)²; rounding errors of equal values become 0."""
    spread = squares - total**2 / n
    return np.sqrt(np.where(spread > 1e-12 * squares, spread, 0.0))


def _centered_ranks(counts: Floats) -> Floats:
    """Return the mean rank of each value minus the mean of all ranks, (n + 1) / 2."""
    upto = counts.cumsum(axis=1)
    return upto - counts + (counts + 1) / 2 - (upto[:, -1:] + 1) / 2
