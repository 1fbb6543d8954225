"""Correlations of scores with people's labels, as functions of weights like all agreement figures (`figures.py`).

A correlation is NaN if scores or labels do not vary, as in scipy.
"""

import numpy as np

from ..uncertainty.arrays import Floats
from .comparison import Comparison, quotients, weighted_sums


def pearson(comparison: Comparison, weights: Floats) -> Floats:
    """Pearson's r of scores and labels, from each question's sums of 1, x, y, x², y² and xy."""
    x, y = _centred(comparison.scores), _centred(comparison.labels)
    columns = np.ones_like(x), x, y, x * x, y * y, x * y
    n, sx, sy, sxx, syy, sxy = weighted_sums(comparison.questions, columns, weights)
    return quotients(sxy - sx * sy / n, _deviation(sxx, sx, n) * _deviation(syy, sy, n))


def kendall(comparison: Comparison, weights: Floats) -> Floats:
    """Kendall's τ-b of scores and labels: (concordant − discordant) / √(pairs untied in x · pairs untied in y).

    A pair of rows is concordant if scores and labels order it alike.
    """
    table = comparison.cells.count(weights)
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
    table = comparison.cells.count(weights)
    by_score, by_label = table.sum(axis=1), table.sum(axis=2)
    x, y = _centred_ranks(by_score), _centred_ranks(by_label)
    covariance = ((table @ x[:, :, None])[:, :, 0] * y).sum(axis=1)
    return quotients(covariance, np.sqrt((by_score * x**2).sum(axis=1)) * np.sqrt((by_label * y**2).sum(axis=1)))


def mean_correlation(comparison: Comparison, weights: Floats) -> Floats:
    """Mean of Kendall's, Pearson's and Spearman's correlation, as in MORQA's paper."""
    return (kendall(comparison, weights) + pearson(comparison, weights) + spearman(comparison, weights)) / 3


def _centred(values: Floats) -> Floats:
    # Sums of squares lose digits far from zero.
    centred: Floats = values - values.mean()
    return centred


def _deviation(squares: Floats, total: Floats, n: Floats) -> Floats:
    """Return √Σ(x − mean)²; rounding errors of equal values become 0."""
    spread = squares - total**2 / n
    return np.sqrt(np.where(spread > 1e-12 * squares, spread, 0.0))


def _centred_ranks(counts: Floats) -> Floats:
    """Return the mean rank of each value minus the mean of all ranks, (n + 1) / 2."""
    upto = counts.cumsum(axis=1)
    return upto - counts + (counts + 1) / 2 - (upto[:, -1:] + 1) / 2
