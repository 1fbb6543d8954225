"""The mean label of all rows, from the labels of some and the scores of all: prediction-powered inference.

PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453) for a mean. With n labelled rows (labels Y, scores f) and N
other rows (scores f'):

    θ̂ = Ȳ + λ (f̄' − f̄)

With λ = 0 it is the mean of the labels. Whatever λ, bad scores make it wider, never wrong: that the labelled rows were
drawn at random is all that is assumed. θ̂ is linear in what each row adds to its error, so that the variance is

    Var θ̂ = Σ_c (a_c − λ b_c)²,   a_i = (Y_i − Ȳ)/n,   b_i = (f_i − f̄)/n, or −(f'_i − f̄')/N of the others,

over clusters c of rows i, each row alone if none are given: Var(Y − λf)/n + λ² Var(f')/N, equation (5) of the paper.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..uncertainty.intervals import Interval
from .checks import Given, checked

Floats = NDArray[np.float64]

FEWEST = 20
"""Fewer labels (or clusters that have some) give no interval: a normal one would hold the truth too seldom.

Of simulated 95% intervals 91 to 94% hold it with 20 labels, 93 to 95% with 50, and 94 to 95% with 100.
"""

_FEW = 50
_FEW_OF_A_KIND = 10
_APART = 5.0  # standard errors; by chance once in 1.7 million samples
_ROUNDING = 1e-20  # a smaller variance is that of equal scores


@dataclass(frozen=True)
class Estimate:
    """The mean label of some rows, estimated.

    Attributes:
        rows: Number of rows.
        labels: How many of them are labelled.
        accuracy: The prediction-powered estimate of the mean label, with its interval; from 0 to 1.
        labels_alone: The mean of the labels, with its interval: the same with λ = 0.
        metric: The mean score of all rows.
        tuning: λ, how far the scores are trusted; from 0 to 1.
        worth: How many labels alone would give as narrow an interval: labels · Var(λ = 0) / Var(λ).
        notes: What to know before it is cited.
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
    """What `estimate` returns.

    Attributes:
        all: The estimate of all rows.
        groups: That of each group, in order of their first rows; a text says why there is none.
        differences: Of two groups each: the accuracy of the first less that of the second.
        clusters: Number of clusters; None if each row stands alone.
        confidence: Share of samples whose interval holds the truth.
    """

    all: Estimate
    groups: dict[str, Estimate | str]
    differences: dict[tuple[str, str], Interval]
    clusters: int | None
    confidence: float


def estimate(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    differences: Sequence[tuple[str, str]] = (),
    confidence: float = 0.95,
) -> Estimates:
    """Estimate the mean label of all rows from the labels of a random sample of them and the scores of all.

    The interval is for rows like these: they are taken as a sample themselves. For these very rows it is wide enough.

    Args:
        scores: Score of every row, from 0 to 1, shape (rows,): a probability, or a verdict as 0 and 1.
        labels: Label of each row that has one, from 0 to 1, and NaN or None for the others, shape (rows,).
        weights: One over the probability with which a labelled row was drawn, up to a factor, shape (rows,); what is
            there for other rows does not matter. By default all were drawn alike.
        clusters: Rows of one cluster, such as the answers to one question, are not independent, shape (rows,).
        groups: Group of each row, such as the system that answered, shape (rows,).
        differences: Pairs of groups whose accuracies are compared; clusters make it a paired comparison.
        confidence: Share of samples whose interval shall hold the truth.

    Raises:
        ValueError: a value is out of range (named by its place), lengths differ, a group is unknown, there are fewer
            than 20 labels or they are all the same, or the labelled rows are no sample of all: their scores differ from
            the others', or their groups' shares from all rows', by more than five standard errors.
    """
    given = checked(scores, labels, weights, clusters, groups, confidence)
    if (why := _unusable(given)) is not None:
        raise ValueError(why)
    whole = _solve(given, confidence)
    _require_sample(whole)
    _require_groups(given)
    found: dict[str, _Solution | str] = {}
    for code, name in enumerate(given.names):
        members = given.part(given.groups == code)
        found[name] = _unusable(members) or _solve(members, confidence)
    return Estimates(
        all=whole.estimate,
        groups={name: one if isinstance(one, str) else one.estimate for name, one in found.items()},
        differences={pair: _difference(found, *pair, confidence) for pair in differences},
        clusters=None if given.alone else given.cluster_count,
        confidence=confidence,
    )


@dataclass(frozen=True)
class _Solution:
    """An estimate, with what each cluster adds to its error, shape (clusters,), and the scores' share in that."""

    estimate: Estimate
    errors: Floats
    mean_gap: float
    gap_error: float


def _solve(given: Given, confidence: float) -> _Solution:
    """Return the estimate of checked rows that have enough labels."""
    known = given.known
    # Rows that were drawn with unequal probability leave behind others that are unlike them: then f' is that of all.
    others = ~known if given.weights is None else np.ones_like(known)
    shares = np.ones(known.sum()) if given.weights is None else given.weights[known]
    shares = shares / shares.sum()
    mean_label, mean_score = shares @ given.labels[known], shares @ given.scores[known]
    of_labels, of_scores = np.zeros(len(known)), np.zeros(len(known))
    of_labels[known] = shares * (given.labels[known] - mean_label)
    of_scores[known] = shares * (given.scores[known] - mean_score)
    gap = 0.0
    if others.any():
        mean_other = given.scores[others].mean()
        of_scores[others] -= (given.scores[others] - mean_other) / others.sum()
        gap = mean_other - mean_score
    labels_error, scores_error = given.by_cluster(of_labels), given.by_cluster(of_scores)
    tuning = _tuned(given, labels_error, scores_error, others) if others.any() else 0.0
    errors = labels_error - tuning * scores_error
    accuracy = _interval(mean_label + tuning * gap, errors, confidence)
    variance, alone = errors @ errors, labels_error @ labels_error
    estimate = Estimate(
        rows=len(known),
        labels=int(known.sum()),
        accuracy=_within(accuracy),
        labels_alone=_within(_interval(mean_label, labels_error, confidence)),
        metric=float(given.scores.mean()),
        tuning=tuning,
        worth=float(known.sum() * alone / variance),
        notes=tuple(_notes(given, tuning, bool(others.any()))),
    )
    return _Solution(estimate, errors, float(gap), float(np.sqrt(scores_error @ scores_error)))


def _tuned(given: Given, labels_error: Floats, scores_error: Floats, others: NDArray[np.bool_]) -> float:
    """Return the λ from 0 to 1 that makes the variance least: Σ a b / Σ b².

    For rows drawn alike, each alone, Σ b² is taken from all scores, as in the paper's example 6.1:
    λ = Cov(Y, f) / ((1 + n/N) Var f).
    """
    if given.weights is None and given.alone:
        spread = (1 / given.known.sum() + 1 / others.sum()) * given.scores.var(ddof=1)
    else:
        spread = scores_error @ scores_error
    return float(np.clip(labels_error @ scores_error / spread, 0, 1)) if spread > _ROUNDING else 0.0


def _interval(value: float, errors: Floats, confidence: float) -> Interval:
    margin = NormalDist().inv_cdf((1 + confidence) / 2) * float(np.sqrt(errors @ errors))
    return Interval(float(value), float(value) - margin, float(value) + margin)


def _within(interval: Interval) -> Interval:
    """Cut off what no mean of labels can be."""
    return Interval(*(min(1.0, max(0.0, end)) for end in (interval.value, interval.low, interval.high)))


def _difference(found: Mapping[str, _Solution | str], one: str, other: str, confidence: float) -> Interval:
    """Return the first group's accuracy less the second's; what a cluster adds to both errors cancels."""
    first, second = (_usable(found, name) for name in (one, other))
    value = first.estimate.accuracy.value - second.estimate.accuracy.value
    return _interval(value, first.errors - second.errors, confidence)


def _usable(found: Mapping[str, _Solution | str], name: str) -> _Solution:
    solution = found.get(name, f"there is no such group, but {', '.join(found) or 'none at all'}")
    if isinstance(solution, str):
        raise ValueError(f"no difference with group {name!r}: {solution}")
    return solution


def _unusable(given: Given) -> str | None:
    """Return why there are too few labels for an estimate, if so."""
    count, clusters = int(given.known.sum()), given.labelled_clusters
    if count < FEWEST:
        rows = len(given.known)
        return f"{count} of {rows:,} rows are labeled, and an interval needs at least {FEWEST}. Label more rows."
    if clusters < FEWEST:
        return f"{count} labels cover only {clusters} groups, and an interval needs at least {FEWEST}. Label more rows."
    labels = given.labels[given.known]
    if labels.min() == labels.max():
        return f"All {count} labels are {labels[0]:g}, so their variation is unknown. Label more rows."
    return None


def _require_sample(whole: _Solution) -> None:
    """Raise ValueError if the labelled rows' scores are so unlike the others' that they were hardly drawn at random."""
    if abs(whole.mean_gap) > _APART * max(whole.gap_error, _ROUNDING**0.5):
        side = "lower" if whole.mean_gap > 0 else "higher"
        raise ValueError(
            f"the labelled rows are no random sample: they score {abs(whole.mean_gap):.3f} {side} on average than the "
            f"rows they stand for, {abs(whole.mean_gap) / whole.gap_error:.1f} standard errors. Label rows that were "
            "drawn at random; if some were drawn more likely than others, give the weights"
        )


def _require_groups(given: Given) -> None:
    """Raise ValueError if the labelled rows' groups are of so other sizes that they were hardly drawn at random.

    The rows of a cluster may all be of one group, so that a share varies as if each cluster were drawn, not each row.
    """
    known = given.known
    drawn = known.astype(np.float64) if given.weights is None else np.where(known, given.weights, 0.0)
    of_clusters = given.by_cluster(drawn)
    effective = drawn.sum() ** 2 / (of_clusters @ of_clusters)
    count = len(given.names)
    shares = np.bincount(given.groups, minlength=count) / len(known)
    found = np.bincount(given.groups, drawn, count) / drawn.sum()
    apart = np.abs(found - shares) - _APART * np.sqrt(shares * (1 - shares) / effective) > _ROUNDING**0.5
    if count and apart.any():
        worst = int(apart.argmax())
        raise ValueError(
            f"the labelled rows are no random sample: {found[worst]:.0%} of them, but {shares[worst]:.0%} of all rows, "
            f"are of the group {given.names[worst]!r}. Estimate each group by itself; or if some rows were drawn more "
            "likely than others, give the weights"
        )


def _notes(given: Given, tuning: float, are_others: bool) -> Iterator[str]:
    labels = given.labels[given.known]
    fewest = min((labels == kind).sum() for kind in (0, 1))
    if len(labels) < _FEW:
        yield f"fewer than {_FEW} labels: the interval is approximate, rather too narrow"
    elif given.labelled_clusters < _FEW:
        yield f"labels of fewer than {_FEW} clusters: the interval is approximate, rather too narrow"
    if np.isin(labels, (0, 1)).all() and fewest < _FEW_OF_A_KIND:
        yield f"only {fewest} labels of one kind: the interval is approximate"
    if not are_others:
        yield "every row is labelled: the scores add nothing"
    elif tuning == 0:
        yield "the scores do not rise with the labels (λ = 0): they add nothing"
