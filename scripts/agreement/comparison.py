"""Columns from which agreement figures are computed: a metric's scores and people's labels of the same answers."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..uncertainty.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Comparison:
    """A metric's scores and people's labels of the same answers; each array has one entry per row."""

    scores: Floats
    verdicts: Bools | None  # True where the metric calls the answer correct; None without verdicts
    labels: Floats  # 1 for correct and 0 for incorrect, or a rating
    # Number of the row's question, from 0. The bootstrap resamples questions rather than rows, because answers to one
    # question depend on each other.
    questions: Ints
    tie: float = 0.05  # two answers tie if their scores differ by less

    @property
    def question_count(self) -> int:
        """Number of questions."""
        return int(np.max(self.questions)) + 1

    @cached_property
    def pairs(self) -> tuple[Ints, Bools]:
        """The question of each pair of answers to one question, and whether scores and labels order the pair alike."""
        rows_of: dict[int, list[int]] = {}
        for row, question in enumerate(self.questions.tolist()):
            rows_of.setdefault(question, []).append(row)
        pairs = [pair for rows in rows_of.values() for pair in itertools.combinations(rows, 2)]
        one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        difference = self.scores[one] - self.scores[other]
        outcome = np.where(np.abs(difference) < self.tie, 0, np.sign(difference))
        return self.questions[one], outcome == np.sign(self.labels[one] - self.labels[other])

    @cached_property
    def cells(self) -> "Cells":
        """The rows sorted into a table of distinct labels by distinct scores."""
        return Cells.of(self)


@dataclass(frozen=True)
class Cells:
    """The cell of each row in a table of distinct labels by distinct scores, both ascending."""

    shape: tuple[int, int]  # numbers of distinct labels and of distinct scores
    questions: Ints  # the question of each row; rows are in the order of their cells
    filled: Ints  # flat indices of the cells that have rows
    starts: Ints  # index of the first row of each of these cells

    @classmethod
    def of(cls, comparison: Comparison) -> "Cells":
        """Sort the rows, once for all replicates."""
        labels, row_labels = np.unique(comparison.labels, return_inverse=True)
        scores, row_scores = np.unique(comparison.scores, return_inverse=True)
        cells = row_labels * len(scores) + row_scores
        order = np.argsort(cells, kind="stable")
        filled, starts = np.unique(cells[order], return_index=True)
        return cls((len(labels), len(scores)), comparison.questions[order], filled, starts)

    def count(self, weights: Floats) -> Floats:
        """Return the weighted number of rows in each cell: (replicates, labels, scores)."""
        table = np.zeros((len(weights), math.prod(self.shape)))
        table[:, self.filled] = np.add.reduceat(weights[:, self.questions], self.starts, axis=1)
        return table.reshape(-1, *self.shape)


def weighted_sums(questions: Ints, columns: Sequence[NDArray[Any]], weights: Floats) -> Floats:
    """Return the sum of each column, in which a row counts as often as its question: (columns, replicates)."""
    of_question = [np.bincount(questions, weights=column, minlength=weights.shape[1]) for column in columns]
    sums: Floats = weights @ np.stack(of_question, axis=1)
    return sums.T


def quotients(part: Floats, whole: Floats, otherwise: float = math.nan) -> Floats:
    """Divide; `otherwise` where the divisor is 0."""
    found: Floats = np.full_like(whole, otherwise)
    return np.divide(part, whole, out=found, where=whole > 0)
