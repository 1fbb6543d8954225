"""What a metric and people said of the same answers, as columns that figures of agreement are computed on."""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """What a metric and people said of the same answers; all arrays have one entry a row.

    Attributes:
        scores: The metric's scores.
        verdicts: Whether the metric calls the answer correct; None if it gives no verdicts.
        labels: People's: 1 and 0 for correct and incorrect, or a rating.
        questions: Number of the row's question, from 0. Answers to one question are not independent of each
            other, so the bootstrap draws questions, never rows.
        tie: Two answers whose scores differ by less are as good as each other.
    """

    scores: Floats
    verdicts: Bools | None
    labels: Floats
    questions: Ints
    tie: float = 0.05

    def __post_init__(self) -> None:
        lengths = [len(self.scores), len(self.labels), len(self.questions)]
        lengths += [] if self.verdicts is None else [len(self.verdicts)]
        if len(set(lengths)) != 1 or not lengths[0]:
            raise ValueError(f"expected columns of one length above 0, got lengths {lengths}")
        if not (np.isfinite(self.scores).all() and np.isfinite(self.labels).all()):
            raise ValueError("scores and labels must be finite numbers")

    @property
    def question_count(self) -> int:
        """How many questions there are."""
        return int(np.max(self.questions)) + 1

    @cached_property
    def pairs(self) -> tuple[Ints, Bools]:
        """The question of each pair of answers to it, and whether scores and labels order the pair alike."""
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
    """Where each row stands in a table of distinct labels by distinct scores, both ascending.

    Attributes:
        shape: Numbers of distinct labels and of distinct scores.
        questions: The question of each row, the rows in order of their cells.
        filled: The cells that have rows, counted along the scores.
        starts: Where each of these begins among the rows.
    """

    shape: tuple[int, int]
    questions: Ints
    filled: Ints
    starts: Ints

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
