"""Confidence bounds of a mean difference over clusters.

Each bound is the widest of several bounds:

- half-sampling (Hartigan 1969, "Using subsample values as typical values"), which inverts the sign-flip test: exact if
  differences are symmetric about their mean;
- Hall's transformation of the t statistic (Hall 1992, "On the removal of skewness by transformation"), for scores and
  clusters, whose differences may be skewed;
- Tango's score interval (Tango 1998), for verdicts: it is wider than 0 even if no verdict changed;
- if few scores changed, the bound of Clopper and Pearson (1934) on the share of changed clusters.
"""

from collections.abc import Iterator
from math import cbrt, comb, floor, inf, sqrt
from statistics import NormalDist

import numpy as np

from .arrays import Floats, Ints
from .intervals import Interval
from .student import quantile, tail

MANY = 10_000
"""With more changed clusters, the normal distribution replaces half-sampling and sign flips."""

EXACT = 12
"""With at most this many clusters, all 4,096 halves or sign flips are computed."""

FEW_CHANGED = 10
"""With fewer changed clusters, nothing is known about the size of other changes."""

_FEW = 50
_SKEWED = 0.25  # of skewness / √clusters; few samples of a symmetric distribution reach it
_CHUNK = 64
_ROUNDING = 1e-9


def sum_by_cluster(differences: Floats, clusters: Ints) -> tuple[Floats, Floats, float]:
    """Return each cluster's sum and number of rows, and the standard deviation of the mean."""
    sums, sizes = (np.bincount(clusters, values).astype(np.float64) for values in (differences, np.ones(len(clusters))))
    errors = _errors(sums, sizes)
    return sums, sizes, float(np.sqrt(errors @ errors))


def bounds(
    differences: Floats,
    clusters: Ints,
    level: float,
    resamples: int,
    seed: int,
    *,
    of_verdicts: bool,
    span: float = 1.0,
) -> Interval:
    """Return the mean difference of rows with two bounds, each at this one-sided confidence level.

    Both arrays have the shape (rows,); `clusters` has the number of each row's cluster, and `resamples` is the number
    of random half-samples. Verdicts are 0 and 1; `span` is the largest possible difference of scores.
    """
    sums, sizes, deviation = sum_by_cluster(differences, clusters)
    value = float(sums.sum() / sizes.sum())
    ends = [(value, value), halves_bounds(sums, sizes, level, resamples, seed)]
    if len(sums) < len(differences) or not of_verdicts:
        ends.append(hall_bounds(sums, sizes, level))
    if of_verdicts:
        wins, losses = float((differences > 0).mean()), float((differences < 0).mean())
        rows = effective_rows(differences, len(sums), deviation)
        ends.append(tango(wins * rows, losses * rows, rows, level))
    else:
        ends.append(rare_change_bounds(sums, sizes, level, span))
    lows, highs = zip(*ends, strict=True)
    # Few clusters have wide bounds, but verdicts, and scores from 0 to 1, differ by at most 1.
    most = 1.0 if of_verdicts or span == 1 else inf
    return Interval(value, max(-most, float(min(lows))), min(most, float(max(highs))))


def span_of(*scores: Floats) -> float:
    """Return the largest possible difference of scores: 1 if all are from 0 to 1, otherwise the largest one here."""
    low, high = min(one.min() for one in scores), max(one.max() for one in scores)
    return 1.0 if low >= 0 and high <= 1 else float(high - low)


def doubts(clusters: int, skew: float, *, are_rows: bool) -> Iterator[str]:
    """Yield reasons why error rates of clusters or scores may be above their nominal rates."""
    unit = "rows" if are_rows else "clusters"
    if clusters < _FEW:
        yield (
            f"With fewer than {_FEW} {unit}, a rare large change may be missing, so errors can be more frequent than "
            "stated."
        )
    if abs(skew) > _SKEWED * sqrt(clusters):
        yield (
            f"The differences are skewed (skewness {skew:.1f} over {clusters:,} {unit}), so errors can be more "
            f"frequent than stated. More {unit} help."
        )


def effective_rows(differences: Floats, clusters: int, deviation: float) -> float:
    """Return the effective sample size: how many independent verdicts, at most the rows, have this deviation.

    If the deviation is 0, it is the number of clusters.
    """
    mean, turned = float(differences.mean()), float(np.abs(differences).mean())
    if deviation <= _ROUNDING:
        return float(clusters)
    return min(float(len(differences)), (turned - mean**2) / deviation**2)


def halves_bounds(sums: Floats, sizes: Floats, level: float, resamples: int, seed: int) -> tuple[float, float]:
    """Return the bounds m_k and m_(R+1−k) of the mean differences m₁ ≤ … ≤ m_R of R halves.

    k is ⌊(1 − level)(R + 1)⌋, and at least 1.
    """
    if np.count_nonzero(sums) > MANY:
        errors = _errors(sums, sizes)
        value, margin = float(sums.sum() / sizes.sum()), NormalDist().inv_cdf(level) * sqrt(errors @ errors)
        return value - margin, value + margin
    found = np.sort(half_means(sums, sizes, resamples, seed))
    place = max(1, floor((1 - level) * (len(found) + 1) + _ROUNDING))
    return float(found[place - 1]), float(found[-place])


def half_means(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """Return the mean differences of halves, which include each cluster with a probability of ½; no half is empty.

    Sums of differences and numbers of rows have the shape (clusters,). With at most 12 clusters all halves are
    computed. Only the number of rows of unchanged clusters matters, so it is drawn from a binomial distribution for
    each cluster size.
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
    """Return the unbiased skewness of the clusters' contributions to the error of the mean; 0 if it is undefined."""
    errors, count = _errors(sums, sizes), len(sums)
    deviation = sqrt(float((errors**2).mean()))
    if count < 3 or deviation <= _ROUNDING * np.abs(sums).mean() / sizes.sum():  # noqa: PLR2004 - two are symmetric
        return 0.0
    return float(((errors / deviation) ** 3).mean()) * sqrt(count * (count - 1)) / (count - 2)


def hall_bounds(sums: Floats, sizes: Floats, level: float) -> tuple[float, float]:
    """Return bounds by Hall's transformation.

    With T = (mean − truth)/s, n clusters and skewness γ, T + γT²/3√n + γ²T³/27n + γ/6√n nearly follows Student's t even
    if T is skewed. Its inverse at a quantile x is (3√n/γ) ((1 + γx/√n − γ²/6n)^⅓ − 1).
    """
    value, deviation, count, skew = _moments(sums, sizes)

    def inverse(x: float) -> float:
        scaled = skew / sqrt(count)
        return x if abs(scaled) < _ROUNDING else (cbrt(1 + scaled * x - scaled**2 / 6) - 1) * 3 / scaled

    reach = quantile(level, count - 1)
    return value - deviation * inverse(reach), value - deviation * inverse(-reach)


def skewed_p_value(sums: Floats, sizes: Floats) -> float:
    """Return the two-sided p-value of no difference, with the transformation of `hall_bounds`."""
    value, deviation, count, skew = _moments(sums, sizes)
    if not deviation:
        return 0.0 if value else 1.0
    t, scaled = value / deviation, skew / sqrt(count)
    return min(1.0, 2 * tail(abs(t + scaled * t**2 / 3 + scaled**2 * t**3 / 27 + scaled / 6), count - 1))


def rare_change_bounds(sums: Floats, sizes: Floats, level: float, span: float) -> tuple[float, float]:
    """Return bounds if most clusters have the same difference, and c < 10 of n have others; else the mean itself.

    At most the share u of all clusters has other differences, with P(Bin(n, u) ≤ c) = 1 − level, and those that were
    not seen change the mean by at most (u − c/n) · span.
    """
    value, count = float(sums.sum() / sizes.sum()), len(sums)
    others = count - int(np.unique(np.round(sums / sizes, 9), return_counts=True)[1].max())
    if others >= FEW_CHANGED or 2 * others > count:
        return value, value
    low, high = others / count, 1.0
    for _ in range(50):
        share = (low + high) / 2
        rarer = sum(comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(others + 1))
        low, high = (share, high) if rarer > 1 - level else (low, share)
    reach = (high - others / count) * span
    return value - reach, value + reach


def _moments(sums: Floats, sizes: Floats) -> tuple[float, float, int, float]:
    errors, count = _errors(sums, sizes), len(sums)
    deviation = sqrt(float(errors @ errors) * count / (count - 1))
    deviation = deviation if deviation > _ROUNDING * float(np.abs(sums).sum() / sizes.sum()) else 0.0
    return float(sums.sum() / sizes.sum()), deviation, count, skewness(sums, sizes)


def tango(wins: float, losses: float, rows: float, level: float) -> tuple[float, float]:
    """Return Tango's score bounds (1998) of the difference of paired shares, (wins − losses)/rows.

    They are the differences Δ at which (b − c − nΔ)/√(n (2q + Δ(1 − Δ))) is z and −z, with b wins and c losses in n
    rows, the normal quantile z, and the most likely share q of losses if Δ is true. Counts may be fractions.
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
    """Return each cluster's contribution to the error of the mean."""
    errors: Floats = (sums - sums.sum() / sizes.sum() * sizes) / sizes.sum()
    return errors
