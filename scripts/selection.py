"""Decide which rows of a scored file to keep, for `evaluate-qa select`; only the scores are held in memory."""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .files.rows import RowsError, place, read_rows, require_columns


@dataclass(frozen=True)
class Criterion:
    """A rule; exactly one field is given. Raise ValueError otherwise, or for a value out of range."""

    fraction: float | None = None  # keep this share of the rows, above 0 and up to 1, rounded to at least one row
    top: int | None = None  # keep this many rows, or all if there are fewer
    threshold: float | None = None  # keep the rows with at least this score

    def __post_init__(self) -> None:
        given = [value for value in (self.fraction, self.top, self.threshold) if value is not None]
        if len(given) != 1:
            raise ValueError(f"Give exactly one of --fraction, --top and --threshold; the command has {len(given)}.")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ValueError(f"--fraction is {self.fraction}; expected more than 0 and at most 1")
        if self.top is not None and self.top < 1:
            raise ValueError(f"--top is {self.top}; expected at least 1")
        if self.threshold is not None and math.isnan(self.threshold):
            raise ValueError("--threshold is nan; expected a number")

    def keep(self, scores: Sequence[float]) -> list[int]:
        """Return the indices of the kept scores, ascending; of equal scores, the first are kept.

        >>> Criterion(top=2).keep([0.5, 0.9, 0.5, 0.1])
        [0, 1]
        """
        if self.threshold is not None:
            return [place for place, score in enumerate(scores) if score >= self.threshold]
        best = sorted(range(len(scores)), key=lambda place: -scores[place])  # stable: ties stay in their order
        count = self.top or max(1, math.floor((self.fraction or 0) * len(scores) + 0.5))
        return sorted(best[:count])


@dataclass(frozen=True)
class Group:
    """Scores of the kept and the dropped rows of a group; the name is "" without groups."""

    name: str
    kept: list[float]
    dropped: list[float]


@dataclass(frozen=True)
class Selection:
    """The rows of a file to keep, by their numbers as in `read_rows`, the scored rows by group, and all columns."""

    numbers: set[int]
    groups: list[Group]
    unscored: int
    columns: list[str]


def decide(source: Path, score_column: str, group_column: str | None, criterion: Criterion) -> Selection:
    """Read the scores and apply the rule to all rows or within each group."""
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
    return Selection(numbers, decided, unscored, list(present))


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
