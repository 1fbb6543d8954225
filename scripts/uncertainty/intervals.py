"""Intervals of means; of shares of few rows one that is no point and stays in the range, as the normal would not."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from .arrays import Codes, Floats

_ROUNDING = 1e-20
"""A variance that is 0 but for rounding."""


@dataclass(frozen=True)
class Interval:
    """A figure with the ends of its interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low


def wilson(share: float, count: float, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's score interval (1927), which is within 0 and 1 and no point.

    With z the normal quantile and n the count: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
    """
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    extra = reach**2 / count
    centre = (share + extra / 2) / (1 + extra)
    margin = reach * sqrt(share * (1 - share) / count + extra / (4 * count)) / (1 + extra)
    return Interval(share, max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin)))


def mean(values: Floats, clusters: Codes, confidence: float = 0.95) -> Interval:
    """Return the mean of rows, of which those of one cluster are not independent.

    Its deviation is √Σ_c (Σ_i (x_i − x̄))² / n, over clusters c of rows i. The interval is the normal one, but of
    verdicts (0 and 1) Wilson's, with as many rows as would have that deviation if they were independent, and not more
    than there are. If it is 0, and all values are from 0 to 1, Wilson's with as many rows as there are clusters.
    """
    value = float(values.mean())
    errors = np.bincount(clusters, values - value) / len(values)
    variance = float(errors @ errors)
    if variance <= _ROUNDING and values.min() >= 0 and values.max() <= 1:
        return wilson(value, len(np.unique(clusters)), confidence)
    if np.isin(values, (0, 1)).all():
        return wilson(value, min(len(values), value * (1 - value) / variance), confidence)
    margin = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    return Interval(value, value - margin, value + margin)
