"""A benchmark: labeled answers, with the groups and statistics for comparing metrics with people."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from evaluate_qa.metrics._shared.columns import Unexpected, texts
from evaluate_qa.metrics._shared.messages import pluralize

from ..files.rows import RowsError, place, read_rows, require_columns
from ..labeled_data.rows import LabeledRow
from ..uncertainty.arrays import Ints
from .baselines import SHORT_ANSWER_BASELINES, Baseline


@dataclass(frozen=True)
class Benchmark:
    """The labeled answers that statistics are computed on."""

    name: str
    rows: list[LabeledRow]
    groups: list[str]  # the groups in display order; each has a table
    statistics: list[str]  # names of the statistics that papers report for this data set
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
    def has_pairs(self) -> bool:
        """True if people compared two answers in each row."""
        return self.rows[0].other is not None

    def distinct_answers(self) -> tuple[list[LabeledRow], list[Ints]]:
        """Return the distinct answers, and for each of `rows` the index of its answer among them.

        An answer that is rated on several aspects has several rows, but is scored once. If people compared answers, a
        second array has the indices of the other answers.
        """
        sides = [self.rows]
        if self.has_pairs:
            sides.append([replace(row, answer=row.other or "") for row in self.rows])
        known: dict[tuple[object, ...], LabeledRow] = {}
        for row in itertools.chain(*sides):
            known.setdefault(row.content, replace(row, other=None))
        numbers = {content: number for number, content in enumerate(known)}
        return list(known.values()), [np.array([numbers[row.content] for row in side]) for side in sides]

    def members(self, group: str) -> list[int]:
        """Return the indices of the rows of a group."""
        return [number for number, row in enumerate(self.rows) if group in row.groups]


def with_synthetic_answers(data: Benchmark, path: Path) -> Benchmark:
    """Return the data with a synthetic answer for each reference of each row.

    The file has rows with `question`, `references` and equally many `synthetic_answers`, in any order.
    """
    known: dict[tuple[str, str], str] = {}
    for number, line in read_rows(path):
        where = place(path, number)
        require_columns(where, line, ["question", "references", "synthetic_answers"])
        try:
            references, answers = texts(line["references"]), texts(line["synthetic_answers"])
        except Unexpected as unexpected:
            raise RowsError(f"{where}: references and synthetic_answers: expected {unexpected}") from None
        if len(references) != len(answers):
            raise RowsError(
                f"{where}: {pluralize(len(references), 'reference')} but {pluralize(len(answers), 'synthetic answer')}"
            )
        known.update(((line["question"], ref), answer) for ref, answer in zip(references, answers, strict=True))
    rows = []
    for row in data.rows:
        for reference in row.references:
            if (row.question, reference) not in known:
                raise RowsError(
                    f"{path} has no synthetic answer for {reference!r} to the question {row.question!r}. Make the "
                    f"file with `evaluate-qa synthesize` from all rows of {data.name}."
                )
        rows.append(replace(row, synthetic_answers=tuple(known[row.question, ref] for ref in row.references)))
    return replace(data, rows=rows)
