"""Check that the labeled rows can be a random sample of all rows."""

from math import exp, log

import numpy as np

from ..uncertainty.arrays import Floats
from .checks import EstimateInputs

REFUSED = 1e-6
"""Labeled rows less likely than this are refused as a random sample."""

DOUBTED = 1e-3
"""Labeled rows less likely than this get a note."""

_ROUNDING = 1e-9


def require_sample(given: EstimateInputs) -> list[str]:
    """Compare the labeled rows with all rows, by their mean score and by the share of each group.

    Returns:
        Notes on differences that are unlikely in a random sample.

    Raises:
        ValueError: a difference hardly ever occurs in a random sample.
    """
    shares = given.shares
    of_clusters = given.by_cluster(shares)

    def likelihood(values: Floats) -> tuple[float, float]:
        """Return a bound of the probability of the gap between the means of labeled and of all rows, and the gap."""
        deviations = values - values.mean()
        gap = float(shares @ deviations)
        reach = float(deviations.max() if gap > 0 else -deviations.min())
        variance = float(deviations @ deviations) / len(deviations)
        if given.weights is not None:
            variance = max(variance, float((shares * deviations) @ (shares * deviations)) / float(shares @ shares))
        return _bound(abs(gap), variance, reach, of_clusters), gap

    likely, gap = likelihood(given.scores)
    side = "higher" if gap > 0 else "lower"
    difference = f"they score {abs(gap):.3f} {side} on average than all rows"
    notes = _judged(likely, difference, "Label rows that were drawn at random")
    if given.names:
        found = [likelihood((given.groups == code).astype(np.float64)) for code in range(len(given.names))]
        worst = int(np.argmin([likely for likely, _ in found]))
        size, (likely, gap) = float((given.groups == worst).mean()), found[worst]
        difference = f"{size + gap:.0%} of them, but {size:.0%} of all rows, are in the group {given.names[worst]!r}"
        notes += _judged(likely * len(found), difference, "Estimate each group by itself")
    return notes


def _judged(likely: float, difference: str, fix: str) -> list[str]:
    if likely < REFUSED:
        raise ValueError(
            f"the labeled rows are no random sample: {difference}, which happens in fewer than one random sample in "
            f"{1 / REFUSED:,.0f}. {fix}; if some rows were drawn with a higher probability, give the weights"
        )
    if likely < DOUBTED:
        return [f"the labeled rows may be no random sample: {difference}, which is rare by chance"]
    return []


def _bound(gap: float, variance: float, reach: float, shares: Floats) -> float:
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
