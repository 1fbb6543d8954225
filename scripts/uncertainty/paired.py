"""Whether one system is better than another on the same rows: interval, tests, and what the rows can show at all.

Of each row the difference d of two systems' scores or verdicts. Rows of one cluster (the answers to one question) are
drawn, and change sides, together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Codes, Floats, codes, numbers
from .bounds import EXACT, MANY, bounds, clustered, independent_rows, skewed_p_value, skewness
from .intervals import Interval

POWER = 0.8
"""Probability with which the smallest detectable difference is found significant."""

FEWEST = 100
"""Fewer resamples are refused."""

_FEW_CHANGED = 10
_CHUNK = 64


@dataclass(frozen=True)
class Change:
    """By how much a system's mean differs from the baseline's.

    Attributes:
        difference: System less baseline, with its interval: each end is a bound of `bounds.bounds`.
        p_value: Of no difference, two-sided: of verdicts of single rows by McNemar's exact test; else the larger one of
            the p-values by sign flips of clusters and by Hall's transformation, which allows for skewness.
        adjusted: The p-value after Holm's correction for the number of systems.
        detectable: The smallest difference that rows like these would show as significant in four of five trials
            (`detectable`); None where too few rows, or too few that changed, tell.
        skewness: That of what clusters add to the error of the mean.
    """

    difference: Interval
    p_value: float
    adjusted: float
    detectable: float | None
    skewness: float = 0.0


@dataclass(frozen=True)
class Paired:
    """A system beside the baseline.

    Attributes:
        system: Its name.
        baseline: The other's.
        rows: Number of rows.
        clusters: Number of clusters.
        scores: The change of the mean score.
        verdicts: The change of the share of right answers; None without verdicts.
        wins: How many answers became right.
        losses: How many became wrong.
    """

    system: str
    baseline: str
    rows: int
    clusters: int
    scores: Change
    verdicts: Change | None
    wins: int
    losses: int


def compare(
    scores: Mapping[str, ArrayLike],
    *,
    verdicts: Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 5000,
    seed: int = 0,
) -> list[Paired]:
    """Compare systems' scores of the same rows with those of the first, row by row.

    With more than 10,000 clusters that changed, resampling is replaced by the normal distribution that it comes to.

    Args:
        scores: System → score of each row, all in the same order, shape (rows,). The first is the baseline.
        verdicts: System → whether each answer is right, as True and False or 1 and 0, shape (rows,).
        clusters: Rows of one cluster, such as the answers to one question, are not independent, shape (rows,).
        confidence: Share of samples whose interval shall hold the true difference.
        resamples: Random halves for the interval, and sign flips for the test.
        seed: The same seed draws the same.

    Returns:
        Each other system beside the first.

    Raises:
        ValueError: there is one system, lengths differ, a value is not finite, a verdict is neither 1 nor 0, there are
            fewer than two clusters, or fewer than 100 resamples.
    """
    names = list(scores)
    if len(names) < 2:  # noqa: PLR2004
        raise ValueError("one system has nothing to be compared with; give two or more")
    if resamples < FEWEST:
        raise ValueError(f"{resamples} resamples; expected at least {FEWEST}")
    values = _checked(scores, names, "scores")
    found = None if verdicts is None else _checked(verdicts, names, "verdicts")
    rows = len(values[names[0]])
    _, places = codes("clusters", np.arange(rows) if clusters is None else clusters, rows)
    if rows == 0 or places.max() < 1:
        raise ValueError(f"{rows} rows of one cluster; a comparison needs at least two")
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1, got {confidence}")
    drawn = _Drawn(resamples, seed, confidence)
    pairs = [_pair(values, found, names[0], name, places, drawn) for name in names[1:]]
    return _corrected(pairs)


@dataclass(frozen=True)
class _Drawn:
    resamples: int
    seed: int
    confidence: float


def _checked(given: Mapping[str, ArrayLike], names: Sequence[str], kind: str) -> dict[str, Floats]:
    if missing := [name for name in names if name not in given]:
        raise ValueError(f"there are no {kind} of {missing[0]!r}")
    found: dict[str, Floats] = {}
    for name in names:
        found[name] = numbers(f"{kind} of {name}", given[name], len(found[names[0]]) if found else None)
        wrong = ~np.isfinite(found[name]) if kind == "scores" else ~np.isin(found[name], (0, 1))
        if wrong.any():
            row = int(wrong.argmax())
            expected = "a number" if kind == "scores" else "1 or 0"
            raise ValueError(f"{kind} of {name}: row {row} is {found[name][row]:g}; expected {expected}")
    return found


def _pair(
    scores: Mapping[str, Floats],
    verdicts: Mapping[str, Floats] | None,
    baseline: str,
    system: str,
    clusters: Codes,
    drawn: _Drawn,
) -> Paired:
    change, wins, losses = None, 0, 0
    if verdicts is not None:
        turned = verdicts[system] - verdicts[baseline]
        wins, losses = int((turned > 0).sum()), int((turned < 0).sum())
        alone = int(clusters.max()) + 1 == len(clusters)
        change = _change(turned, clusters, drawn, mcnemar(wins, losses) if alone else None, of_verdicts=True)
    differences = scores[system] - scores[baseline]
    whole = bool(np.isin([scores[system], scores[baseline]], (0, 1)).all())
    return Paired(
        system=system,
        baseline=baseline,
        rows=len(clusters),
        clusters=int(clusters.max()) + 1,
        scores=_change(differences, clusters, drawn, of_verdicts=whole),
        verdicts=change,
        wins=wins,
        losses=losses,
    )


def _change(
    differences: Floats, clusters: Codes, drawn: _Drawn, p_value: float | None = None, *, of_verdicts: bool
) -> Change:
    """Return the change of the mean, which is the sum over clusters by the number of their rows.

    Its p-value is by sign flips and by Hall's transformation unless it is given.
    """
    sums, sizes, deviation = clustered(differences, clusters)
    level = (1 + drawn.confidence) / 2
    found = bounds(differences, clusters, level, drawn.resamples, drawn.seed, of_verdicts=of_verdicts)
    if p_value is None:
        p_value = sign_flips(sums, drawn.resamples, drawn.seed)
        if not of_verdicts or len(sums) < len(differences):
            p_value = max(p_value, skewed_p_value(sums, sizes))
    reach = NormalDist().inv_cdf(level) + NormalDist().inv_cdf(POWER)
    smallest = detectable(differences, sums, deviation, reach, of_verdicts=of_verdicts)
    return Change(found, p_value, p_value, smallest, skewness(sums, sizes))


def detectable(
    differences: Floats, sums: Floats, deviation: float, reach: float, *, of_verdicts: bool, allowed: float = 0.0
) -> float | None:
    """Return the true difference δ that a test finds with a probability of 80%.

    Of scores δ shifts each row: δ = allowed + reach · s, with s the deviation of the mean. Of verdicts more of
    them must turn one way, which varies by itself: (δ − allowed)² = reach² · (ψ + δ − δ²) / n, where ψ is the share of
    rows that turned and were made up for by others, and n the number of independent rows that would have the deviation
    s, at most as many as there are; if s is 0, as many as there are clusters. To this 1/n is added, as the exact test
    is of whole rows (Edwards 1948, "Note on the correction for continuity").

    Args:
        differences: Of each row, shape (rows,).
        sums: Of each cluster, shape (clusters,).
        deviation: That of the mean.
        reach: The normal quantiles of the test's level and of its power, together.
        of_verdicts: Whether they are of verdicts, 0 and 1.
        allowed: The difference that is none.

    Returns:
        The difference; None of scores where fewer than ten clusters changed and others did not, as these too may
        change; of verdicts where even a difference of 1 would not show.
    """
    if not of_verdicts:
        enough = np.count_nonzero(sums) >= min(_FEW_CHANGED, len(sums))
        return allowed + reach * deviation if enough else None
    mean, turned = abs(float(differences.mean())), float(np.abs(differences).mean())
    rows = independent_rows(differences, len(sums), deviation)
    k, made_up = reach**2 / rows, turned - mean
    half = allowed + k / 2
    found = (half + sqrt(max(0.0, half**2 - (1 + k) * (allowed**2 - k * made_up)))) / (1 + k) + 1 / rows
    return found if found <= 1 else None


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided p-value of McNemar's exact test: of answers whose verdict changed, as many became right as wrong.

    With n changes, f of them of the rarer kind: 2 Σ_{k ≤ f} C(n, k) / 2ⁿ, at most 1. The terms are summed from the
    largest on, C(n, k − 1) = C(n, k) · k / (n − k + 1), which keeps nine digits of a million changes.
    """
    changes, fewer = wins + losses, min(wins, losses)
    below = np.arange(fewer, 0, -1)
    terms = np.cumprod(below / (changes - below + 1))
    largest = lgamma(changes + 1) - lgamma(fewer + 1) - lgamma(changes - fewer + 1) - changes * log(2)
    return min(1.0, 2 * exp(largest) * float(1 + terms.sum()))


def sign_flips(sums: Floats, resamples: int, seed: int) -> float:
    """Two-sided p-value of no difference: how often |Σ ±s| reaches |Σ s|, when each cluster may change sides.

    Clusters with a sum of 0 do not matter. Of up to 12 others all changes are tried; of more a random sample, the
    observation counted as one of them: p = (reached + 1) / (resamples + 1).
    """
    sums = sums[sums != 0]
    observed = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()  # equal sums count, also where rounding parts them
    if not sums.any():
        return 1.0
    if len(sums) > MANY:
        return 2 * NormalDist().cdf(-abs(float(sums.sum())) / float(np.sqrt(sums @ sums)))
    if len(sums) <= EXACT:
        every = (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1
        return float((np.abs(sums.sum() - 2 * (every @ sums)) >= observed).mean())
    generator, reached = np.random.default_rng(seed), 0
    for start in range(0, resamples, _CHUNK):
        sides = generator.integers(2, size=(min(_CHUNK, resamples - start), len(sums)), dtype=bool)
        reached += int((np.abs(sums.sum() - 2 * (sides.astype(np.float64) @ sums)) >= observed).sum())
    return (reached + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's correction (1979): the k-th smallest of m times m − k + 1, never below one before.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


def _corrected(pairs: Sequence[Paired]) -> list[Paired]:
    of_scores = holm([pair.scores.p_value for pair in pairs])
    of_verdicts = holm([pair.verdicts.p_value for pair in pairs if pair.verdicts])
    return [
        replace(
            pair,
            scores=replace(pair.scores, adjusted=of_scores[place]),
            verdicts=pair.verdicts and replace(pair.verdicts, adjusted=of_verdicts[place]),
        )
        for place, pair in enumerate(pairs)
    ]
