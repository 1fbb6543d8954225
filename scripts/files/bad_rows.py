"""The file of bad rows, as JSONL: `row` (its number), `error` and `input` (the row)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .rows import Row, RowsError
from .writing import check_place, json_line

_BEGINNING = re.compile(rb'\{"row": \d+, "error": "|\s*$')


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be scored: its number, the error message, and the row, or the line if it cannot be parsed."""

    number: int
    error: str
    input: Row | str


def bad_lines(bad: Iterable[BadRow]) -> bytes:
    """Return the lines of the file of bad rows."""
    rows = ({"row": one.number, "error": one.error, "input": one.input} for one in bad)
    return b"".join(json_line(row, default=repr) for row in rows)


def check_bad_rows(path: Path) -> None:
    """Raise RowsError unless bad rows can be written there. Only a file of bad rows may be replaced."""
    check_place(path)
    if path.is_file():
        with path.open("rb") as file:
            beginning = file.read(100)
        if not _BEGINNING.match(beginning):
            raise RowsError(f"{path} exists and does not hold bad rows. Name another file, or remove it.")
