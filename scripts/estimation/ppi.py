"""Estimate the mean label of all rows from the labels of some and the scores of all: prediction-powered inference.

PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453) for a mean, with n labeled rows (labels Y, scores f) and N
other rows (scores f'):

    θ̂ = Ȳ + λ (f̄' − f̄)

λ = 0 gives the mean of the labels. Bad scores make the interval wider, but never wrong; the only assumption is that the
labeled rows are a random sample. θ̂ is linear in each row's contribution to its error, so the variance is

    Var θ̂ = Σ_c (a_c − λ b_c)²,   a_i = (Y_i − Ȳ)/n,   b_i = (f_i − f̄)/n, or −(f'_i − f̄')/N for other rows,

over clusters c of rows i: Var(Y − λf)/n + λ² Var(f')/N, equation (5) of the paper, if each row stands alone.

Three corrections are added to the paper's interval. Large clusters hide their own errors (`intervals.jackknife`).
Accuracies are near 1, so intervals are Wilson's with Student's t and the number of labels that would have the same
variance; if all labels are equal, with their own number, and λ = 0. If scores nearly always agree with labels, few
labels show how often they do not: the variance is increased as if one more of n labels disagreed, by λ²/n², or by
λ² Σh²/n for n clusters with shares h.
"""

from __future__ import annotations  # `help` shows ArrayLike by its name

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from evaluate_qa.metrics._shared.messages import pluralize

from ..files.rows import did_you_mean
from ..uncertainty.arrays import Bools, Floats
from ..uncertainty.intervals import Interval, degrees_of_freedom, jackknife, student, wilson
from ..uncertainty.student import quantile
from .inputs import EstimateInputs, check_inputs, require_random_sample

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
        ValueError: a value is out of range, lengths differ, a group is unknown, there are fewer than 20 labels, or the
            labeled rows are not a random sample: their mean score or their share of a group differs from all rows more
            than in one random sample in a million.
    """
    given = check_inputs(scores, labels, weights, clusters, groups, confidence)
    if any(groups is None or not isinstance(pair, tuple) or len(pair) != 2 for pair in differences):  # noqa: PLR2004
        expected = "pairs of groups, such as [('a', 'b')], and `groups` with the group of each row"
        raise ValueError(f"differences is {differences!r}; expected {expected}")
    if (why := _describe_missing(given)) is not None:
        fix = " Label more rows." if len(given.known) >= FEWEST else ""
        raise ValueError(f"There are too few labels for an estimate ({why}).{fix}")
    doubts = require_random_sample(given)
    whole = _solve(given, confidence)
    found: dict[str, _Solution | str] = {}
    for code, name in enumerate(given.names):
        members = given.part(given.groups == code)
        found[name] = _describe_missing(members) or _solve(members, confidence)
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
    of_labels, of_scores = np.zeros(len(known)), np.zeros(len(known))  # a and b in the module's docstring
    of_labels[known] = shares * (given.labels[known] - mean_label)
    of_scores[known] = shares * (given.scores[known] - mean_score)
    gap = 0.0
    if others.any():
        mean_other = float(given.scores[others].mean())
        of_scores[others] -= (given.scores[others] - mean_other) / others.sum()
        gap = mean_other - mean_score
    labels_error, scores_error = given.by_cluster(of_labels), given.by_cluster(of_scores)
    tuning = _tune(given, labels_error, scores_error, others) if others.any() else 0.0
    of_mean = given.by_cluster(given.shares)
    errors = jackknife(labels_error - tuning * scores_error, of_mean)
    alone = jackknife(labels_error, of_mean)
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
    if given.is_uniform:  # a difference is at least as uncertain as this accuracy
        extra = (estimate.accuracy.width / quantile((1 + confidence) / 2, degrees)) ** 2
    return _Solution(estimate, errors, extra, degrees)


def _tune(given: EstimateInputs, labels_error: Floats, scores_error: Floats, others: Bools) -> float:
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
    first, second = (_require_solution(found, name) for name in (one, other))
    value = first.estimate.accuracy.value - second.estimate.accuracy.value
    errors = first.errors - second.errors
    variance = float(errors @ errors) + first.extra + second.extra
    wide = student(value, variance, min(first.degrees, second.degrees), confidence)
    return Interval(value, max(-1.0, wide.low), min(1.0, wide.high))


def _require_solution(found: Mapping[str, _Solution | str], name: str) -> _Solution:
    if name not in found:
        raise ValueError(f"There is no group {name!r}. {did_you_mean(name, found)}")
    if isinstance(solution := found[name], str):
        raise ValueError(f"There are too few labels of {name!r} for a difference ({solution}). Label more rows.")
    return solution


def _describe_missing(given: EstimateInputs) -> str | None:
    """Return what an estimate lacks: `12 of 12 rows labeled; 20 needed`; None if there are enough labels."""
    count, clusters = int(given.known.sum()), len(np.unique(given.clusters[given.known]))
    if count < FEWEST:
        return f"{count} of {pluralize(len(given.known), 'row')} labeled; {FEWEST} needed"
    return f"{count} labels in only {pluralize(clusters, 'group')}; {FEWEST} needed" if clusters < FEWEST else None


def _notes(given: EstimateInputs, tuning: float, are_others: bool, effective: float) -> Iterator[str]:
    labels = given.labels[given.known]
    fewest = min(int((labels == kind).sum()) for kind in (0, 1))
    if effective < _FEW - _ROUNDING:
        count = pluralize(round(effective), "independent label")
        yield f"With only {count} (fewer than {_FEW}), the interval may be too narrow."
    if given.is_uniform:
        yield f"All {len(labels):,} labels are {labels[0]:g}, so the interval is from the labels alone."
        return
    if np.isin(labels, (0, 1)).all() and fewest < _FEW_OF_A_KIND:
        are = "is" if fewest == 1 else "are"
        yield f"Only {pluralize(fewest, 'label')} {are} of the rarer class, so the interval is approximate."
    if not are_others:
        yield "Every row is labeled, so the scores add nothing."
    elif tuning == 0:
        yield "The scores do not rise with the labels (λ = 0), so they add nothing."
