"""Estimate the accuracy of several systems from labels."""

from collections.abc import Sequence

import numpy as np

from ..joining.labels import JoinedRows
from ..joining.systems import JoinedSystems
from ..uncertainty.arrays import Floats
from .ppi import Estimates, estimate


def estimate_systems(systems: JoinedSystems, joined: Sequence[JoinedRows], confidence: float = 0.95) -> Estimates:
    """Estimate the accuracy of each system from labels, and its difference from the baseline."""
    baseline, *others = systems.files
    return estimate(
        np.concatenate([one.scores for one in joined]),
        np.concatenate([one.labels for one in joined]),
        weights=np.concatenate([_weights(one) for one in joined]),
        clusters=[cluster for one in joined for cluster in one.clusters or ()],
        groups=[name for name, one in zip(systems.files, joined, strict=True) for _ in one.scores],
        differences=[(other, baseline) for other in others],
        confidence=confidence,
    )


def _weights(joined: JoinedRows) -> Floats:
    """Return weights that let the labels of a system represent all of its rows, for any number of labels."""
    weights = np.ones_like(joined.scores) if joined.weights is None else joined.weights
    factor: float = len(weights) / (weights[~np.isnan(joined.labels)].sum() or 1)
    return factor * weights
