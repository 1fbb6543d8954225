"""Test whether a system is worse than a baseline: the test of `evaluate-qa gate`.

The drop of a row is the baseline's score or verdict minus the system's. The gate fails if the lower confidence bound of
the mean drop (`uncertainty.bounds`) is above the allowed drop. So a system whose true drop is the allowed drop fails in
5% of runs. If the estimate were compared instead, it would fail in about half of the runs; in a test of
non-inferiority, it would nearly always fail on a few hundred rows. `uncertainty/COVERAGE.md` has measured rates.
"""

from __future__ import annotations  # `help` shows ArrayLike by its name

from dataclasses import dataclass, field
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from evaluate_qa.metrics._shared.messages import pluralize

from ..uncertainty.arrays import cluster_codes, number_array, require
from ..uncertainty.bounds import bounds, doubts, skewness, span_of, sum_by_cluster
from ..uncertainty.intervals import Interval
from ..uncertainty.paired import FEWEST, detectable_deviations, detectable_difference

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Drop:
    """The drop of a system's mean below the baseline's mean.

    Attributes:
        passed: True if the lower bound is not above the allowed drop.
        drop: Baseline minus system. Each end is a one-sided bound at the full confidence level.
        allowed: The allowed drop.
        detectable: The true drop that fails four of five runs on rows like these; None if too few rows, or too few
            changed rows, are known. See `uncertainty.paired.detectable_difference`.
        confidence: Confidence level of each bound.
        rows: Number of rows; None if the drop is estimated from labels.
        clusters: Number of clusters; None if the drop is estimated from labels.
        doubts: Reasons why false alarms may be more frequent than stated; none for verdicts of independent rows.
    """

    passed: bool = field(init=False)
    drop: Interval
    allowed: float
    detectable: float | None
    confidence: float
    rows: int | None = None
    clusters: int | None = None
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "passed", self.drop.low <= self.allowed + _ROUNDING)

    def __bool__(self) -> bool:
        return self.passed  # so that `assert gate(…)` fails


def gate(
    baseline: ArrayLike,
    system: ArrayLike,
    *,
    max_drop: float = 0.0,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 5000,
    seed: int = 0,
) -> Drop:
    """Test whether a system is worse than the baseline on the same rows by more than the allowed drop.

    Args:
        baseline: Scores, or verdicts as True and False or 1 and 0, of the baseline, shape (rows,).
        system: Scores or verdicts of the system, in the same order, shape (rows,).
        max_drop: The allowed drop, at least 0, in the units of the scores; .01 is one point of accuracy.
        clusters: Cluster of each row, such as its question, shape (rows,). Rows of one cluster are not independent.
        confidence: Confidence level of the one-sided bound.
        resamples: Number of half-samples; with more than 10,000 changed clusters, the normal distribution is used.
        seed: Random seed.

    Returns:
        The drop, with `passed`; it is true if the system passed.

    Raises:
        ValueError: lengths differ, a value is not finite, an option is out of range, or there are too few clusters to
            fail (fewer than five at 95% confidence).
    """
    _check_options(max_drop, confidence, resamples)
    before = number_array("baseline", baseline)
    after = number_array("system", system, len(before))
    for name, values in (("baseline", before), ("system", after)):
        require(name, values, np.isfinite(values), "a number")
    places = cluster_codes(clusters, len(before))
    count = int(places.max(initial=-1)) + 1
    if 2 ** min(count, 60) * (1 - confidence) < 1 - _ROUNDING:
        raise ValueError(f"with only {pluralize(count, 'cluster')}, the gate can never fail. Give more rows.")
    drops = before - after
    verdicts = bool(np.isin([before, after], (0, 1)).all())
    if verdicts:
        _check_accuracy_drop(max_drop)
    sums, sizes, _ = sum_by_cluster(drops, places)
    alone = count == len(drops)
    return Drop(
        drop=bounds(drops, places, confidence, resamples, seed, of_verdicts=verdicts, span=span_of(before, after)),
        allowed=max_drop,
        detectable=detectable_difference(drops, places, confidence, of_verdicts=verdicts, allowed=max_drop),
        confidence=confidence,
        rows=len(drops),
        clusters=count,
        doubts=() if verdicts and alone else tuple(doubts(count, skewness(sums, sizes), are_rows=alone)),
    )


def drop_of_difference(difference: Interval, max_drop: float, confidence: float) -> Drop:
    """Return the drop for an estimated difference, system minus baseline, with a `two_sided_confidence` interval."""
    _check_options(max_drop, confidence)
    _check_accuracy_drop(max_drop)
    deviation = difference.width / 2 / NormalDist().inv_cdf(confidence)
    drop = Interval(-difference.value, -difference.high, -difference.low)
    # Equal labels of both systems show no variation, so they say nothing about the drops that they can detect.
    smallest = max_drop + detectable_deviations(confidence) * deviation if deviation > _ROUNDING else None
    return Drop(drop, max_drop, smallest, confidence)


def two_sided_confidence(confidence: float) -> float:
    """Return the confidence of an interval whose ends are bounds at this confidence: .9 for .95."""
    return 2 * confidence - 1


def _check_accuracy_drop(max_drop: float) -> None:
    """Raise ValueError for an allowed drop of accuracy with which no system could fail."""
    if max_drop >= 1:
        raise ValueError(
            f"max_drop is {max_drop:g}, which no drop of accuracy can exceed; expected less than 1, such as 0.01 for "
            "one percentage point"
        )


def _check_options(max_drop: float, confidence: float, resamples: int = FEWEST) -> None:
    if not 0 <= max_drop < float("inf"):
        raise ValueError(f"max_drop is {max_drop:g}; expected 0 or more, such as 0.01 for one percentage point")
    if not 0.5 < confidence < 1:  # noqa: PLR2004 - below, the bound would be on the other side
        raise ValueError(f"confidence is {confidence:g}; expected a number between 0.5 and 1")
    fewest = max(FEWEST, ceil(1 / (1 - confidence) - 1 - _ROUNDING))
    if resamples < fewest:
        raise ValueError(f"resamples is {resamples}; expected at least {fewest} for {confidence:.1%} confidence")
