"""The expected calibration error: how far scores are from probabilities that an answer is correct."""

import numpy as np

from .comparison import Comparison

BINS = 10


def calibration_error(comparison: Comparison) -> float | None:
    """Return Σ_b (n_b / n) · |share correct in b − mean score in b| over bins b of equal width (Naeini et al. 2015).

    None if the scores cannot be probabilities: one is outside [0, 1], or the labels are no verdicts.
    """
    from sklearn.calibration import calibration_curve

    scores, labels = comparison.scores, comparison.labels
    if not (((scores >= 0) & (scores <= 1)).all() and np.isin(labels, (0, 1)).all()):
        return None
    correct, score = calibration_curve(labels, scores, n_bins=BINS)
    # The same bins as scikit-learn's: a score on an edge is in the bin below.
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], scores), minlength=BINS)
    return float(np.average(np.abs(correct - score), weights=counts[counts > 0]))
