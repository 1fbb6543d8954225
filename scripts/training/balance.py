"""Examples from several sets: how many labelled answers of each an epoch draws, half of them right."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..agreement.labelled import LabelledRow
from .examples import Example, Generator


class Examples(Protocol):
    """What draws the examples of an epoch, in random order; the same ones for the same seed."""

    def epoch(self, seed: int) -> list[Example]:
        """Return one epoch's examples."""


@dataclass(frozen=True)
class Balance:
    """How many labelled answers of each set an epoch draws.

    Attributes:
        rows: Of all sets together; None for as many as they have.
        temperature: A set's share is its number of answers to this power: with 0 all sets have the same, with 1 each
            as many as it has.
    """

    rows: int | None = None
    temperature: float = 0.5

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 1:
            raise ValueError(f"rows is {self.rows}; expected at least 1 labelled answer an epoch")
        if not 0 <= self.temperature <= 1:
            raise ValueError(f"temperature is {self.temperature}; expected a number from 0 to 1")

    def counts(self, sizes: Sequence[int]) -> list[int]:
        """Return how many answers are drawn of sets of these sizes, as near to their shares as whole numbers allow.

        >>> Balance(rows=90, temperature=0.5).counts([100, 400, 900])
        [15, 30, 45]
        """
        shares = np.power(np.asarray(sizes, dtype=np.float64), self.temperature)
        ends = np.rint(shares.cumsum() / shares.sum() * (self.rows or sum(sizes)))
        return [int(count) for count in np.diff(ends, prepend=0)]


class Balanced:
    """Draws an epoch's examples from several sets; what one set's examples are made with is from that set.

    Args:
        generators: One for each set.
        balance: How many labelled answers are drawn of each.
    """

    def __init__(self, generators: Sequence[Generator], balance: Balance) -> None:
        self._generators = generators
        self._counts = balance.counts([len(generator.rows) for generator in generators])

    def epoch(self, seed: int) -> list[Example]:
        """Return one epoch's examples in random order."""
        draw = random.Random(seed)
        examples = []
        for generator, count in zip(self._generators, self._counts, strict=True):
            rows = drawn(generator.rows, count, draw)
            examples += generator.epoch(draw.getrandbits(32), rows)
        draw.shuffle(examples)
        return examples


def drawn(rows: Sequence[LabelledRow], count: int, draw: random.Random) -> list[LabelledRow]:
    """Draw answers, half of them right if there are such of both verdicts.

    Among those of a verdict each is drawn as often as any other, or once more.
    """
    right, wrong = ([row for row in rows if bool(row.label) is verdict] for verdict in (True, False))
    if not right or not wrong:
        return _evenly(rows, count, draw)
    return _evenly(right, count // 2, draw) + _evenly(wrong, count - count // 2, draw)


def _evenly(rows: Sequence[LabelledRow], count: int, draw: random.Random) -> list[LabelledRow]:
    whole, rest = divmod(count, len(rows))
    return [*rows] * whole + draw.sample(rows, rest)
