"""Find the band of scores to send to a judge, by fixed-sequence testing: outside it, the metric agrees with people.

**Guarantee.** With probability `CONFIDENCE` over the draw of the labeled rows, the verdict on a new row outside
the band agrees with people with a probability of at least `target`, on each side of the band. It holds for any number
of rows and any calibration, provided that

- the labeled rows are independent random rows of the kind that will be scored (`cascade` uses one answer to each
  question);
- the metric was not trained on them, and the band is chosen only once;
- the labels are right: people's disagreement counts against the metric.

It does not cover the judge's verdicts inside the band.

**Method** (Jung, Brahman and Choi 2024, Trust or Escalate, section 2; Bauer 1991; Angelopoulos et al. 2021). Each side
has a fixed sequence of thresholds, from the most confident scores to the verdict's threshold. For each threshold, the
hypothesis "beyond it, agreement is below the target" is tested with the exact binomial test at level
(1 − `CONFIDENCE`) / 2: p = P(Bin(n, target) ≥ k) for k of n rows that agree. The first hypothesis that is not rejected
ends the sequence, so the number of thresholds needs no correction. A sequence begins at a threshold with enough rows
for a fair chance (`starting_rows`), which depends on scores alone.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..uncertainty.arrays import Bools, Floats, Ints

CONFIDENCE = 0.95
"""Probability of the guarantee."""

# Distances of the thresholds from 0, or from 1.
_STEPS = (0.001, 0.002, 0.005, *(step / 100 for step in range(1, 100)))


@dataclass(frozen=True)
class Side:
    """The rows that the metric decides on one side of the band.

    `bound` is the lower confidence bound of the agreement (Clopper and Pearson), at half of the level.
    """

    rows: int
    agreeing: int
    bound: float


@dataclass(frozen=True)
class CheckedBand:
    """The band in which the judge is asked: low ≤ score < high; high = 1 includes 1.

    `low` is 0, and `below` None, if the metric never decides "incorrect"; `high` is 1, and `above` None, if it never
    decides "correct".
    """

    low: float
    high: float
    below: Side | None
    above: Side | None


def find_band(scores: Floats, labels: Bools, threshold: float = 0.5, target: float = 0.95) -> CheckedBand:
    """Return the narrowest band such that the metric agrees with people on all scores outside it.

    Scores are from 0 to 1, shape (rows,), and labels are True where people call the answer correct. The metric calls
    answers with at least the threshold correct. The target is the agreement to guarantee; raise ValueError unless both
    are above 0 and below 1.
    """
    for name, value in {"target": target, "threshold": threshold}.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value:g}; expected a number above 0 and below 1")
    level = (1 - CONFIDENCE) / 2
    lows, highs = thresholds(threshold)
    low, below = _test(lows, _count_below(scores, lows), _count_below(scores[~labels], lows), target, level)
    rows, agreeing = (len(some) - _count_below(some, highs) for some in (scores, scores[labels]))
    high, above = _test(highs, rows, agreeing, target, level)
    return CheckedBand(0.0 if low is None else low, 1.0 if high is None else high, below, above)


def thresholds(threshold: float) -> tuple[Floats, Floats]:
    """Return the thresholds of both sides, from 0 up and from 1 down to the verdict's threshold."""
    lows = [step for step in _STEPS if step < threshold]
    highs = [round(1 - step, 3) for step in _STEPS if 1 - step > threshold + 1e-9]
    return np.array([*lows, threshold]), np.array([*highs, threshold])


def _count_below(scores: Floats, cuts: Floats) -> Ints:
    """Return the number of scores below each threshold."""
    return np.searchsorted(np.sort(scores), cuts, side="left").astype(np.int64)


def rejected_hypotheses(rows: Ints, agreeing: Ints, target: float, level: float) -> Bools:
    """Return which hypotheses of a sequence, along the last axis, are rejected before the first failure."""
    from scipy.stats import binom

    begun = rows >= starting_rows(rows[..., -1:], target, level)
    failed = begun & (binom.sf(agreeing - 1, rows, target) > level)
    found: Bools = begun & (np.cumsum(failed, axis=-1) == 0)
    return found


def starting_rows(available: Ints, target: float, level: float) -> Ints:
    """Return the number of rows with which a sequence begins.

    With this number, by the normal approximation, a metric with half of the allowed errors passes. It is at most half
    of the available rows, but at least the number that passes without an error, target^n ≤ level.
    """
    from scipy.stats import norm

    least = math.ceil(math.log(level) / math.log(target))
    fair = math.ceil(target / (1 - target) * (2 * norm.isf(level)) ** 2)
    found: Ints = np.maximum(least, np.minimum(fair, available // 2))
    return found


def _test(cuts: Floats, rows: Ints, agreeing: Ints, target: float, level: float) -> tuple[float | None, Side | None]:
    """Return the last rejected threshold and the rows beyond it; None if there is none."""
    from scipy.stats import beta

    passed = np.flatnonzero(rejected_hypotheses(rows, agreeing, target, level))
    if not len(passed):
        return None, None
    n, k = int(rows[passed[-1]]), int(agreeing[passed[-1]])
    return float(cuts[passed[-1]]), Side(n, k, float(beta.ppf(level, k, n - k + 1)))
