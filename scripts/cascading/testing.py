"""The band outside of which a matcher agrees with people: fixed-sequence testing. Pure, on arrays.

**Guarantee.** With a probability of at least `confidence`, over the draw of the labelled rows, the verdict of a new row
that the matcher decides agrees with people's with a probability of at least `target`: below the band, above it, and so
outside of it altogether. It holds for any number of rows and however the matcher is calibrated, if

- the labelled rows are drawn at random from rows like those that will be judged (questions, systems, languages),
  independently of each other: of several answers to one question take one;
- the matcher was not trained on them, and the band is chosen once, not until it pleases;
- the labels are right: people's disagreement counts as the matcher's.

It says nothing of the model's verdicts inside the band.

**Method** (Jung, Brahman and Choi 2024, Trust or Escalate, section 2; Bauer 1991; Angelopoulos et al. 2021). Each side
has a fixed sequence of thresholds, from the surest scores to the verdict's threshold. For each in turn the hypothesis
"beyond it the agreement is below the target" is tested by the exact binomial test at the level (1 − confidence) / 2:
p = P(Bin(n, target) ≥ k) for k of n rows that agree. The first one that is not rejected ends the sequence, so that no
correction for the number of thresholds is needed; two halves of the level are for the two sides. A sequence begins
where there are rows enough for a fair chance (`enough`), which looks at scores alone.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_STEPS = (0.001, 0.002, 0.005, *(step / 100 for step in range(1, 100)))
"""How far from 0, or from 1, thresholds lie."""


@dataclass(frozen=True)
class Side:
    """What the matcher decides on one side of the band.

    Args:
        rows: Labelled rows there.
        agreeing: Those of them on which people agree with it.
        bound: Lower confidence bound of the agreement (Clopper and Pearson), at the side's half of the level.
    """

    rows: int
    agreeing: int
    bound: float


@dataclass(frozen=True)
class CheckedBand:
    """The band in which the model is asked: low ≤ score < high.

    Args:
        low: 0 where the matcher is never sure that an answer is incorrect.
        high: 1 where it is never sure that one is correct.
        below: What it decides below `low`; None for nothing.
        above: What it decides from `high` on; None for nothing.
    """

    low: float
    high: float
    below: Side | None
    above: Side | None


def find_band(
    scores: Floats, labels: Bools, threshold: float = 0.5, target: float = 0.95, confidence: float = 0.95
) -> CheckedBand:
    """Return the narrowest band outside of which the matcher agrees with people, see above.

    Args:
        scores: The matcher's, from 0 to 1, shape (rows,).
        labels: Whether people call the answer correct, shape (rows,).
        threshold: Score from which the matcher calls an answer correct.
        target: Agreement that is wanted, above 0 and below 1.
        confidence: Probability with which it is kept, above 0 and below 1.

    Raises:
        ValueError: `target`, `confidence` or `threshold` is out of range, or there are no rows.
    """
    check_shares(target=target, confidence=confidence, threshold=threshold)
    if not len(scores):
        raise ValueError("there are no labelled rows")
    level = (1 - confidence) / 2
    lows, highs = thresholds(threshold)
    low, below = _tested(lows, counts(scores, lows), counts(scores[~labels], lows), target, level)
    above_t, correct = (len(some) - counts(some, highs) for some in (scores, scores[labels]))
    high, above = _tested(highs, above_t, correct, target, level)
    return CheckedBand(0.0 if low is None else low, 1.0 if high is None else high, below, above)


def check_shares(**values: float) -> None:
    """Raise ValueError for a value that is not above 0 and below 1."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value:g}; expected a number above 0 and below 1")


def thresholds(threshold: float) -> tuple[Floats, Floats]:
    """Return the thresholds of both sides, the surest first: from 0 up, and from 1 down, to the verdict's."""
    lows = [step for step in _STEPS if step < threshold]
    highs = [round(1 - step, 3) for step in _STEPS if 1 - step > threshold + 1e-9]
    return np.array([*lows, threshold]), np.array([*highs, threshold])


def counts(scores: Floats, cuts: Floats) -> Ints:
    """Return how many scores lie below each threshold, shape (thresholds,)."""
    return np.searchsorted(np.sort(scores), cuts, side="left").astype(np.int64)


def rejected(rows: Ints, agreeing: Ints, target: float, level: float) -> Bools:
    """Return which hypotheses of a sequence, the last axis, are rejected: all but the first ones, up to a failure.

    Args:
        rows: Rows beyond each threshold, which grow along the sequence, shape (…, thresholds).
        agreeing: Those on which the matcher agrees with people, of the same shape.
        target: Agreement that is wanted.
        level: Of the test.
    """
    from scipy.stats import binom

    begun = rows >= enough(rows[..., -1:], target, level)
    failed = begun & (binom.sf(agreeing - 1, rows, target) > level)
    found: Bools = begun & (np.cumsum(failed, axis=-1) == 0)
    return found


def enough(available: Ints, target: float, level: float) -> Ints:
    """Return with how many rows a sequence begins.

    With so many, by the normal approximation, that a matcher passes that errs half as often as it may; or with half of
    the rows that there are, if that is fewer; but with as many as it takes to pass without an error, target^n ≤ level.
    """
    from scipy.stats import norm

    least = math.ceil(math.log(level) / math.log(target))
    fair = math.ceil(target / (1 - target) * (2 * norm.isf(level)) ** 2)
    found: Ints = np.maximum(least, np.minimum(fair, available // 2))
    return found


def _tested(cuts: Floats, rows: Ints, agreeing: Ints, target: float, level: float) -> tuple[float | None, Side | None]:
    """Return the last threshold that is rejected, and what lies beyond it; None if there is none."""
    from scipy.stats import beta

    passed = np.flatnonzero(rejected(rows, agreeing, target, level))
    if not len(passed):
        return None, None
    last = int(passed[-1])
    n, k = int(rows[last]), int(agreeing[last])
    return float(cuts[last]), Side(n, k, float(beta.ppf(level, k, n - k + 1)))
