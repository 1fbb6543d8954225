"""Paired comparisons of systems on the same rows: intervals, tests and smallest detectable differences.

The difference of a row is the system's score or verdict minus the baseline's. Rows of one cluster, such as the answers
to one question, are drawn together and change signs together.
"""

from __future__ import annotations  # `help` shows ArrayLike by its name

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Ints, cluster_codes, number_array, require
from .bounds import EXACT, FEW_CHANGED, MANY, bounds, effective_rows, skewed_p_value, skewness, span_of, sum_by_cluster
from .intervals import Interval

POWER = 0.8
"""Probability that the smallest detectable difference is found significant."""

FEWEST = 100
"""Smallest number of resamples."""

_CHUNK = 64


@dataclass(frozen=True)
class Change:
    """The difference between a system's mean and the baseline's mean.

    Attributes:
        difference: System minus baseline; its ends are the bounds of `bounds.bounds`.
        p_value: Two-sided p-value of no difference: McNemar's exact test for verdicts of independent rows; otherwise
            the larger p-value of sign flips of clusters and of Hall's transformation, which allows for skewness.
        adjusted: The p-value after Holm's correction for the number of systems.
        detectable: The smallest difference that rows like these would show as significant in four of five trials
            (`detectable_difference`); None if too few rows, or too few changed rows, are known.
        skewness: Skewness of the clusters' contributions to the error of the mean.
    """

    difference: Interval
    p_value: float
    adjusted: float
    detectable: float | None
    skewness: float = 0.0


@dataclass(frozen=True)
class Paired:
    """A system compared with the baseline.

    Attributes:
        system: The system's name.
        baseline: The baseline's name.
        rows: Number of rows.
        clusters: Number of clusters.
        scores: The change of the mean score.
        verdicts: The change of the share judged correct; None without verdicts.
        wins: Number of answers that became correct.
        losses: Number of answers that became wrong.
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
    *_others: object,
    verdicts: Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 5000,
    seed: int = 0,
) -> list[Paired]:
    """Compare the scores of systems with the first system's scores of the same rows.

    Args:
        scores: System → score of each row, in the same order for all systems, shape (rows,). The first system is the
            baseline.
        verdicts: System → verdict of each row, as True and False or 1 and 0, shape (rows,).
        clusters: Cluster of each row, such as its question, shape (rows,). Rows of one cluster are not independent.
        confidence: Confidence level of the intervals.
        resamples: Number of half-samples and of sign flips; with more than 10,000 changed clusters, the normal
            distribution is used.
        seed: Random seed.

    Returns:
        One comparison for each system except the first.

    Raises:
        TypeError: the scores are not one mapping.
        ValueError: there is only one system, lengths differ, a value is not finite, a verdict is neither 1 nor 0, or
            there are fewer than two clusters or fewer than 100 resamples.
    """
    example = "{'old': [0, 1], 'new': [1, 1]}"
    if _others:
        raise TypeError(f"compare accepts one mapping of systems to scores; write compare({example})")
    if not isinstance(scores, Mapping) or len(scores) < 2:  # noqa: PLR2004
        raise ValueError(f"scores is {scores!r:.80}; expected the scores of two or more systems, such as {example}")
    baseline, *systems = scores
    if resamples < FEWEST:
        raise ValueError(f"resamples is {resamples}; expected at least {FEWEST}")
    values = _check_columns(scores, scores, "scores")
    marks = None if verdicts is None else _check_columns(verdicts, scores, "verdicts")
    rows = len(values[baseline])
    places = cluster_codes(clusters, rows)
    if rows == 0 or places.max() < 1:
        raise ValueError("the rows have fewer than two clusters, and a comparison needs at least two. Give more rows.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; expected a number between 0 and 1")
    count, level, span = int(places.max()) + 1, (1 + confidence) / 2, span_of(*values.values())

    def change(differences: Floats, p_value: float | None, *, of_verdicts: bool) -> Change:
        sums, sizes, _ = sum_by_cluster(differences, places)
        if p_value is None:
            p_value = sign_flips(sums, resamples, seed)
            if not of_verdicts or count < rows:
                p_value = max(p_value, skewed_p_value(sums, sizes))
        return Change(
            difference=bounds(differences, places, level, resamples, seed, of_verdicts=of_verdicts, span=span),
            p_value=p_value,
            adjusted=p_value,
            detectable=detectable_difference(differences, places, level, of_verdicts=of_verdicts),
            skewness=skewness(sums, sizes),
        )

    pairs = []
    for system in systems:
        are_verdicts = bool(np.isin([values[system], values[baseline]], (0, 1)).all())
        of_scores = change(values[system] - values[baseline], None, of_verdicts=are_verdicts)
        of_verdicts, wins, losses = None, 0, 0
        if marks is not None:
            turned = marks[system] - marks[baseline]
            wins, losses = int((turned > 0).sum()), int((turned < 0).sum())
            exact = mcnemar(wins, losses) if count == rows else None
            of_verdicts = change(turned, exact, of_verdicts=True)
        pairs.append(Paired(system, baseline, rows, count, of_scores, of_verdicts, wins, losses))
    return _adjust_p_values(pairs)


def _adjust_p_values(pairs: Sequence[Paired]) -> list[Paired]:
    """Return comparisons with p-values after Holm's correction, of scores and of verdicts."""
    of_scores = holm([pair.scores.p_value for pair in pairs])
    of_verdicts = holm([pair.verdicts.p_value for pair in pairs if pair.verdicts])  # of all systems or of none
    adjusted = []
    for place, pair in enumerate(pairs):
        scores = replace(pair.scores, adjusted=of_scores[place])
        verdicts = pair.verdicts and replace(pair.verdicts, adjusted=of_verdicts[place])
        adjusted.append(replace(pair, scores=scores, verdicts=verdicts))
    return adjusted


def _check_columns(given: Mapping[str, ArrayLike], names: Iterable[str], kind: str) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name in names:
        if name not in given:
            raise ValueError(f"{kind}[{name!r}] is missing; expected one value for each row")
        title = f"{kind}[{name!r}]"
        found[name] = number_array(title, given[name], len(next(iter(found.values()))) if found else None)
        is_right = np.isfinite(found[name]) if kind == "scores" else np.isin(found[name], (0, 1))
        require(title, found[name], is_right, "a number" if kind == "scores" else "1 or 0")
    return found


def detectable_deviations(level: float) -> float:
    """Return the number of deviations that a test with this one-sided confidence level finds four times of five."""
    return NormalDist().inv_cdf(level) + NormalDist().inv_cdf(POWER)


def detectable_difference(
    differences: Floats, clusters: Ints, level: float, *, of_verdicts: bool, allowed: float = 0.0
) -> float | None:
    """Return the true difference δ that a test with this one-sided confidence level finds with a probability of 80%.

    For scores, δ shifts each row: δ = allowed + r · s, where r is `detectable_deviations` and s the deviation of the
    mean. For verdicts, δ turns more rows, which changes the deviation: (δ − allowed)² = r² · (ψ + δ − δ²) / n, where ψ
    is the share of turned rows that cancel, and n is `effective_rows`. 1/n is added, because the exact test counts
    whole rows (Edwards 1948, "Note on the correction for continuity").

    Both arrays have the shape (rows,); `allowed` is the largest difference that is not to be found. Return None for
    scores if fewer than ten clusters, and not all, changed, as then the deviation is unknown; and for verdicts if even
    a difference of 1 would not be found.
    """
    sums, _, deviation = sum_by_cluster(differences, clusters)
    if not of_verdicts:
        enough = np.count_nonzero(sums) >= min(FEW_CHANGED, len(sums))
        return allowed + detectable_deviations(level) * deviation if enough else None
    mean, turned = abs(float(differences.mean())), float(np.abs(differences).mean())
    rows = effective_rows(differences, len(sums), deviation)
    k, made_up = detectable_deviations(level) ** 2 / rows, turned - mean
    half = allowed + k / 2
    found = (half + sqrt(max(0.0, half**2 - (1 + k) * (allowed**2 - k * made_up)))) / (1 + k) + 1 / rows
    return found if found <= 1 else None


def mcnemar(wins: int, losses: int) -> float:
    """Return the two-sided p-value of McNemar's exact test that wins and losses are equally likely.

    With n changes, f of them of the rarer kind, it is 2 Σ_{k ≤ f} C(n, k) / 2ⁿ, at most 1. The sum begins with the
    largest term, C(n, k − 1) = C(n, k) · k / (n − k + 1), which keeps nine digits for a million changes.
    """
    changes, fewer = wins + losses, min(wins, losses)
    below = np.arange(fewer, 0, -1)
    terms = np.cumprod(below / (changes - below + 1))
    largest = lgamma(changes + 1) - lgamma(fewer + 1) - lgamma(changes - fewer + 1) - changes * log(2)
    return min(1.0, 2 * exp(largest) * float(1 + terms.sum()))


def sign_flips(sums: Floats, resamples: int, seed: int) -> float:
    """Return the two-sided p-value of no difference: how often |Σ ±s| reaches |Σ s| with random signs of clusters.

    With at most 12 changed clusters all signs are computed. Otherwise signs are random, and the observation counts as
    one of the samples: p = (reached + 1) / (resamples + 1).
    """
    sums = sums[sums != 0]
    observed = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()  # sums that differ only by rounding are equal
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
    """Return p-values after Holm's correction (1979): the k-th smallest of m times m − k + 1, never decreasing.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted
