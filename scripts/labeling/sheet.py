"""The file that a person labels: its rows, and what was said of each, which is saved at once."""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimation.joining import LABELS, WEIGHT, verdicts
from ..estimation.keys import ID, either, keys, plain
from ..files.claiming import claimed
from ..files.columns import Columns
from ..files.rows import Row, RowsError, file_format, read_rows, require_columns
from ..files.values import text
from ..files.writing import check_place, write_part
from ..labeled_data.files import OF_A_JUDGE

SKIP = "skip"
SAYINGS = ("right", "wrong", SKIP)
"""What is said of an answer, as it is written."""
_SAID = {*SAYINGS, "correct", "incorrect"}

_PATIENCE = 30.0  # seconds in which another writer saves a label

_TEXTS = [name for column in ("question", "reference", "prediction") for name in either(column)]
_JUDGED = ("score", "verdict", "label")  # how columns are called that a metric of ours adds, behind any prefix


@dataclass(frozen=True)
class Shown:
    """What a person sees of a row: not what it scored, nor what looks like others' labels, unless named.

    Attributes:
        question: The question; empty if there is none.
        references: The references.
        answer: The answer.
        more: Other columns that are shown, with their values.
        said: What was said of it; empty if nothing was.
    """

    question: str
    references: list[str]
    answer: str
    more: dict[str, str]
    said: str


class Sheet:
    """Rows to label, in their file.

    Args:
        path: A CSV or JSONL file, such as `evaluate-qa sample` writes.
        label: Its column for labels; by default label or correct, or else a new one.
        show: Other columns that are shown. By default all; but none where one of them tells how answers were judged,
            as then others may, too: a metric adds columns of any name and kind.

    Attributes:
        withheld: The other columns that are not shown by default.

    Raises:
        RowsError: the file cannot be read or written, a label is none or a judge's, there are no answers, or a column
            to show is not there.
    """

    def __init__(self, path: Path, label: str | None = None, show: Sequence[str] = ()) -> None:
        _require_writable(path)
        seen = _state(path) if path.exists() else None  # before the rows, so that a change meanwhile is noticed
        found = list(read_rows(path))
        if not found:
            raise RowsError(f"{path}: there are no rows")
        self.path = path
        self._numbers, self.rows = [number for number, _ in found], [row for _, row in found]
        present = list(dict.fromkeys(name for row in self.rows for name in row))
        self.label = label or next((name for name in LABELS if name in present), LABELS[0])
        if not any(name in present for name in either("prediction")):
            raise RowsError(
                f"{path}: there is no column 'prediction'. Give rows to label, as evaluate-qa sample writes them."
            )
        if label is None and {LABELS[0], OF_A_JUDGE} <= {*present}:
            raise RowsError(
                f"{path}: the column {LABELS[0]!r} holds the verdicts of a judge. Name another column for labels, "
                "such as --column label=mine."
            )
        require_columns(str(path), present, show)
        others = [name for name in present if name not in {ID, WEIGHT, self.label, *LABELS, *_TEXTS}]
        judged = any(_tells_judgement(name, [row.get(name) for row in self.rows]) for name in others)
        self._more, self.withheld = (show, []) if show else ([], others) if judged else (others, [])
        for row in self.rows:
            row.setdefault(self.label, None)
        verdicts(self.columns(), self.label)
        self._seen = seen
        self._lock = threading.Lock()

    def columns(self) -> Columns:
        """Return the rows as columns, for what joins files."""
        present = list(dict.fromkeys(name for row in self.rows for name in row))
        values = {name: [row.get(name) for row in self.rows] for name in present}
        return Columns(str(self.path), self._numbers, values, present)

    def marks(self) -> NDArray[np.float64]:
        """Return the labels, from 0 to 1, and NaN for rows that have none or were skipped."""
        return verdicts(self.columns(), self.label)

    def said(self, row: int) -> str:
        """Return what was said of a row: a label as it stands in the file, `skip`, or nothing."""
        return plain(self.rows[row][self.label])

    def say(self, row: int, saying: str) -> None:
        """Write down what is said of a row, and save the file.

        One writer at a time saves: other threads and processes wait. Labels that another one saved meanwhile are kept.

        Raises:
            RowsError: the file now holds other rows, another program keeps it, or it cannot be written; nothing is
                changed then.
            ValueError: it is none of `SAYINGS`.
        """
        if saying not in SAYINGS:
            raise ValueError(f"{saying!r} was said of a row; expected one of {', '.join(SAYINGS)}")
        with self._lock, claimed(self.path, _PATIENCE):
            rows = self.rows if _state(self.path) == self._seen else self._reread()
            rows = [*rows[:row], {**rows[row], self.label: saying}, *rows[row + 1 :]]
            write_part(self.path, rows)
            self.rows, self._seen = rows, _state(self.path)

    def _reread(self) -> list[Row]:
        """Return the rows as another writer left them; raises RowsError unless they are the same but for labels."""
        rows = [{**found, self.label: found.get(self.label)} for _, found in read_rows(self.path)]
        if [{**found, self.label: None} for found in rows] != [{**found, self.label: None} for found in self.rows]:
            raise RowsError(
                f"{self.path} was changed by another program and now holds other rows. This label is not saved, but "
                "all labels before it are. Start the command again to continue with the changed file"
            )
        return rows

    def next(self, after: int = -1) -> int | None:
        """Return the first row behind another one of which nothing was said, or else the first of all; None at the end.

        A row that was skipped is not asked for again; the person can go back to it.
        """
        count = len(self.rows)
        order = (place % count for place in range(after + 1, after + 1 + count))
        return next((row for row in order if not self.said(row)), None)

    def counts(self) -> dict[str, int]:
        """Return how many rows are right, wrong (a fraction is on the nearer side), skipped and left."""
        marks = self.marks()
        skipped = sum(self.said(row).lower() == SKIP for row in range(len(self.rows)))
        right, wrong = int((marks >= 0.5).sum()), int((marks < 0.5).sum())  # noqa: PLR2004 - half of the scale
        return {"right": right, "wrong": wrong, "skipped": skipped, "left": len(self.rows) - right - wrong - skipped}

    def shown(self, row: int) -> Shown:
        """Return what the person sees of a row."""
        found = self.rows[row]
        return Shown(
            question=_text(_first(found, "question")),
            references=_references(_first(found, "reference")),
            answer=_text(_first(found, "prediction")),
            more={name: _text(found[name]) for name in self._more if _text(found.get(name))},
            said=self.said(row),
        )


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def copy_without_labels(sheet: Sheet, target: Path) -> None:
    """Write the rows of a sheet into a file for another person, as long as there is none."""
    _require_writable(target)
    if file_format(target) != file_format(sheet.path):
        raise RowsError(f"{target}: expected a {file_format(sheet.path)} file, as {sheet.path} is one")
    write_part(target, [{**row, sheet.label: None} for row in sheet.rows])


def require_same_rows(one: Sheet, other: Sheet) -> None:
    """Raise RowsError unless both have the same answers in the same order."""
    names = [name for name in one.columns().present if name != one.label]
    first, second = (keys(sheet.columns(), names) for sheet in (one, other))
    if first != second:
        raise RowsError(f"{other.path} holds other rows than {one.path}; name another file")


def _require_writable(path: Path) -> None:
    if file_format(path) == ".parquet":
        raise RowsError(f"{path}: labels are filled into a .csv or .jsonl file; write one with evaluate-qa sample")
    check_place(path)


def _tells_judgement(name: str, values: Iterable[Any]) -> bool:
    """Whether a column tells how answers were judged: by its name, or as it holds fractions, or right and wrong."""
    if name.lower().endswith(_JUDGED):
        return True
    told = {_text(value).lower() for value in values} - {""}
    return bool(told) and (told <= _SAID or _has_fractions(told))


def _has_fractions(told: Collection[str]) -> bool:
    """Whether all are numbers, some of them written with a point: 1.0 is a score where 1 may be anything."""
    try:
        if not all(isfinite(float(one)) for one in told):
            return False
    except ValueError:
        return False
    return not all(one.lstrip("-").isdecimal() for one in told)


def _first(row: Row, name: str) -> Any:
    return next((row[one] for one in either(name) if one in row), None)


def _references(value: Any) -> list[str]:
    return [_text(one) for one in (value if isinstance(value, list) else [value]) if _text(one)]


def _text(value: Any) -> str:
    return text(value).strip()
