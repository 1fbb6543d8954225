"""Estimate the mean label of all rows from the labels of some and the scores of all: prediction-powered inference.

PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453) for a mean, with n labeled rows (labels Y, scores f) and N
other rows (scores f'):

    θ̂ = Ȳ + λ (f̄' − f̄)

λ = 0 gives the mean of the labels. Bad scores make the interval wider, but never wrong; the only assumption is that the
labeled rows are a random sample. θ̂ is linear in each row's contribution to its error, so the variance is

    Var θ̂ = Σ_c (a_c − λ b_c)²,   a_i = (Y_i − Ȳ)/n,   b_i = (f_i − f̄)/n, or −(f'_i − f̄')/N for other rows,

over clusters c of rows i: Var(Y − λf)/n + λ² Var(f')/N, equation (5) of the paper, if each row stands alone.

Three corrections are added to the paper's interval. Large clusters hide their own errors (`intervals.jackknifed`).
Accuracies are near 1, so intervals are Wilson's with Student's t and the number of labels that would have the same
variance. If scores nearly always agree with labels, few labels show how often they do not: the variance is increased as
if one more of n labels disagreed, by λ²/n², or by λ² Σh²/n for n clusters with shares h.
"""

from __future__ import annotations  # `help` shows ArrayLike by its name

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from evaluate_qa.metrics._shared.arguments import counted

from ..uncertainty.arrays import Bools, Floats
from ..uncertainty.intervals import Interval, degrees_of_freedom, jackknifed, student, wilson
from .checks import EstimateInputs, checked, require_sample

FEWEST = 20
"""With fewer labels, or fewer clusters with labels, there is no interval, as it would hold the truth too rarely.

`uncertainty/COVERAGE.md` has measured rates.
"""

_FEW = 50
_FEW_OF_A_KIND = 10
_ROUNDING = 1e-9
_EQUAL = 1e-20  # scores, or clusters, with a smaller variance are equal


@dataclass(frozen=True)
class Estimate:
    """An estimate of the mean label of some rows.

    Attributes:
        rows: Number of rows.
        labels: Number of rows with a label.
        accuracy: The prediction-powered estimate of the mean label, with its interval; from 0 to 1.
        labels_alone: The mean of the labels, with its interval (λ = 0).
        metric: The mean score of all rows.
        tuning: λ, the weight of the scores; from 0 to 1.
        worth: Number of labels whose mean would have as narrow an interval: labels · Var(λ = 0) / Var(λ).
        notes: Limits of the estimate.
    """

    rows: int
    labels: int
    accuracy: Interval
    labels_alone: Interval
    metric: float
    tuning: float
    worth: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimates:
    """The result of `estimate`.

    Attributes:
        all: The estimate for all rows.
        groups: The estimate for each group, in the order of their first rows, or the reason why there is none.
        differences: For pairs of groups, the accuracy of the first minus the accuracy of the second.
        clusters: Number of clusters; None if each row stands alone.
        confidence: Confidence level of the intervals.
    """

    all: Estimate
    groups: dict[str, Estimate | str]
    differences: dict[tuple[str, str], Interval]
    clusters: int | None
    confidence: float


def estimate(
    scores: ArrayLike,
    labels: ArrayLike | Sequence[float | None],
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    differences: Sequence[tuple[str, str]] = (),
    confidence: float = 0.95,
) -> Estimates:
    """Estimate the mean label of all rows from the labels of a random sample and the scores of all rows.

    The rows themselves are treated as a sample of a larger population.

    Args:
        scores: Score of each row, from 0 to 1, shape (rows,): a probability, or a verdict as 0 or 1.
        labels: Label of each row, from 0 to 1, NaN or None for rows without a label, shape (rows,).
        weights: 1 / probability that a labeled row was drawn, up to a factor, shape (rows,). Values of other rows are
            ignored. Default: equal weights.
        clusters: Cluster of each row, such as its question, shape (rows,). Rows of one cluster are not independent.
        groups: Group of each row, such as the system that answered, shape (rows,).
        differences: Pairs of groups to compare; clusters make it a paired comparison.
        confidence: Confidence level of the intervals.

    Raises:
        ValueError: a value is out of range, lengths differ, a group is unknown, there are fewer than 20 labels, all
            labels are the same, or the labeled rows are not a random sample: their mean score or their share of a group
            differs from all rows more than in one random sample in a million.
    """
    given = checked(scores, labels, weights, clusters, groups, confidence)
    if (why := _unusable(given)) is not None:
        raise ValueError(why)
    doubts = require_sample(given)
    whole = _solve(given, confidence)
    found: dict[str, _Solution | str] = {}
    for code, name in enumerate(given.names):
        members = given.part(given.groups == code)
        found[name] = _unusable(members) or _solve(members, confidence)
    return Estimates(
        all=replace(whole.estimate, notes=(*doubts, *whole.estimate.notes)),
        groups={name: one if isinstance(one, str) else one.estimate for name, one in found.items()},
        differences={pair: _difference(found, *pair, confidence) for pair in differences},
        clusters=None if given.alone else given.cluster_count,
        confidence=confidence,
    )


@dataclass(frozen=True)
class _Solution:
    """An estimate, each cluster's contribution to its error, shape (clusters,), and the addition to the variance."""

    estimate: Estimate
    errors: Floats
    extra: float
    degrees: float


def _solve(given: EstimateInputs, confidence: float) -> _Solution:
    """Return the estimate of checked rows that have enough labels."""
    known = given.known
    # After a draw with unequal probabilities, the other rows differ from the labeled ones. Then f' covers all rows.
    others = ~known if given.weights is None else np.ones_like(known)
    shares = given.shares[known]
    mean_label, mean_score = float(shares @ given.labels[known]), float(shares @ given.scores[known])
    of_labels, of_scores = np.zeros(len(known)), np.zeros(len(known))
    of_labels[known] = shares * (given.labels[known] - mean_label)
    of_scores[known] = shares * (given.scores[known] - mean_score)
    gap = 0.0
    if others.any():
        mean_other = float(given.scores[others].mean())
        of_scores[others] -= (given.scores[others] - mean_other) / others.sum()
        gap = mean_other - mean_score
    labels_error, scores_error = given.by_cluster(of_labels), given.by_cluster(of_scores)
    tuning = _tuned(given, labels_error, scores_error, others) if others.any() else 0.0
    of_mean = given.by_cluster(given.shares)
    errors = jackknifed(labels_error - tuning * scores_error, of_mean)
    alone = jackknifed(labels_error, of_mean)
    drawn = of_mean > 0
    extra = float(tuning**2 * (of_mean @ of_mean) / np.count_nonzero(drawn))
    degrees = degrees_of_freedom(of_mean[drawn], given.by_cluster(known.astype(np.float64))[drawn])
    variance, variance_alone = float(errors @ errors) + extra, float(alone @ alone)
    effective = 1 / float(of_mean @ of_mean)
    estimate = Estimate(
        rows=len(known),
        labels=int(known.sum()),
        accuracy=_interval(mean_label + tuning * gap, variance, effective, degrees, confidence),
        labels_alone=_interval(mean_label, variance_alone, effective, degrees, confidence),
        metric=float(given.scores.mean()),
        tuning=tuning,
        worth=float(known.sum() * (variance_alone / variance if variance > _EQUAL else 1)),
        notes=tuple(_notes(given, tuning, bool(others.any()), effective)),
    )
    return _Solution(estimate, errors, extra, degrees)


def _tuned(given: EstimateInputs, labels_error: Floats, scores_error: Floats, others: Bools) -> float:
    """Return the λ from 0 to 1 that minimizes the variance: Σ a b / Σ b².

    For a simple random sample of independent rows, Σ b² is computed from all scores, as in the paper's example 6.1:
    λ = Cov(Y, f) / ((1 + n/N) Var f).
    """
    if given.weights is None and given.alone:
        spread = (1 / given.known.sum() + 1 / others.sum()) * given.scores.var(ddof=1)
    else:
        spread = scores_error @ scores_error
    return float(np.clip(labels_error @ scores_error / spread, 0, 1)) if spread > _EQUAL else 0.0


def _interval(value: float, variance: float, effective: float, degrees: float, confidence: float) -> Interval:
    """Return Wilson's interval for the number of labels with which a share of this value has this variance.

    The variance of a share of 0 or 1 is 0; then a share half a label away from it is used. If all clusters are equal,
    such as one right and one wrong answer to each question, the number of clusters is used.
    """
    share = min(1.0, max(0.0, value))
    inner = min(1 - 0.5 / effective, max(0.5 / effective, share))
    count = inner * (1 - inner) / variance if variance > _EQUAL else effective
    return wilson(share, count, confidence, degrees)


def _difference(found: Mapping[str, _Solution | str], one: str, other: str, confidence: float) -> Interval:
    """Return the first group's accuracy minus the second's; errors that a cluster shares cancel."""
    first, second = (_usable(found, name) for name in (one, other))
    value = first.estimate.accuracy.value - second.estimate.accuracy.value
    errors = first.errors - second.errors
    variance = float(errors @ errors) + first.extra + second.extra
    return student(value, variance, min(first.degrees, second.degrees), confidence)


def _usable(found: Mapping[str, _Solution | str], name: str) -> _Solution:
    solution = found.get(name, f"there is no such group; there are {', '.join(found) or 'no groups'}")
    if isinstance(solution, str):
        raise ValueError(f"no difference with group {name!r}: {solution}")
    return solution


def _unusable(given: EstimateInputs) -> str | None:
    """Return the reason why there are too few labels for an estimate; None if there are enough."""
    count, clusters = int(given.known.sum()), len(np.unique(given.clusters[given.known]))
    if count < FEWEST:
        rows = len(given.known)
        fix = " Label more rows." if rows >= FEWEST else ""
        return f"an interval needs at least {FEWEST} labels, not {count} for {counted(rows, 'row')}.{fix}"
    if clusters < FEWEST:
        groups = counted(clusters, "group")
        return f"{count} labels cover only {groups}, and an interval needs at least {FEWEST}. Label more rows."
    labels = given.labels[given.known]
    if labels.min() == labels.max():
        return f"All {count} labels are {labels[0]:g}, so their variation is unknown. Label more rows."
    return None


def _notes(given: EstimateInputs, tuning: float, are_others: bool, effective: float) -> Iterator[str]:
    labels = given.labels[given.known]
    fewest = min((labels == kind).sum() for kind in (0, 1))
    if effective < _FEW - _ROUNDING:
        yield f"only {effective:.0f} independent labels: with fewer than {_FEW} the interval may be too narrow"
    if np.isin(labels, (0, 1)).all() and fewest < _FEW_OF_A_KIND:
        yield f"only {counted(int(fewest), 'label')} of one kind: the interval is approximate"
    if not are_others:
        yield "every row is labeled: the scores add nothing"
    elif tuning == 0:
        yield "the scores do not rise with the labels (λ = 0): they add nothing"
