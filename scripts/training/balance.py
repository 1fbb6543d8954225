"""Examples from several sets: how much of each an epoch draws, half of its labelled answers right."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..labeled_data.rows import LabeledRow
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
        temperature: A data set's share is its number of answers to this power, and in it that of each of its sets: with
            0 all have the same, with 1 each as many as it has.
        pairs: Of all sets together, pairs of answers to one question that nobody labelled, for a teacher to judge.
    """

    rows: int | None = None
    temperature: float = 0.5
    pairs: int = 0

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 1:
            raise ValueError(f"rows is {self.rows}; expected at least 1 labelled answer an epoch")
        if self.pairs < 0:
            raise ValueError(f"pairs is {self.pairs}; expected 0 or more an epoch")
        if not 0 <= self.temperature <= 1:
            raise ValueError(f"temperature is {self.temperature}; expected a number from 0 to 1")

    def counts(self, sizes: Sequence[int], data_sets: Sequence[str] | None = None) -> list[int]:
        """Return how many answers are drawn of sets of these sizes, as near to their shares as whole numbers allow.

        Args:
            sizes: Each set's number of answers.
            data_sets: Name of the data set that each is a part of; by default each is one by itself.

        >>> Balance(rows=90, temperature=0.5).counts([100, 400, 900])
        [15, 30, 45]
        >>> Balance(rows=90, temperature=0.5).counts([100, 450, 450], ["a", "b", "b"])
        [23, 34, 33]
        """
        members: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(data_sets or map(str, range(len(sizes)))):
            members[name].append(number)
        shares = np.power(np.asarray(sizes, dtype=np.float64), self.temperature)
        for listed in members.values():
            shares[listed] *= sum(sizes[number] for number in listed) ** self.temperature / shares[listed].sum()
        ends = np.rint(shares.cumsum() / shares.sum() * (self.rows or sum(sizes)))
        return [int(count) for count in np.diff(ends, prepend=0)]


@dataclass(frozen=True)
class Pool:
    """What an epoch draws from: a set's labelled answers.

    Attributes:
        generator: Of examples; what these are made with is from that set.
        data_set: Name of the data set that the set is a part of.
        weights: How often each answer is drawn in proportion to others of its verdict; None for alike.
    """

    generator: Generator
    data_set: str
    weights: NDArray[np.float64] | None = None


class Balanced:
    """Draws an epoch's examples from several sets.

    Args:
        pools: One for each set.
        balance: How many labelled answers are drawn of each.
    """

    def __init__(self, pools: Sequence[Pool], balance: Balance) -> None:
        self._pools = pools
        sizes, names = [len(pool.generator.rows) for pool in pools], [pool.data_set for pool in pools]
        self._counts = balance.counts(sizes, names)
        self._pairs = replace(balance, rows=balance.pairs).counts(sizes, names) if balance.pairs else [0] * len(pools)

    def epoch(self, seed: int) -> list[Example]:
        """Return one epoch's examples in random order."""
        draw = random.Random(seed)
        examples = []
        for pool, count, pairs in zip(self._pools, self._counts, self._pairs, strict=True):
            rows = drawn(pool.generator.rows, count, draw, pool.weights)
            examples += pool.generator.epoch(draw.getrandbits(32), rows)
            examples += pool.generator.pairs(pairs, draw)
        draw.shuffle(examples)
        return examples


def drawn(
    rows: Sequence[LabeledRow], count: int, draw: random.Random, weights: NDArray[np.float64] | None = None
) -> list[LabeledRow]:
    """Draw answers, half of them right if there are such of both verdicts.

    None is drawn twice before all of its verdict are drawn once. The weights say how often an answer is drawn in
    proportion to others of its verdict, as long as these are many more than are drawn.
    """
    given = np.ones(len(rows)) if weights is None else weights
    right, wrong = (
        [number for number, row in enumerate(rows) if bool(row.label) is verdict] for verdict in (True, False)
    )
    halves = [(right, count // 2), (wrong, count - count // 2)] if right and wrong else [(right or wrong, count)]
    return [rows[number] for listed, wanted in halves for number in _weighted(listed, given, wanted, draw)]


def _weighted(listed: Sequence[int], weights: NDArray[np.float64], count: int, draw: random.Random) -> list[int]:
    """Draw without replacement, by the highest of u ** (1 / weight) (Efraimidis and Spirakis, 2006)."""
    whole, rest = divmod(count, len(listed))
    keys = {number: draw.random() ** (1 / weights[number]) for number in listed}
    return [*listed] * whole + sorted(listed, key=keys.__getitem__, reverse=True)[:rest]
