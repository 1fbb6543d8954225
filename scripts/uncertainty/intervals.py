"""Confidence intervals of means."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from .arrays import Floats, Ints
from .student import quantile

_ROUNDING = 1e-20  # a smaller variance is 0
_CORRELATION = 0.1  # assumed between rows of one cluster, for the degrees of freedom of a variance


@dataclass(frozen=True)
class Interval:
    """A figure and the ends of its interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low


@dataclass(frozen=True)
class BootstrapEstimate:
    """A figure with the ends of its confidence interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def format_interval(found: Interval | BootstrapEstimate, sign: str = "") -> str:
    """Return `0.812 [0.770, 0.854]`, or with the sign "+" `+0.021 [−0.004, +0.046]`; "–" if undefined."""
    if found.value is None:
        return "–"
    form = f"{sign}.3f"
    ends = "" if found.low is None else f" [{found.low:{form}}, {found.high:{form}}]"
    return f"{found.value:{form}}{ends}".replace("-", "−")


def wilson(share: float, count: float, confidence: float = 0.95, degrees: float = inf) -> Interval:
    """Return a share with Wilson's score interval (1927), which is inside 0 and 1 and wider than 0.

    With z the quantile of Student's t distribution (by default the normal distribution) and n the count:
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


def jackknife(errors: Floats, shares: Floats) -> Floats:
    """Return each cluster's contribution to the error of a mean; the sum of their squares is the variance.

    A large cluster pulls the mean towards itself, which hides its error. Without it the mean would change by e/(1 − h),
    where h is its share (MacKinnon and White 1985). With n clusters of equal size, variances grow by n/(n − 1).
    """
    return errors * sqrt(max(0.0, 1 - float(shares @ shares))) / np.maximum(1 - shares, _ROUNDING)


def degrees_of_freedom(shares: Floats, rows: Floats) -> float:
    """Return the degrees of freedom of a variance over clusters: n − 1 for n of equal size, fewer if some are large.

    Satterthwaite (1946): (Σv)²/Σv² − 1, where a cluster of m rows with a share h of the mean has the variance
    v = h² (ρ + (1 − ρ)/m), with ρ = .1.
    """
    each = shares**2 * (_CORRELATION + (1 - _CORRELATION) / np.maximum(rows, 1))
    return max(1.0, float(each.sum() ** 2 / (each @ each)) - 1)


def mean(values: Floats, clusters: Ints, confidence: float = 0.95, limits: Sequence[float] | None = None) -> Interval:
    """Return the mean of rows with its interval; rows of one cluster are not independent.

    The variance is the sum of squares of `jackknife`. The interval is Student's, cut to 0 and 1 if all values are from
    0 to 1. For verdicts (0 and 1) it is Wilson's, for the number of independent rows that would have this variance, at
    most the number of rows. If the variance is 0 and all values are from 0 to 1, it is Wilson's for the number of
    clusters. `limits` are the ends for a single cluster of other values, which says nothing about others.
    """
    value = float(values.mean())
    rows = np.bincount(clusters).astype(np.float64)
    shares = rows / len(values)
    errors = jackknife(np.bincount(clusters, values - value) / len(values), shares)
    variance = float(errors @ errors)
    degrees = degrees_of_freedom(shares[rows > 0], rows[rows > 0])
    is_share = values.min() >= 0 and values.max() <= 1
    if variance <= _ROUNDING and is_share:
        return wilson(value, float(np.count_nonzero(rows)), confidence)
    if limits and not is_share and np.count_nonzero(rows) == 1:
        return Interval(value, *limits)
    if np.isin(values, (0, 1)).all():
        count = value * (1 - value) / (variance * (1 - float(shares @ shares)))
        return wilson(value, min(len(values), count), confidence, inf if rows.max() == 1 else degrees)
    found = student(value, variance, degrees, confidence)
    return Interval(value, max(0.0, found.low), min(1.0, found.high)) if is_share else found
