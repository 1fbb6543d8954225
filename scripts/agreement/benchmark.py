"""A benchmark: labeled answers, with the groups and figures for comparing metrics with people."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..labeled_data.rows import LabeledRow
from ..uncertainty.arrays import Ints
from .baselines import SHORT_ANSWER_BASELINES, Baseline


@dataclass(frozen=True)
class Benchmark:
    """The labeled answers that figures are computed on."""

    name: str
    rows: list[LabeledRow]
    groups: list[str]  # the groups in display order; each has a table
    figures: list[str]  # names of the figures that papers report for this data set
    # For each set of questions, the number of dropped rows by reason.
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)
    baselines: Sequence[Baseline] = SHORT_ANSWER_BASELINES
    rated: bool = False  # True if labels are ratings or preferences rather than 1 for correct and 0 for incorrect
    each_reference: bool = False  # True if metrics also run with each reference alone, for the maximum and the mean
    shown: bool = False  # True if the rows may be shown to others, because they are our own
    # If the groups are data sets: name of a mean to the groups that it is over, which are shown side by side.
    means: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"{self.name}: no labeled answer is left. Select more systems, questions or splits.")

    @property
    def compared(self) -> bool:
        """True if people compared two answers in each row."""
        return self.rows[0].other is not None

    def distinct(self) -> tuple[list[LabeledRow], list[Ints]]:
        """Return the distinct answers, and for each of `rows` the index of its answer among them.

        An answer that is rated on several aspects has several rows, but is scored once. If people compared answers, a
        second array has the indices of the other answers.
        """
        sides = [self.rows]
        if self.compared:
            sides.append([replace(row, answer=row.other or "") for row in self.rows])
        known: dict[tuple[object, ...], LabeledRow] = {}
        for row in itertools.chain(*sides):
            known.setdefault(row.content, replace(row, other=None))
        numbers = {content: number for number, content in enumerate(known)}
        return list(known.values()), [np.array([numbers[row.content] for row in side]) for side in sides]

    def members(self, group: str) -> list[int]:
        """Return the indices of the rows of a group."""
        return [number for number, row in enumerate(self.rows) if group in row.groups]
