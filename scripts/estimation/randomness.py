"""Whether labelled rows can be a random sample: by bounds that no honest sample exceeds more often than they say."""

from math import log

import numpy as np
from numpy.typing import NDArray

from ..uncertainty.arrays import Floats
from .checks import EstimateInputs

REFUSED = 1e-6
"""Probability below which labelled rows are refused as a random sample."""

DOUBTED = 1e-3
"""Probability below which there is a note."""

_ROUNDING = 1e-9


def require_sample(given: EstimateInputs) -> list[str]:
    """Return notes on labelled rows that are an unlikely sample of all rows; raises ValueError if they are hardly one.

    Their mean score is compared with that of all rows, and their share of each group with the group's share.
    """
    return [note for note in (_of_scores(given), _of_groups(given)) if note is not None]


def _of_scores(given: EstimateInputs) -> str | None:
    shares = _shares(given)
    gap = float(shares @ given.scores - given.scores.mean())
    deviations = given.scores - given.scores.mean()
    reach = deviations.max() if gap > 0 else -deviations.min()
    likely = unlikeliness(abs(gap), _variance(deviations, shares), float(reach), given.by_cluster(shares))
    side = "higher" if gap > 0 else "lower"
    told = f"they score {abs(gap):.3f} {side} on average than all rows"
    return _judged(float(likely), told, "Label rows that were drawn at random")


def _of_groups(given: EstimateInputs) -> str | None:
    count = len(given.names)
    if not count:
        return None
    shares, rows = _shares(given), len(given.scores)
    sizes = np.bincount(given.groups, minlength=count) / rows
    found = np.bincount(given.groups, shares, count)
    squares = np.bincount(given.groups, shares**2, count)
    # Σ over labelled rows of share² (1[row in group] − size)², by group.
    weighted = (squares * (1 - 2 * sizes) + (shares @ shares) * sizes**2) / (shares @ shares)
    variance = np.maximum(sizes * (1 - sizes), weighted if given.weights is not None else 0)
    reach = np.where(found > sizes, 1 - sizes, sizes)
    likely = unlikeliness(np.abs(found - sizes), variance, reach, given.by_cluster(shares)) * count
    worst = int(np.argmin(likely))
    told = f"{found[worst]:.0%} of them, but {sizes[worst]:.0%} of all rows, are of the group {given.names[worst]!r}"
    return _judged(float(likely[worst]), told, "Estimate each group by itself")


def _judged(likely: float, told: str, cure: str) -> str | None:
    if likely < REFUSED:
        raise ValueError(
            f"the labelled rows are no random sample: {told}, which happens to fewer than one random sample in "
            f"{1 / REFUSED:,.0f}. {cure}; if some rows were drawn more likely than others, give the weights"
        )
    if likely < DOUBTED:
        return f"the labelled rows may be no random sample: {told}, which is rare by chance"
    return None


def _shares(given: EstimateInputs) -> Floats:
    """Return the share of each row in the mean of the labelled ones."""
    weights = np.where(given.known, 1.0 if given.weights is None else given.weights, 0.0)
    shares: Floats = weights / weights.sum()
    return shares


def _variance(deviations: Floats, shares: Floats) -> float:
    """Return the variance of the scores of all rows, or if weights make it larger, as the labelled rows have it."""
    drawn = float((shares * deviations) @ (shares * deviations)) / float(shares @ shares)
    is_weighted = len(np.unique(shares[shares > 0])) > 1
    return max(float(deviations @ deviations) / len(deviations), drawn if is_weighted else 0.0)


def unlikeliness(
    gap: float | Floats, variance: float | Floats, reach: float | Floats, shares: Floats
) -> NDArray[np.float64]:
    """Return a bound of the probability that a sample's mean is as far from that of all rows, to either side.

    Hoeffding (1963, "Probability inequalities for sums of bounded random variables", theorem 3 and section 6): the sum
    of independent values, or of values drawn without replacement, with variance σ² and no more than b above their mean,
    exceeds its mean by nt with a probability of at most exp(−n KL(p + t b/(b² + σ²) ‖ p)), p = σ²/(b² + σ²). For 0 and
    1 it is Chernoff's bound. Clusters with shares w of the mean count as Σw²/max w² values, with t = gap · max w/Σw².

    Args:
        gap: How far the means are apart, from 0.
        variance: Of the values of all rows.
        reach: How far a value may be beyond their mean, on the side of the gap.
        shares: The share of each cluster in the sample's mean.
    """
    gap, variance, reach = np.asarray(gap), np.asarray(variance), np.maximum(np.asarray(reach), _ROUNDING)
    squares, most = float(shares @ shares), float(shares.max())
    count, step = squares / most**2, gap * most / squares
    chance = np.clip(variance / (reach**2 + variance), 1e-15, 1 - 1e-15)
    found = np.minimum(chance + step * reach / (reach**2 + variance), 1.0)
    rest = np.maximum(1 - found, 1e-300)
    exponent = found * np.log(found / chance) + rest * np.log(rest / (1 - chance))
    likely: NDArray[np.float64] = np.where(gap > _ROUNDING, np.exp(np.minimum(0.0, log(2) - count * exponent)), 1.0)
    return likely
