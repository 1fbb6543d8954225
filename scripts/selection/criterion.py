"""The rule by which scores are kept: the best fraction, the best N, or all from a threshold on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Criterion:
    """A rule; exactly one field is given.

    Args:
        fraction: Keep this share of the rows, above 0 and up to 1, rounded to at least one row.
        top: Keep this many rows, or all if there are fewer.
        threshold: Keep the rows with at least this score.

    Raises:
        ValueError: no field or several are given, or a value is out of range.
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
            raise ValueError("--threshold is nan; expected a number")

    def keep(self, scores: Sequence[float]) -> list[int]:
        """Return the indices of the kept scores, ascending; of equal scores, the first are kept.

        >>> Criterion(top=2).keep([0.5, 0.9, 0.5, 0.1])
        [0, 1]
        """
        if self.threshold is not None:
            return [place for place, score in enumerate(scores) if score >= self.threshold]
        best = sorted(range(len(scores)), key=lambda place: -scores[place])  # stable: ties stay in their order
        count = self.top or max(1, math.floor((self.fraction or 0) * len(scores) + 0.5))
        return sorted(best[:count])
