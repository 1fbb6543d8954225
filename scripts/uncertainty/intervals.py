"""Intervals of means; of shares of few rows one that is no point and stays in the range, as the normal would not."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from .arrays import Codes, Floats
from .student import quantile

_ROUNDING = 1e-20
"""A variance that is 0 but for rounding."""

_ALIKE = 0.1
"""The correlation of rows of one cluster that is assumed where it is asked how well a variance is known."""


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


def wilson(share: float, count: float, confidence: float = 0.95, degrees: float = inf) -> Interval:
    """Return a share with Wilson's score interval (1927), which is within 0 and 1 and no point.

    With z the quantile of Student's t distribution, by default the normal one, and n the count:
    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
    """
    reach = quantile((1 + confidence) / 2, degrees)
    extra = reach**2 / count
    centre = (share + extra / 2) / (1 + extra)
    margin = reach * sqrt(share * (1 - share) / count + extra / (4 * count)) / (1 + extra)
    return Interval(share, max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin)))


def student(value: float, variance: float, degrees: float, confidence: float = 0.95) -> Interval:
    """Return a figure with Student's t interval."""
    margin = quantile((1 + confidence) / 2, degrees) * sqrt(variance)
    return Interval(value, value - margin, value + margin)


def jackknifed(errors: Floats, shares: Floats) -> Floats:
    """Return what each cluster adds to the error of a mean, so that the sum of squares is its variance.

    A large cluster pulls the mean towards itself, which hides its error: what the mean would change without it is
    e/(1 − h), h being its share (MacKinnon and White 1985). For n clusters of one size variances are n/(n − 1) larger.
    """
    found: Floats = errors * sqrt(max(0.0, 1 - float(shares @ shares))) / np.maximum(1 - shares, _ROUNDING)
    return found


def degrees_of_freedom(shares: Floats, rows: Floats) -> float:
    """Return how well the variance over clusters is known: n − 1 for n of one size, and less where some are large.

    Satterthwaite's (1946) (Σv)²/Σv² − 1, where a cluster of m rows and share h of the mean has the variance
    v = h² (ρ + (1 − ρ)/m), with ρ = .1.
    """
    each = shares**2 * (_ALIKE + (1 - _ALIKE) / np.maximum(rows, 1))
    return max(1.0, float(each.sum() ** 2 / (each @ each)) - 1)


def mean(values: Floats, clusters: Codes, confidence: float = 0.95) -> Interval:
    """Return the mean of rows, of which those of one cluster are not independent.

    Its variance is that of what clusters add to the error, `jackknifed`. The interval is Student's, within 0 and 1 if
    all values are. Of verdicts (0 and 1) it is Wilson's, with as many rows as would have that variance if they were
    independent, and not more than there are. If the variance is 0, and all values are from 0 to 1, it is Wilson's with
    as many rows as there are clusters.
    """
    value = float(values.mean())
    rows = np.bincount(clusters).astype(np.float64)
    shares = rows / len(values)
    errors = jackknifed(np.bincount(clusters, values - value) / len(values), shares)
    variance = float(errors @ errors)
    degrees = degrees_of_freedom(shares[rows > 0], rows[rows > 0])
    is_share = values.min() >= 0 and values.max() <= 1
    if variance <= _ROUNDING and is_share:
        return wilson(value, float(np.count_nonzero(rows)), confidence)
    if np.isin(values, (0, 1)).all():
        count = value * (1 - value) / (variance * (1 - float(shares @ shares)))
        return wilson(value, min(len(values), count), confidence, inf if rows.max() == 1 else degrees)
    found = student(value, variance, degrees, confidence)
    return Interval(value, max(0.0, found.low), min(1.0, found.high)) if is_share else found
