"""How far a metric's score is what it should be as a probability: the share of answers that people call correct."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..uncertainty.resampling import Bootstrap, draws, interval
from .bootstrap import Estimate
from .comparison import Comparison, Floats

BINS = 10


@dataclass(frozen=True)
class Bin:
    """The answers whose scores lie in one of the bins, of equal width, that have any.

    Attributes:
        begin: Where the bin begins; its scores are above that, in the first bin 0 as well.
        rows: Number of the answers.
        score: Their mean score.
        correct: Share of them that people call correct, with its interval.
    """

    begin: float
    rows: int
    score: float
    correct: Estimate


@dataclass(frozen=True)
class Calibration:
    """The calibration of a metric.

    Attributes:
        metric: Its name in tables.
        error: Expected calibration error, Σ_b (n_b / n) · |share correct in b − mean score in b| (Naeini et al. 2015).
        bins: The bins, by ascending score.
    """

    metric: str
    error: float
    bins: Sequence[Bin]


def has_calibration(comparison: Comparison) -> bool:
    """Whether scores can be taken for probabilities: all lie in [0, 1], and people gave verdicts."""
    scores, labels = comparison.scores, comparison.labels
    return bool(((scores >= 0) & (scores <= 1)).all() and np.isin(labels, (0, 1)).all())


def calibrate(metric: str, comparison: Comparison, bootstrap: Bootstrap) -> Calibration:
    """Compute the calibration of a metric whose scores can be taken for probabilities.

    Args:
        metric: Its name.
        comparison: What it and people said.
        bootstrap: How intervals are drawn; as everywhere, over questions.
    """
    from sklearn.calibration import calibration_curve

    correct, score = calibration_curve(comparison.labels, comparison.scores, n_bins=BINS)
    rows, right = (_sums(comparison, column) for column in (np.ones(len(comparison.scores)), comparison.labels))
    counts = rows.sum(axis=0)
    filled = counts > 0
    intervals = _intervals(rows[:, filled], right[:, filled], bootstrap)
    return Calibration(
        metric=metric,
        error=float(np.average(np.abs(correct - score), weights=counts[filled])),
        bins=[
            Bin(float(number) / BINS, int(counts[number]), float(mean), Estimate(float(share), *interval))
            for number, mean, share, interval in zip(np.flatnonzero(filled), score, correct, intervals, strict=True)
        ],
    )


def _sums(comparison: Comparison, column: Floats) -> Floats:
    """Return the column's sum for each question and bin, shape (questions, bins); the bins are scikit-learn's."""
    bins = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], comparison.scores)
    cells = comparison.questions * BINS + bins
    questions = comparison.question_count
    sums = np.bincount(cells, weights=column, minlength=questions * BINS)
    return sums.reshape(questions, BINS).astype(np.float64)


def _intervals(rows: Floats, right: Floats, bootstrap: Bootstrap) -> list[tuple[float | None, float | None]]:
    """Return the ends of the interval of each bin's share; replicates in which a bin is empty are left out of its."""
    shares = []
    for weights in draws(len(rows), bootstrap):
        counts = weights @ rows
        shares.append(np.divide(weights @ right, counts, out=np.full_like(counts, np.nan), where=counts > 0))
    return [interval([chunk[:, column] for chunk in shares], bootstrap) for column in range(rows.shape[1])]
