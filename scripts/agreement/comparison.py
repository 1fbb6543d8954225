"""Columns from which agreement statistics are computed: a metric's scores and people's labels of the same answers."""

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
    def _cells(self) -> tuple[tuple[int, int], Ints]:
        """The numbers of distinct labels and of distinct scores, and the cell of each row in a table of both."""
        labels, row_labels = np.unique(self.labels, return_inverse=True)
        scores, row_scores = np.unique(self.scores, return_inverse=True)
        return (len(labels), len(scores)), row_labels * len(scores) + row_scores

    def table(self, weights: Floats) -> Floats:
        """Return the weighted number of rows by label and score, both ascending: (replicates, labels, scores)."""
        shape, cells = self._cells
        counts = [np.bincount(cells, times[self.questions], math.prod(shape)) for times in weights]
        return np.reshape(counts, (-1, *shape))


def weighted_sums(questions: Ints, columns: Sequence[NDArray[Any]], weights: Floats) -> Floats:
    """Return the sum of each column, in which a row counts as often as its question: (columns, replicates)."""
    of_question = [np.bincount(questions, weights=column, minlength=weights.shape[1]) for column in columns]
    sums: Floats = weights @ np.stack(of_question, axis=1)
    return sums.T


def quotients(part: Floats, whole: Floats, otherwise: float = math.nan) -> Floats:
    """Divide; `otherwise` where the divisor is 0."""
    found: Floats = np.full_like(whole, otherwise)
    return np.divide(part, whole, out=found, where=whole > 0)
