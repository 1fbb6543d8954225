"""Estimate the accuracy of several systems from labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..joining.labels import JoinedRows
from ..joining.systems import JoinedSystems
from ..uncertainty.arrays import Floats, cluster_codes
from ..uncertainty.intervals import Interval, mean
from .ppi import Estimate, Estimates, estimate


@dataclass(frozen=True)
class SystemFacts:
    """The figures of one system: mean score, share judged correct, and accuracy from labels; None if unknown."""

    name: str
    mean_score: Interval
    judged_correct: Interval | None
    by_labels: Estimate | None


def system_facts(systems: JoinedSystems, ppi: Estimates | None) -> list[SystemFacts]:
    """Return the figures of each system, with 95% intervals."""
    found = []
    for name, scores in systems.scores.items():
        clusters = cluster_codes(systems.clusters, len(scores))
        right = mean(systems.verdicts[name], clusters) if systems.verdicts else None
        labeled = ppi.groups[name] if ppi else None
        found.append(
            SystemFacts(name, mean(scores, clusters), right, labeled if isinstance(labeled, Estimate) else None)
        )
    return found


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
