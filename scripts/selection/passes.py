"""Decide which rows of a scored file to keep; only the scores are held in memory."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from ..files.rows import RowsError, place, read_rows, require_columns
from .criterion import Criterion


@dataclass(frozen=True)
class Group:
    """Scores of the kept and the dropped rows of a group; the name is "" without groups."""

    name: str
    kept: list[float]
    dropped: list[float]


@dataclass(frozen=True)
class Selection:
    """The rows of a file to keep.

    Attributes:
        numbers: Row numbers as in `read_rows`.
        groups: The scored rows by group, in order of their first rows.
        unscored: Number of rows without a score, which are dropped.
    """

    numbers: set[int]
    groups: list[Group]
    unscored: int


def decide(source: Path, score_column: str, group_column: str | None, criterion: Criterion) -> Selection:
    """Read the scores and apply the rule to all rows or within each group.

    Raises:
        RowsError: the file cannot be read, lacks a column, or has a score that is not a number.
    """
    groups: dict[str, list[tuple[int, float]]] = defaultdict(list)
    present: dict[str, None] = {}
    unscored = 0
    for number, row in read_rows(source):
        present |= dict.fromkeys(row)
        score = _score(source, number, score_column, row.get(score_column))
        if score is None:
            unscored += 1
        else:
            group = row.get(group_column) if group_column else ""
            name = group if isinstance(group, str) else json.dumps(group, ensure_ascii=False, default=str)
            groups[name].append((number, score))
    require_columns(str(source), present, [score_column, *([group_column] if group_column else [])])
    if not groups:
        raise RowsError(f"{source}: no row has a number in the column {score_column!r}. Score the rows first.")
    numbers, decided = set(), []
    for name, members in groups.items():
        kept = {members[at][0] for at in criterion.keep([score for _, score in members])}
        numbers |= kept
        parts = [[score for number, score in members if (number in kept) == is_kept] for is_kept in (True, False)]
        decided.append(Group(name, *parts))
    return Selection(numbers, decided, unscored)


def _score(source: Path, number: int, column: str, value: object) -> float | None:
    """Return a score as a number; None without a score."""
    if value is None or value == "":
        return None
    try:
        score = float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        score = None
    if score is None:
        raise RowsError(f"{place(source, number)}: the column {column!r} is {value!r}; expected a number")
    return None if math.isnan(score) else score
