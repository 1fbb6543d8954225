"""Which scores are kept: the best fraction, the best N, or all that reach a threshold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Criterion:
    """What is kept; one of the three is given.

    Args:
        fraction: Keep this share of the rows, from 0 to 1: rounded to the nearest number of rows, at least one.
        top: Keep this many rows, or all if there are fewer.
        threshold: Keep the rows with at least this score.

    Raises:
        ValueError: none or several are given, or a value is outside its range.
    """

    fraction: float | None = None
    top: int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        given = [value for value in (self.fraction, self.top, self.threshold) if value is not None]
        if len(given) != 1:
            raise ValueError(f"{len(given)} rules were given. Give one of --fraction, --top and --threshold.")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ValueError(f"--fraction is {self.fraction}; expected more than 0 and at most 1")
        if self.top is not None and self.top < 1:
            raise ValueError(f"--top is {self.top}; expected at least 1")
        if self.threshold is not None and math.isnan(self.threshold):
            raise ValueError("--threshold is not a number")

    def keep(self, scores: Sequence[float]) -> list[int]:
        """Return the places of the scores that are kept, ascending; of equal scores the first are kept.

        >>> Criterion(top=2).keep([0.5, 0.9, 0.5, 0.1])
        [0, 1]
        """
        if self.threshold is not None:
            return [place for place, score in enumerate(scores) if score >= self.threshold]
        best = sorted(range(len(scores)), key=lambda place: -scores[place])  # a stable sort: ties in their order
        return sorted(best[: self._count(len(scores))])

    def _count(self, rows: int) -> int:
        if self.top is not None:
            return self.top
        share = (self.fraction or 0) * rows
        return max(1, math.floor(share + 0.5))
