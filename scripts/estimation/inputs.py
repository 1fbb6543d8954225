"""Check the inputs of `estimate`: their values, and whether the labeled rows can be a random sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike

from ..uncertainty.arrays import Bools, Floats, Ints, cluster_codes, factorize, number_array, require

_REFUSED = 1e-6  # labeled rows with a smaller p-value are refused as a random sample
_DOUBTED = 1e-3  # labeled rows with a smaller p-value get a note
_ROUNDING = 1e-9


@dataclass(frozen=True)
class EstimateInputs:
    """Rows to estimate from."""

    scores: Floats  # scores from 0 to 1, shape (rows,)
    labels: Floats  # labels from 0 to 1, NaN for rows without one, shape (rows,)
    weights: Floats | None  # sampling weights, positive for rows with a label, shape (rows,); None for equal weights
    clusters: Ints  # number of each row's cluster, shape (rows,)
    cluster_count: int  # number of clusters in all rows, including those outside of this part
    alone: bool  # True if each row is a cluster by itself
    groups: Ints  # number of each row's group in `names`, shape (rows,)
    names: tuple[str, ...]

    @property
    def known(self) -> Bools:
        """Rows with a label."""
        return ~np.isnan(self.labels)

    @property
    def is_uniform(self) -> bool:
        """Whether all labels are equal."""
        labels = self.labels[self.known]
        return bool(labels.min() == labels.max())

    @property
    def shares(self) -> Floats:
        """The share of each row in the weighted mean of the labels; 0 for rows without one."""
        weights = np.where(self.known, 1.0 if self.weights is None else self.weights, 0.0)
        shares: Floats = weights / weights.sum()
        return shares

    def by_cluster(self, values: Floats) -> Floats:
        """Return the sum of values over the rows of each cluster, shape (cluster_count,)."""
        return np.bincount(self.clusters, values, self.cluster_count).astype(np.float64, copy=False)

    def part(self, members: Bools) -> "EstimateInputs":
        """Return some of the rows."""
        return replace(
            self,
            scores=self.scores[members],
            labels=self.labels[members],
            weights=None if self.weights is None else _unequal_weights(self.weights[members], self.known[members]),
            clusters=self.clusters[members],
            groups=self.groups[members],
        )


def check_inputs(
    scores: ArrayLike,
    labels: ArrayLike | Sequence[float | None],
    weights: ArrayLike | None,
    clusters: ArrayLike | None,
    groups: ArrayLike | None,
    confidence: float,
) -> EstimateInputs:
    """Return the inputs of `estimate` as arrays; raise ValueError if one is invalid."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; expected a number between 0 and 1")
    values = number_array("scores", scores)
    require("scores", values, (values >= 0) & (values <= 1), "a number from 0 to 1")
    marks = number_array("labels", labels, len(values))
    known = ~np.isnan(marks)
    require("labels", marks, (marks >= 0) & (marks <= 1) | ~known, "a number from 0 to 1, or NaN for no label")
    factors = None if weights is None else number_array("weights", weights, len(values))
    if factors is not None:
        require("weights", factors, (factors > 0) & np.isfinite(factors) | ~known, "a positive number")
        factors = _unequal_weights(factors, known)
    names, group_codes = factorize("groups", groups, len(values))
    places = cluster_codes(clusters, len(values))
    count = int(places.max(initial=-1)) + 1
    return EstimateInputs(values, marks, factors, places, count, count == len(values), group_codes, names)


def _unequal_weights(weights: Floats, known: Bools) -> Floats | None:
    """Return the weights; None if all labeled rows have the same weight."""
    return weights if len(np.unique(weights[known])) > 1 else None


def require_random_sample(given: EstimateInputs) -> list[str]:
    """Compare the labeled rows with all rows, by their mean score and by the share of each group.

    Return notes on differences that are unlikely in a random sample. Raise ValueError for a difference that hardly ever
    occurs in a random sample.
    """
    shares = given.shares
    of_clusters = given.by_cluster(shares)

    def bound_p_value(values: Floats) -> tuple[float, float]:
        """Return an upper bound of the gap's p-value, and the gap: the mean of labeled rows minus that of all rows."""
        deviations = values - values.mean()
        gap = float(shares @ deviations)
        reach = float(deviations.max() if gap > 0 else -deviations.min())
        variance = float(deviations @ deviations) / len(deviations)
        if given.weights is not None:
            variance = max(variance, float((shares * deviations) @ (shares * deviations)) / float(shares @ shares))
        return _hoeffding_bound(abs(gap), variance, reach, of_clusters), gap

    p_value, gap = bound_p_value(given.scores)
    side = "higher" if gap > 0 else "lower"
    difference = f"they score {abs(gap):.3f} {side} on average than all rows"
    notes = _check_p_value(p_value, difference, "Label rows that were drawn at random")
    if given.names:
        found = [bound_p_value((given.groups == code).astype(np.float64)) for code in range(len(given.names))]
        worst = int(np.argmin([p_value for p_value, _ in found]))
        size, (p_value, gap) = float((given.groups == worst).mean()), found[worst]
        difference = f"{size + gap:.0%} of them, but {size:.0%} of all rows, are in the group {given.names[worst]!r}"
        notes += _check_p_value(p_value * len(found), difference, "Estimate each group by itself")
    return notes


def _check_p_value(p_value: float, difference: str, fix: str) -> list[str]:
    if p_value < _REFUSED:
        raise ValueError(
            f"the labeled rows are not a random sample: {difference}, which happens in fewer than one random sample in "
            f"{1 / _REFUSED:,.0f}. {fix}; if some rows were drawn with a higher probability, give the weights"
        )
    if p_value < _DOUBTED:
        return [f"The labeled rows may not be a random sample: {difference}, which is rare by chance."]
    return []


def _hoeffding_bound(gap: float, variance: float, reach: float, shares: Floats) -> float:
    """Return a bound of the probability that a sample's mean is so far from the mean of all rows, to either side.

    Hoeffding (1963, "Probability inequalities for sums of bounded random variables", theorem 3 and section 6): the sum
    of n independent values, or of values drawn without replacement, with variance σ² and at most b above their mean,
    exceeds its mean by nt with a probability of at most exp(−n KL(p + t b/(b² + σ²) ‖ p)), p = σ²/(b² + σ²). For 0 and
    1 it is Chernoff's bound. Clusters with shares w of the mean count as Σw²/max w² values, with t = gap · max w/Σw².

    Args:
        gap: Distance between the means.
        variance: Variance of the values of all rows.
        reach: Largest distance of a value from the mean of all rows, on the side of the gap.
        shares: Share of each cluster in the sample's mean.
    """
    if gap <= _ROUNDING:
        return 1.0
    reach, squares, most = max(reach, _ROUNDING), float(shares @ shares), float(shares.max())
    count, step = squares / most**2, gap * most / squares
    chance = min(1 - 1e-15, max(1e-15, variance / (reach**2 + variance)))
    found = min(chance + step * reach / (reach**2 + variance), 1.0)
    rest = max(1 - found, 1e-300)
    exponent = found * log(found / chance) + rest * log(rest / (1 - chance))
    return exp(min(0.0, log(2) - count * exponent))
