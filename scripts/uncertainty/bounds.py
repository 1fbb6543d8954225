"""Bounds of a mean difference over clusters, which do not rely on symmetry and are no point where nothing changed.

Each bound is the more cautious one of several:

- by random halves (Hartigan 1969, "Using subsample values as typical values"), which is the test by sign flips turned
  around: exact where differences are symmetric about their mean;
- by Hall's transformation of the t statistic (Hall 1992, "On the removal of skewness by transformation"), for scores
  and for clusters, whose differences may be skewed: it is as accurate as a studentized bootstrap, without its chance;
- by Tango's score interval (Tango 1998), for verdicts: it also holds what a few rows that did not change cannot show.
"""

from math import cbrt, floor, sqrt
from statistics import NormalDist

import numpy as np

from .arrays import Codes, Floats
from .intervals import Interval
from .student import quantile, tail

MANY = 10_000
"""With more clusters that changed, halves are replaced by the normal distribution that they come to."""

EXACT = 12
"""Of so many clusters all 4,096 halves, or changes of sides, are tried."""

_FEW = 50
_SKEWED = 0.25  # skewness over √clusters, which few samples of a symmetric distribution reach
_CHUNK = 64
_ROUNDING = 1e-9


def clustered(differences: Floats, clusters: Codes) -> tuple[Floats, Floats, float]:
    """Return of each cluster the sum and the number of its rows, and the standard deviation of their mean."""
    sums, sizes = (np.bincount(clusters, values).astype(np.float64) for values in (differences, np.ones(len(clusters))))
    errors = _errors(sums, sizes)
    return sums, sizes, float(np.sqrt(errors @ errors))


def bounds(
    differences: Floats, clusters: Codes, level: float, resamples: int, seed: int, *, of_verdicts: bool
) -> Interval:
    """Return the mean difference of rows with two bounds.

    Args:
        differences: Of each row, shape (rows,).
        clusters: The number of the cluster of each row.
        level: Confidence of each bound by itself.
        resamples: How many halves to draw.
        seed: The same seed draws the same.
        of_verdicts: Whether the differences are of verdicts, 0 and 1.
    """
    sums, sizes, deviation = clustered(differences, clusters)
    value = float(sums.sum() / sizes.sum())
    ends = [(value, value), by_halves(sums, sizes, level, resamples, seed)]
    if len(sums) < len(differences) or not of_verdicts:
        ends.append(by_skewness(sums, sizes, level))
    if of_verdicts:
        wins, losses = float((differences > 0).mean()), float((differences < 0).mean())
        rows = independent_rows(differences, len(sums), deviation)
        ends.append(tango(wins * rows, losses * rows, rows, level))
    lows, highs = zip(*ends, strict=True)
    return Interval(value, float(min(lows)), float(max(highs)))


def doubts(clusters: int, skew: float, *, are_rows: bool) -> list[str]:
    """Return, a sentence each, why error rates of clusters or scores may be above their nominal rates."""
    unit = "rows" if are_rows else "clusters"
    found = []
    if clusters < _FEW:
        found.append(
            f"fewer than {_FEW} {unit}: a rare large change that none of them shows cannot be ruled out, so errors "
            "can be more frequent than stated"
        )
    if abs(skew) > _SKEWED * sqrt(clusters):
        found.append(
            f"the differences are skewed (skewness {skew:.1f} over {clusters:,} {unit}): errors can be more frequent "
            f"than stated; more {unit} help"
        )
    return found


def independent_rows(differences: Floats, clusters: int, deviation: float) -> float:
    """Return how many independent verdicts would give the mean difference this deviation.

    They are at most as many as there are rows; where the deviation is 0, as many as there are clusters.
    """
    mean, turned = float(differences.mean()), float(np.abs(differences).mean())
    if deviation <= _ROUNDING:
        return float(clusters)
    return min(float(len(differences)), (turned - mean**2) / deviation**2)


def by_halves(sums: Floats, sizes: Floats, level: float, resamples: int, seed: int) -> tuple[float, float]:
    """Return the bounds m_k and m_(R+1−k) among the mean differences m₁ ≤ … ≤ m_R of R halves.

    k is ⌊(1 − level)(R + 1)⌋, and at least 1.
    """
    if np.count_nonzero(sums) > MANY:
        errors = _errors(sums, sizes)
        value, margin = float(sums.sum() / sizes.sum()), NormalDist().inv_cdf(level) * sqrt(errors @ errors)
        return value - margin, value + margin
    found = np.sort(halves(sums, sizes, resamples, seed))
    place = max(1, floor((1 - level) * (len(found) + 1) + _ROUNDING))
    return float(found[place - 1]), float(found[-place])


def halves(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """Return the mean difference of halves of the clusters, which a coin takes or leaves; one without rows is left out.

    Of up to 12 clusters all halves are taken. Of others that did not change only the number of rows matters, which
    follows the binomial distribution for each size of a cluster.

    Args:
        sums: Sum of the differences of each cluster, shape (clusters,).
        sizes: Its number of rows.
        resamples: How many halves to draw.
        seed: The same seed draws the same.
    """
    if len(sums) <= EXACT:
        every = (np.arange(1, 2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1
        return (every @ sums) / (every @ sizes)
    changed = sums != 0
    alike, counts = np.unique(sizes[~changed], return_counts=True)
    generator, found = np.random.default_rng(seed), []
    for start in range(0, resamples, _CHUNK):
        count = min(_CHUNK, resamples - start)
        taken = generator.integers(2, size=(count, int(changed.sum())), dtype=bool).astype(np.float64)
        rows = taken @ sizes[changed] + generator.binomial(counts, 0.5, (count, len(counts))) @ alike
        found.append((taken @ sums[changed])[rows > 0] / rows[rows > 0])
    return np.concatenate(found)


def skewness(sums: Floats, sizes: Floats) -> float:
    """Return the skewness of what clusters add to the error of the mean, without bias for few; 0 where it has none."""
    errors, count = _errors(sums, sizes), len(sums)
    deviation = sqrt(float((errors**2).mean()))
    if count < 3 or deviation <= _ROUNDING * np.abs(sums).mean() / sizes.sum():  # noqa: PLR2004 - two are symmetric
        return 0.0
    return float(((errors / deviation) ** 3).mean()) * sqrt(count * (count - 1)) / (count - 2)


def by_skewness(sums: Floats, sizes: Floats, level: float) -> tuple[float, float]:
    """Return bounds by Hall's transformation.

    With T = (mean − truth)/s, n clusters and skewness γ, T + γT²/3√n + γ²T³/27n + γ/6√n is nearly Student's t, also
    where T is skewed. Its inverse at a quantile x is (3√n/γ) ((1 + γx/√n − γ²/6n)^⅓ − 1).
    """
    value, deviation, count, skew = _moments(sums, sizes)

    def inverse(x: float) -> float:
        scaled = skew / sqrt(count)
        return x if abs(scaled) < _ROUNDING else (cbrt(1 + scaled * x - scaled**2 / 6) - 1) * 3 / scaled

    reach = quantile(level, count - 1)
    return value - deviation * inverse(reach), value - deviation * inverse(-reach)


def skewed_p_value(sums: Floats, sizes: Floats) -> float:
    """Return the two-sided p-value of no difference, by the transformation of `by_skewness`."""
    value, deviation, count, skew = _moments(sums, sizes)
    if not deviation:
        return 0.0 if value else 1.0
    t, scaled = value / deviation, skew / sqrt(count)
    return min(1.0, 2 * tail(abs(t + scaled * t**2 / 3 + scaled**2 * t**3 / 27 + scaled / 6), count - 1))


def _moments(sums: Floats, sizes: Floats) -> tuple[float, float, int, float]:
    errors, count = _errors(sums, sizes), len(sums)
    deviation = sqrt(float(errors @ errors) * count / (count - 1))
    deviation = deviation if deviation > _ROUNDING * float(np.abs(sums).sum() / sizes.sum()) else 0.0
    return float(sums.sum() / sizes.sum()), deviation, count, skewness(sums, sizes)


def tango(wins: float, losses: float, rows: float, level: float) -> tuple[float, float]:
    """Return Tango's score bounds (1998) of the difference of paired shares, (wins − losses)/rows.

    They are the differences Δ at which (b − c − nΔ)/√(n (2q + Δ(1 − Δ))) is z and −z, with b wins and c losses of n
    rows, z the normal quantile, and q the most likely share of losses if Δ is true. Counts may be fractions.
    """
    reach, value = NormalDist().inv_cdf(level), (wins - losses) / rows

    def beyond(delta: float) -> bool:
        return abs(wins - losses - rows * delta) > reach * sqrt(rows * _tango_variance(wins, losses, rows, delta))

    ends = []
    for end in (-1.0, 1.0):
        inside, outside = value, end
        for _ in range(50):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if beyond(middle) else (middle, outside)
        ends.append(inside)
    return ends[0], ends[1]


def _tango_variance(wins: float, losses: float, rows: float, delta: float) -> float:
    linear = (2 * rows - wins + losses) * delta - wins - losses
    constant = -losses * delta * (1 - delta)
    share = (sqrt(max(0.0, linear**2 - 8 * rows * constant)) - linear) / (4 * rows)
    return max(0.0, 2 * share + delta * (1 - delta))


def _errors(sums: Floats, sizes: Floats) -> Floats:
    """Return what each cluster adds to the error of the mean."""
    errors: Floats = (sums - sums.sum() / sizes.sum() * sizes) / sizes.sum()
    return errors
