"""Two passes over a file of scored rows: one reads the scores and decides, the other writes the rows that are kept.

Only the scores are held in memory.
"""

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..files.rows import LISTS, Row, RowsError, place, read_rows, require_columns
from ..files.writing import write_rows
from .criterion import Criterion


@dataclass(frozen=True)
class Group:
    """What became of the rows of a group.

    Attributes:
        name: Its value in the column that groups are made by; "" if there are none.
        kept: Scores of the rows that are kept.
        dropped: Scores of the others.
    """

    name: str
    kept: list[float]
    dropped: list[float]


@dataclass(frozen=True)
class Selection:
    """Which rows of a file are kept.

    Attributes:
        numbers: Their numbers, as `read_rows` gives them.
        groups: What became of the scored rows, group by group, in order of their first rows.
        unscored: How many rows have no score; none of them is kept.
    """

    numbers: frozenset[int]
    groups: list[Group]
    unscored: int


def decide(source: Path, score_column: str, group_column: str | None, criterion: Criterion) -> Selection:
    """Read the scores and decide which rows are kept, in each group by itself.

    Raises:
        RowsError: the file cannot be read, lacks a column, or holds a score that is no number.
    """
    groups: dict[str, list[tuple[int, float]]] = defaultdict(list)
    unscored = 0
    for number, row in _checked(source, [score_column, *([group_column] if group_column else [])]):
        score = _score(source, number, score_column, row.get(score_column))
        if score is None:
            unscored += 1
        else:
            groups[_name(row.get(group_column)) if group_column else ""].append((number, score))
    if not groups:
        raise RowsError(f"{source}: no row has a number in the column {score_column!r}. Score the rows first.")
    numbers: set[int] = set()
    decided = []
    for name, members in groups.items():
        places = set(criterion.keep([score for _, score in members]))
        kept = [member for at, member in enumerate(members) if at in places]
        dropped = [score for at, (_, score) in enumerate(members) if at not in places]
        numbers.update(number for number, _ in kept)
        decided.append(Group(name, [score for _, score in kept], dropped))
    return Selection(frozenset(numbers), decided, unscored)


def write_kept(source: Path, target: str, selection: Selection, lists: Collection[str] = LISTS) -> int:
    """Write the rows that are kept, as they are, in their order, and return their number.

    Args:
        source: The scored rows.
        target: The file.
        selection: What is kept.
        lists: Columns of a CSV that may hold lists.
    """
    return write_rows(target, (row for number, row in read_rows(source, lists) if number in selection.numbers))


def _checked(source: Path, columns: list[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows; columns must be there, but not in every row."""
    present: dict[str, None] = {}
    for number, row in read_rows(source):
        present |= dict.fromkeys(row)
        yield number, row
    require_columns(str(source), present, columns)


def _score(source: Path, number: int, column: str, value: object) -> float | None:
    """Return a score as a number; in CSV it is a text. None where there is none."""
    if value is None or value == "":
        return None
    try:
        score = float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        score = None
    if score is None:
        raise RowsError(f"{place(source, number)}: the column {column!r} is {value!r}; expected a number")
    return None if math.isnan(score) else score


def _name(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
