"""How far a metric agrees with people: the figures that papers report.

Every figure is a function of rows and of *weights*, how often each question counts. A weight of one for every
question gives the figure itself; weights drawn at random give the bootstrap's replicates (`bootstrap.py`). One
definition therefore serves both, and thousands of replicates are a few matrix products.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from .comparison import Bools, Comparison, Floats
from .correlations import kendall, mean_correlation, pearson, spearman


@dataclass(frozen=True)
class Confusion:
    """Weighted numbers of true and false positives and negatives, an entry for each row of weights.

    Positive means "correct": `fp` counts wrong answers that the metric calls correct.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @classmethod
    def of(cls, verdicts: Bools, comparison: Comparison, weights: Floats) -> "Confusion":
        """Count each question's cells once, so that a replicate is one product of weights and counts."""
        cells = comparison.questions * 4 + 2 * ~verdicts + (comparison.labels == 0)
        counts = np.bincount(cells, minlength=4 * weights.shape[1]).reshape(-1, 4)
        return cls(*(weights @ counts).T)


# A figure is NaN without the labels that it is about. Where a metric gives one verdict alone, precision and MCC are 0.


def accuracy(c: Confusion) -> Floats:
    """(TP + TN) / all: the share of rows on which the metric and people agree."""
    return _ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn)


def precision(c: Confusion) -> Floats:
    """TP / (TP + FP): the share of right ones among the answers that the metric accepts; 0 if it accepts none."""
    return _ratio(c.tp, c.tp + c.fp)


def recall(c: Confusion) -> Floats:
    """TP / (TP + FN): the share of right answers that the metric accepts; NaN if there are none."""
    return _share(c.tp, c.tp + c.fn)


def specificity(c: Confusion) -> Floats:
    """TN / (TN + FP): the share of wrong answers that the metric refuses; NaN if there are none."""
    return _share(c.tn, c.tn + c.fp)


def false_accept_rate(c: Confusion) -> Floats:
    """FP / (TN + FP): the share of wrong answers that the metric accepts; NaN if there are none."""
    return _share(c.fp, c.tn + c.fp)


def false_reject_rate(c: Confusion) -> Floats:
    """FN / (TP + FN): the share of right answers that the metric refuses; NaN if there are none."""
    return _share(c.fn, c.tp + c.fn)


def f1(c: Confusion) -> Floats:
    """2·TP / (2·TP + FP + FN), the harmonic mean of precision and recall; NaN if no answer is right."""
    return _where(c.tp + c.fn > 0, _ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn))


def macro_f1(c: Confusion) -> Floats:
    """Mean of F1 for "correct" and F1 for "incorrect"; NaN unless there are labels of both."""
    return (f1(c) + f1(Confusion(tp=c.tn, fp=c.fn, fn=c.fp, tn=c.tp))) / 2


def mcc(c: Confusion) -> Floats:
    """Matthews correlation: (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [−1, 1].

    NaN unless there are labels of both kinds, 0 if there are verdicts of one.
    """
    margins = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    return _where((c.tp + c.fn > 0) & (c.tn + c.fp > 0), _ratio(c.tp * c.tn - c.fp * c.fn, np.sqrt(margins)))


def auc(comparison: Comparison, weights: Floats) -> Floats:
    """Area under the ROC curve: the chance that a right answer has a higher score than a wrong one, a tie being half.

    It looks at the order alone, whatever the threshold of verdicts. NaN unless there are labels of two kinds.
    """
    table = comparison.cells.count(weights)
    if table.shape[1] != 2:  # noqa: PLR2004
        return np.full(len(weights), np.nan)
    wrong, right = table[:, 0], table[:, 1]
    below = wrong.cumsum(axis=1) - wrong / 2
    return _share((right * below).sum(axis=1), right.sum(axis=1) * wrong.sum(axis=1))


def pairwise_accuracy(comparison: Comparison, weights: Floats) -> Floats:
    """Share of the pairs of answers to a question that the metric orders as people do: better, worse or a tie.

    For the metric a tie is a difference of less than `comparison.tie`, for people the same rating. NaN if no question
    has two answers.
    """
    questions, alike = comparison.pairs
    right, pairs = (
        weights @ np.bincount(questions, weights=column, minlength=weights.shape[1])
        for column in (alike.astype(np.float64), np.ones(len(questions)))
    )
    return _share(right, pairs)


def preference_accuracy(comparison: Comparison, weights: Floats) -> Floats:
    """Share of the comparisons in which the score's difference has the sign of people's preference.

    Those that people call equal are left out; a difference of 0 counts one half. NaN if none is left.
    """
    decided = comparison.labels != 0
    agreed = (1 + np.sign(comparison.scores) * np.sign(comparison.labels)) / 2
    right, all_ = (
        weights @ np.bincount(comparison.questions[decided], weights=column[decided], minlength=weights.shape[1])
        for column in (agreed, np.ones(len(agreed)))
    )
    return _share(right, all_)


OF_VERDICTS: Mapping[str, Callable[[Confusion], Floats]] = MappingProxyType(
    {
        "accuracy": accuracy,
        "f1": f1,
        "macro_f1": macro_f1,
        "precision": precision,
        "recall": recall,
        "specificity": specificity,
        "false_accept_rate": false_accept_rate,
        "false_reject_rate": false_reject_rate,
        "mcc": mcc,
    }
)
OF_SCORES: Mapping[str, Callable[[Comparison, Floats], Floats]] = MappingProxyType(
    {
        "auc": auc,
        "pearson": pearson,
        "kendall": kendall,
        "spearman": spearman,
        "mean_correlation": mean_correlation,
        "pairwise_accuracy": pairwise_accuracy,
        "preference_accuracy": preference_accuracy,
    }
)


def figure(name: str, comparison: Comparison, weights: Floats) -> Floats:
    """Compute one figure of agreement.

    Args:
        name: A key of `OF_VERDICTS` or `OF_SCORES`.
        comparison: The rows.
        weights: Array of (replicates, questions): how often each question counts.

    Returns:
        An entry for each row of `weights`; NaN where the figure is undefined, as one of verdicts is for a
        metric without verdicts.
    """
    if name in OF_SCORES:
        return OF_SCORES[name](comparison, weights)
    if comparison.verdicts is None:
        return np.full(len(weights), np.nan)
    return OF_VERDICTS[name](Confusion.of(comparison.verdicts, comparison, weights))


def _share(part: Floats, whole: Floats) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    undefined: Floats = np.full_like(whole, np.nan)
    found: Floats = np.divide(part, whole, out=undefined, where=whole > 0)
    return found


def _where(defined: Bools, values: Floats) -> Floats:
    return np.where(defined, values, np.nan)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    zeros: Floats = np.zeros_like(denominator)
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)
