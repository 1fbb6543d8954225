"""How many examples of each set an epoch draws; half of the labeled answers are right."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..labeled_data.rows import LabeledRow
from .examples import Generator, TrainingExample


@dataclass(frozen=True)
class Balance:
    """How many labeled answers of each set an epoch draws."""

    rows: int | None = None  # number of labeled answers across all sets; None draws as many as there are
    # A data set's share is proportional to its number of answers to this power, and so is the share of each set within
    # it: 0 gives equal shares, 1 gives shares by size.
    temperature: float = 0.5
    # Share of the labeled answers for some data sets, by name; the others divide the rest by their size.
    shares: Mapping[str, float] = field(default_factory=dict)
    # Number of unlabeled pairs of answers to one question, across the data sets that `shares` does not name, for a
    # teacher to judge.
    pairs: int = 0

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 1:
            raise ValueError(f"rows is {self.rows}; expected a whole number of at least 1")
        if self.pairs < 0:
            raise ValueError(f"pairs is {self.pairs}; expected a whole number of at least 0")
        if not 0 <= self.temperature <= 1:
            raise ValueError(f"temperature is {self.temperature}; expected a number from 0 to 1")
        if not all(share > 0 for share in self.shares.values()) or not sum(self.shares.values()) < 1:  # also NaN
            raise ValueError(f"shares is {dict(self.shares)}; expected shares above 0 with a sum below 1")

    def counts(self, count: int, sizes: Sequence[int], data_sets: Sequence[str]) -> list[int]:
        """Return how many of `count` answers to draw from each set, rounded so that the sum holds.

        `sizes` are the numbers of answers in each set, and `data_sets` the names of the data sets they belong to.

        >>> Balance(temperature=0.5).counts(80, [100, 450, 450], ["a", "b", "b"])
        [20, 30, 30]
        >>> Balance(shares={"b": 0.8}).counts(100, [100, 450, 450], ["a", "b", "b"])
        [20, 40, 40]
        """
        members: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(data_sets):
            members[name].append(number)
        shares = np.power(np.asarray(sizes, dtype=np.float64), self.temperature)
        for listed in members.values():
            shares[listed] *= sum(sizes[number] for number in listed) ** self.temperature / shares[listed].sum()
        for name in self.shares.keys() & members.keys():
            others = [number for number, other in enumerate(data_sets) if other not in self.shares]
            rest = shares[others].sum() / (1 - sum(self.shares.values()))
            shares[members[name]] *= self.shares[name] * rest / shares[members[name]].sum()
        ends = np.rint(shares.cumsum() / shares.sum() * count)
        return [int(count) for count in np.diff(ends, prepend=0)]


class Balanced:
    """Draws an epoch's examples from several sets."""

    def __init__(self, generators: Sequence[Generator], balance: Balance) -> None:
        self._generators = generators
        sizes, names = [len(one.rows) for one in generators], [one.data_set for one in generators]
        self._counts = balance.counts(balance.rows or sum(sizes), sizes, names)
        free = [(size, name) for size, name in zip(sizes, names, strict=True) if name not in balance.shares]
        pairs = iter(balance.counts(balance.pairs, *zip(*free, strict=True)))
        self._pairs = [0 if name in balance.shares else next(pairs) for name in names]

    def epoch(self, seed: int) -> list[TrainingExample]:
        """Return one epoch's examples in random order."""
        draw = random.Random(seed)
        examples = []
        for generator, count, pairs in zip(self._generators, self._counts, self._pairs, strict=True):
            rows = drawn(generator.rows, count, draw, generator.weights)
            found = generator.epoch(draw.getrandbits(32), rows) + generator.pairs(pairs, draw)
            examples += [replace(example, data_set=generator.data_set) for example in found]
        draw.shuffle(examples)
        return examples


Examples = Generator | Balanced
"""Draws the examples of an epoch, in random order; the same seed draws the same examples."""


def drawn(
    rows: Sequence[LabeledRow], count: int, draw: random.Random, weights: NDArray[np.float64] | None = None
) -> list[LabeledRow]:
    """Draw answers, half of them right if the rows have both verdicts.

    No answer is drawn twice before every answer with its verdict was drawn once. Weights set the relative frequency of
    answers with the same verdict, as long as there are many more of them than are drawn.
    """
    given = np.ones(len(rows)) if weights is None else weights
    right, wrong = (
        [number for number, row in enumerate(rows) if bool(row.label) is verdict] for verdict in (True, False)
    )
    halves = [(right, count // 2), (wrong, count - count // 2)] if right and wrong else [(right or wrong, count)]
    return [rows[number] for listed, wanted in halves for number in _weighted(listed, given, wanted, draw)]


def _weighted(listed: Sequence[int], weights: NDArray[np.float64], count: int, draw: random.Random) -> list[int]:
    """Draw without replacement: the answers with the highest u ** (1 / weight) (Efraimidis and Spirakis, 2006)."""
    whole, rest = divmod(count, len(listed))
    keys = {number: draw.random() ** (1 / weights[number]) for number in listed}
    return [*listed] * whole + sorted(listed, key=keys.__getitem__, reverse=True)[:rest]
