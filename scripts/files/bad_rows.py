"""The file of bad rows, as JSONL: `row` (its number), `error` and `input` (the row)."""

import re
from pathlib import Path

from .rows import RowsError
from .writing import check_place, json_line

_BEGINNING = re.compile(rb'\{"row": \d+, "error": "|\s*$')


def bad_line(number: int, error: str, found: object) -> bytes:
    """Return the line of a bad row."""
    return json_line({"row": number, "error": error, "input": found}, default=repr)


def check_bad_rows(path: Path) -> None:
    """Raise RowsError unless bad rows can be written there. Only a file of bad rows may be replaced."""
    check_place(path)
    if path.is_file():
        with path.open("rb") as file:
            beginning = file.read(100)
        if not _BEGINNING.match(beginning):
            raise RowsError(f"{path} exists and does not hold bad rows. Name another file, or remove it.")
