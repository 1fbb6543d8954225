"""Select the best rows of a scored file, for `evaluate-qa select`; only the scores are held in memory."""

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .files.columns import read_columns
from .files.rows import LISTS, RowsError, place, read_rows
from .files.values import value_of
from .joining.labels import groups_of, parse_numbers
from .joining.signatures import column_beside
from .uncertainty.arrays import Bools, Floats

_TEXTS = (
    *("value_kind", "value_reference", "value_answer", "best_ngram"),
    *("judge_label", "score_source", "reason", "error"),
)
"""Columns of metrics that hold text, which may look like a number."""


@dataclass(frozen=True)
class Criterion:
    """A rule; exactly one field is given. Raise ValueError otherwise, or for a value out of range."""

    fraction: float | None = None  # keep this share of the rows, above 0 and up to 1, rounded to at least one row
    top: int | None = None  # keep this many rows, or all if there are fewer
    threshold: float | None = None  # keep the rows with at least this score

    def __post_init__(self) -> None:
        given = [value for value in (self.fraction, self.top, self.threshold) if value is not None]
        if len(given) != 1:
            raise ValueError("Give one of --fraction, --top or --threshold.")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ValueError(f"--fraction is {self.fraction}; expected more than 0 and at most 1")
        if self.top is not None and self.top < 1:
            raise ValueError(f"--top is {self.top}; expected at least 1")
        if self.threshold is not None and math.isnan(self.threshold):
            raise ValueError("--threshold is nan; expected a number")

    def keep(self, scores: Floats) -> Bools:
        """Return for each score whether it is kept; of equal scores, the first are kept.

        >>> Criterion(top=2).keep(np.array([0.5, 0.9, 0.5, 0.1])).tolist()
        [True, True, False, False]
        """
        if self.threshold is not None:
            return scores >= self.threshold
        count = self.top or max(1, math.floor((self.fraction or 0) * len(scores) + 0.5))
        best = np.argsort(-scores, kind="stable")[:count]  # stable: ties stay in their order
        return np.isin(np.arange(len(scores)), best)


@dataclass(frozen=True)
class Selection:
    """The rows of a file to keep, by their numbers as in `read_rows`, and all columns.

    `groups` maps each group, or "" without groups, to the scores of its kept rows and of its dropped rows.
    """

    numbers: set[int]
    groups: dict[str, tuple[Floats, Floats]]
    unscored: int
    columns: list[str]


def numeric_columns(source: Path, columns: list[str], score: str) -> list[str]:
    """Return the columns of a CSV file that hold only numbers, True, False and empty cells.

    Only the scores and the columns after the first signature of a metric are considered, because a user's column may be
    text that looks like numbers. Raise RowsError for a number that is too large.
    """
    signatures = {column_beside(name, "signature") for name in columns if name.endswith("score")}
    first = next((at for at, name in enumerate(columns) if name in signatures), len(columns))
    added = [name for name in columns[first:] if name not in LISTS and not name.endswith(_TEXTS)]
    found = dict.fromkeys([score, *added], "")  # column → the error about its last number that is too large
    for number, row in read_rows(source):
        for name in list(found):
            value = value_of(row[name])
            if isinstance(value, str):
                del found[name]
            elif value in (math.inf, -math.inf):
                found[name] = f"{place(source, number)}: the column {name!r} is {row[name]!r}"
    if wrong := next(filter(None, found.values()), None):
        raise RowsError(f"{wrong}; expected a number below 1.8e308. Correct it, or write CSV.")
    return list(found)


def select_rows(source: Path, score_column: str, group_column: str | None, criterion: Criterion) -> Selection:
    """Read the scores and apply the rule to all rows or within each group."""
    file = read_columns(source, [score_column, group_column or score_column])
    scores = parse_numbers(file, score_column, "Name another column with --column score=NAME.")
    names = [""] * len(file) if group_column is None else groups_of(file, group_column, np.arange(len(file)))
    members: dict[str, list[int]] = defaultdict(list)
    for row in np.flatnonzero(~np.isnan(scores)).tolist():
        members[names[row]].append(row)
    if not members:
        raise RowsError(f"{source}: no row has a number in the column {score_column!r}. Score the rows first.")
    selected: set[int] = set()
    groups = {}
    for name, rows in members.items():
        kept = criterion.keep(scores[rows])
        selected |= {file.numbers[row] for row in np.array(rows)[kept].tolist()}
        groups[name] = scores[rows][kept], scores[rows][~kept]
    return Selection(selected, groups, int(np.isnan(scores).sum()), file.present)
