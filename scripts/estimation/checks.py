"""Check the inputs of `estimate`, and convert them to arrays."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..uncertainty.arrays import Codes, Floats, codes, numbers


@dataclass(frozen=True)
class EstimateInputs:
    """Rows to estimate from.

    Attributes:
        scores: Scores from 0 to 1, shape (rows,).
        labels: Labels from 0 to 1, NaN for rows without one, shape (rows,).
        weights: Sampling weights, positive for rows with a label, shape (rows,); None for equal weights.
        clusters: Number of each row's cluster, shape (rows,).
        cluster_count: Number of clusters in all rows, including those outside of this part.
        alone: True if each row is a cluster by itself.
        groups: Number of each row's group, shape (rows,).
        names: Names of the groups.
    """

    scores: Floats
    labels: Floats
    weights: Floats | None
    clusters: Codes
    cluster_count: int
    alone: bool
    groups: Codes
    names: tuple[str, ...]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Rows with a label."""
        return ~np.isnan(self.labels)

    @property
    def shares(self) -> Floats:
        """The share of each row in the weighted mean of the labels; 0 for rows without one."""
        weights = np.where(self.known, 1.0 if self.weights is None else self.weights, 0.0)
        shares: Floats = weights / weights.sum()
        return shares

    def by_cluster(self, values: Floats) -> Floats:
        """Return the sum of values over the rows of each cluster, shape (cluster_count,)."""
        sums: Floats = np.bincount(self.clusters, values, self.cluster_count).astype(np.float64, copy=False)
        return sums

    def part(self, members: NDArray[np.bool_]) -> "EstimateInputs":
        """Return some of the rows."""
        return replace(
            self,
            scores=self.scores[members],
            labels=self.labels[members],
            weights=None if self.weights is None else _unequal(self.weights[members], self.known[members]),
            clusters=self.clusters[members],
            groups=self.groups[members],
        )


def checked(
    scores: ArrayLike,
    labels: ArrayLike,
    weights: ArrayLike | None,
    clusters: ArrayLike | None,
    groups: ArrayLike | None,
    confidence: float,
) -> EstimateInputs:
    """Return the inputs of `estimate` as arrays; raise ValueError if one is invalid."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; expected a number between 0 and 1")
    values = numbers("scores", scores)
    _require_range("scores", values, ~((values >= 0) & (values <= 1)), "a number from 0 to 1")
    marks = numbers("labels", labels, len(values))
    _require_range("labels", marks, (marks < 0) | (marks > 1), "a number from 0 to 1, or NaN for no label")
    known = ~np.isnan(marks)
    factors = None if weights is None else numbers("weights", weights, len(values))
    if factors is not None:
        _require_range("weights", factors, known & ~((factors > 0) & np.isfinite(factors)), "a positive number")
        factors = _unequal(factors, known)
    names, group_codes = codes("groups", groups, len(values))
    cluster_names, cluster_codes = codes("clusters", clusters, len(values))
    alone = clusters is None or len(cluster_names) == len(values)
    if alone:
        cluster_codes = np.arange(len(values))
    count = len(values) if alone else len(cluster_names)
    return EstimateInputs(values, marks, factors, cluster_codes, count, alone, group_codes, names)


def _unequal(weights: Floats, known: NDArray[np.bool_]) -> Floats | None:
    """Return the weights; None if all labeled rows have the same weight."""
    return weights if len(np.unique(weights[known])) > 1 else None


def _require_range(name: str, values: Floats, is_wrong: NDArray[np.bool_], expected: str) -> None:
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise ValueError(f"{name}[{row}] is {values[row]:g}; expected {expected}")
