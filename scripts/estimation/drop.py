"""Whether a system got worse by more than is allowed, and by more than noise: the test of `evaluate-qa gate`.

Of each row the drop is the baseline's score or verdict less the system's. The gate fails when the lower confidence
bound of the mean drop lies above what is allowed, so that a system whose true drop is within that fails about once in
twenty runs at most; more often where drops are strongly skewed and clusters few, which `Drop.doubts` tells and
`uncertainty/COVERAGE.md` measures. Two other rules were not taken. "The drop is significant, and its estimate is above
what is allowed" fails every other run of a system that is just within, however many rows there are. Non-inferiority
fails whoever does not prove that the drop is small: on a few hundred rows every system, also one that did not change.
The price is that few rows let drops pass, so the smallest drop that they would catch is told with each result.

The bound is that of `uncertainty.bounds`. Of verdicts of single rows, and of no drop allowed, it is McNemar's exact
test, one-sided. Rows of one cluster (the answers to one question) are drawn together.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from ..uncertainty.arrays import Floats, codes, numbers
from ..uncertainty.bounds import bounds, clustered, doubts, skewness
from ..uncertainty.intervals import Interval
from ..uncertainty.paired import FEWEST, POWER, detectable

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Drop:
    """By how much a system's mean is below the baseline's.

    Attributes:
        drop: Baseline less system. Its ends are two bounds, each of the full confidence: the true drop is above the
            low one with 95% confidence, and below the high one with 95%.
        allowed: The drop that is allowed.
        detectable: The true drop that fails four of five runs on rows like these (`uncertainty.paired.detectable`);
            None where too few rows, or too few that changed, tell.
        confidence: That of each bound.
        rows: Number of rows; None where it is by labels, which are of some rows.
        clusters: Number of clusters.
        skewness: That of what clusters add to the error of the mean drop.
        of_verdicts: Whether it is of verdicts, not of scores.
    """

    drop: Interval
    allowed: float
    detectable: float | None
    confidence: float
    rows: int | None = None
    clusters: int | None = None
    skewness: float = 0.0
    of_verdicts: bool = False

    @property
    def doubts(self) -> list[str]:
        """Why false alarms may be more frequent than stated, a sentence each; verdicts of single rows have none."""
        if self.clusters is None or (self.of_verdicts and self.clusters == self.rows):
            return []
        return doubts(self.clusters, self.skewness, are_rows=self.clusters == self.rows)

    @property
    def passed(self) -> bool:
        """Whether the low bound is not above what is allowed."""
        return self.drop.low <= self.allowed + _ROUNDING


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
    """Tell by how much a system is worse than the baseline on the same rows, and whether that is more than noise.

    With more than 10,000 clusters that changed, halves are replaced by the normal distribution that they come to.

    Args:
        baseline: Scores, or verdicts as True and False or 1 and 0, of the baseline, shape (rows,).
        system: The same of the system, in the same order, shape (rows,).
        max_drop: The drop that is allowed, from 0, in the units of the scores; .01 is one point of accuracy.
        clusters: Rows of one cluster, such as the answers to one question, are not independent, shape (rows,).
        confidence: One less the share of runs that fail, at most, of a system whose true drop is what is allowed.
        resamples: Random halves.
        seed: The same seed draws the same.

    Raises:
        ValueError: lengths differ, a value is not finite, an option is out of range, or there are so few clusters that
            nothing could fail: of 95% confidence, fewer than five.
    """
    _check(max_drop, confidence, resamples)
    before = _finite("baseline", numbers("baseline", baseline))
    after = _finite("system", numbers("system", system, len(before)))
    _, places = codes("clusters", np.arange(len(before)) if clusters is None else clusters, len(before))
    count = int(places.max(initial=-1)) + 1
    if 2 ** min(count, 60) * (1 - confidence) < 1 - _ROUNDING:
        raise ValueError(f"{count} clusters could not fail with {confidence:.0%} confidence: give more rows")
    drops, sizes, deviation = clustered(before - after, places)
    verdicts = bool(np.isin([before, after], (0, 1)).all())
    return Drop(
        drop=bounds(before - after, places, confidence, resamples, seed, of_verdicts=verdicts),
        allowed=max_drop,
        detectable=detectable(
            before - after, drops, deviation, _reach(confidence), of_verdicts=verdicts, allowed=max_drop
        ),
        confidence=confidence,
        rows=len(before),
        clusters=len(drops),
        skewness=skewness(drops, sizes),
        of_verdicts=verdicts,
    )


def of_difference(difference: Interval, max_drop: float, confidence: float) -> Drop:
    """Return the drop by an estimated difference, system less baseline, with the interval that `two_sided` widens."""
    _check(max_drop, confidence)
    deviation = difference.width / 2 / NormalDist().inv_cdf(confidence)
    drop = Interval(-difference.value, -difference.high, -difference.low)
    return Drop(drop, max_drop, max_drop + _reach(confidence) * deviation, confidence)


def two_sided(confidence: float) -> float:
    """Return the confidence of an interval, each end of which is a bound of this confidence: of .95, .9."""
    return 2 * confidence - 1


def _check(max_drop: float, confidence: float, resamples: int = FEWEST) -> None:
    if not 0 <= max_drop < float("inf"):
        raise ValueError(f"a drop of {max_drop:g} is allowed; expected 0 or more, such as 0.01 for a point of accuracy")
    if not 0.5 < confidence < 1:  # noqa: PLR2004 - below, a bound would lie on the other side
        raise ValueError(f"expected a confidence between 0.5 and 1, got {confidence:g}")
    if resamples < max(FEWEST, 1 / (1 - confidence) - 1 - _ROUNDING):
        raise ValueError(f"{resamples} resamples are too few for {confidence:.1%} confidence")


def _finite(name: str, values: Floats) -> Floats:
    if (wrong := ~np.isfinite(values)).any():
        row = int(wrong.argmax())
        raise ValueError(f"{name}[{row}] is {values[row]:g}; expected a number")
    return values


def _reach(confidence: float) -> float:
    """Return how many deviations above what is allowed a drop fails with a probability of 80%."""
    return NormalDist().inv_cdf(confidence) + NormalDist().inv_cdf(POWER)
