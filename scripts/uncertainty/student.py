"""Student's t distribution, because scipy is not a dependency of the base install."""

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi, sqrt, tan
from statistics import NormalDist

_NORMAL = 1e6  # with more degrees of freedom it equals the normal distribution to six digits
_STEPS = 300
_TINY = 1e-300


def tail(t: float, degrees: float) -> float:
    """Return the probability of a value above t ≥ 0: I_x(ν/2, 1/2)/2 with x = ν/(ν + t²)."""
    if degrees > _NORMAL:
        return NormalDist().cdf(-t)
    return _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2


@lru_cache(maxsize=4096)
def quantile(probability: float, degrees: float = inf) -> float:
    """Return the quantile of a probability from 0.5 to 1, exclusive."""
    if degrees > _NORMAL:
        return NormalDist().inv_cdf(probability)
    low, high = 0.0, pi / 2  # of the angle θ with t = √ν tan θ
    for _ in range(60):
        middle = (low + high) / 2
        if tail(sqrt(degrees) * tan(middle), degrees) > 1 - probability:
            low = middle
        else:
            high = middle
    return sqrt(degrees) * tan(low)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularized incomplete beta function by its continued fraction (DLMF 8.17.22), evaluated by Lentz's method."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value, above, below = 1.0, 1.0, 0.0
    for step in range(_STEPS):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        below = 1 / ((1 + term * below) or _TINY)
        above = (1 + term / above) or _TINY
        value *= above * below
        if step and abs(above * below - 1) < 1e-14:  # noqa: PLR2004 - rounding
            break
    return front * (value - 1)
