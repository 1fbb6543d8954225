"""A jury: several judges decide about each row."""

from collections.abc import Sequence
from dataclasses import dataclass

from .asking import Judging
from .scoring import Ruling, voted
from .verdicts import JudgedRow


@dataclass(frozen=True)
class Jury:
    """Judges that decide together, each with its own requests and stored verdicts.

    Args:
        members: The judges.
        weights: The weight of each judge's vote.
    """

    members: Sequence[Judging]
    weights: Sequence[float]

    def rulings(
        self, rows: Sequence[JudgedRow], raises: bool, prices: tuple[float, float] | None = None
    ) -> list[Ruling]:
        """Return the outcome of each row; see `Judging.rulings`."""
        each = [judge.rulings(rows, raises, prices) for judge in self.members]
        return [voted(ballots, self.weights) for ballots in zip(*each, strict=True)]
