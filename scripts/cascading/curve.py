"""What a cascade with any band does: whom it asks, how far it agrees with people, what it costs. Pure, on arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEPS = 50
"""Bands on the curve, less one."""


@dataclass(frozen=True)
class LabeledScores:
    """Rows with people's labels.

    Args:
        scores: The matcher's, from 0 to 1, shape (rows,).
        labels: Whether people call the answer correct, shape (rows,).
        judged: Whether the model does, as 1 and 0, NaN where its verdict is not known, shape (rows,).
        threshold: Score from which the matcher calls an answer correct.
    """

    scores: Floats
    labels: Bools
    judged: Floats
    threshold: float = 0.5

    @property
    def matched(self) -> Bools:
        """Whether the matcher is right, shape (rows,)."""
        right: Bools = (self.scores >= self.threshold) == self.labels
        return right

    @property
    def modelled(self) -> Bools:
        """Whether the model is right, of the rows of which its verdict is known."""
        return self.model_within(np.ones(len(self.scores), dtype=bool))

    def model_within(self, within: Bools) -> Bools:
        """Return whether it is right on those of some rows of which its verdict is known."""
        known = within & ~np.isnan(self.judged)
        right: Bools = (self.judged[known] == 1) == self.labels[known]
        return right


@dataclass(frozen=True)
class Point:
    """A cascade.

    Args:
        low: Lower end of the band in which the model is asked, low ≤ score < high.
        high: Its upper end.
        asked: Share of the rows within it.
        agreement: Share of all rows on which the cascade agrees with people; None where no verdict of the model is
            known within the band. Where some are, their share stands for the others'.
        decided: Agreement of the matcher outside of the band; None where nothing is outside.
        cost: Of 1,000 rows; None without prices.
    """

    low: float
    high: float
    asked: float
    agreement: float | None
    decided: float | None
    cost: float | None


def point(rows: LabeledScores, low: float, high: float, cost_of_one: float | None = None) -> Point:
    """Return what becomes of the rows with a band: agreement = (1 − asked) · decided + asked · the model's within it.

    Args:
        rows: The rows.
        low: Lower end of the band.
        high: Its upper end; a band up to 1 holds the score 1, too.
        cost_of_one: Mean cost of asking about a row.
    """
    within = (low <= rows.scores) & ((rows.scores < high) | (high == 1))
    asked = float(within.mean())
    decided = float(rows.matched[~within].mean()) if asked < 1 else None
    model = rows.model_within(within)
    agreement = decided if not asked else None
    if len(model):
        agreement = (1 - asked) * (decided or 0.0) + asked * float(model.mean())
    return Point(low, high, asked, agreement, decided, None if cost_of_one is None else 1000 * asked * cost_of_one)


def curve(rows: LabeledScores, cost_of_one: float | None = None) -> list[Point]:
    """Return cascades from the matcher alone to the model alone; equal ones once.

    The band widens from the verdict's threshold t: for w from 0 to 1 it is from t · (1 − w) to t + (1 − t) · w.
    """
    t, points = rows.threshold, []
    for step in range(_STEPS + 1):
        w = step / _STEPS
        points.append(point(rows, t * (1 - w), t + (1 - t) * w, cost_of_one))
    return [one for at, one in enumerate(points) if at == 0 or one.asked != points[at - 1].asked]


def cost_of_one(sent: float, received: float, prices: tuple[float, float]) -> float:
    """Return what it costs to ask about a row, by mean tokens and prices of a million."""
    return (sent * prices[0] + received * prices[1]) / 1e6
