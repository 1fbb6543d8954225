"""What says that rows of two files are the same row: the columns that identify it, and their texts."""

from collections.abc import Sequence
from typing import Any

from ..files.columns import Columns
from ..files.rows import RowsError
from ..files.values import text

ID = "id"

Key = str | tuple[str, ...]


def either(name: str) -> tuple[str, str]:
    """Return the names that a column of metrics has in files: `question`, `questions`."""
    return name, f"{name}s"


def key_names(files: Sequence[Columns], given: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Return, for each file, the columns that identify a row: those given, or `id`, or else these texts.

    Raises:
        RowsError: a file has none of them.
    """
    if given:
        return [list(given) for _ in files]
    if all(ID in file.present for file in files):
        return [[ID] for _ in files]
    found = []
    for file in files:
        names = [file.first_of(either(name)) for name in texts]
        if None in names:
            told = " and ".join(repr(name) for name in texts)
            raise RowsError(
                f"{file.source}: rows cannot be identified. {_lacking(files)} has no column 'id', and this file lacks "
                f"{told}. Name a column that identifies a row with --column id=NAME."
            )
        found.append([str(name) for name in names])
    return found


def _lacking(files: Sequence[Columns]) -> str:
    return next(file.source for file in files if ID not in file.present)


def keys(file: Columns, names: Sequence[str]) -> list[Key]:
    """Return what identifies each row; runs of blanks count as one blank, and numbers are as in CSV.

    Raises:
        RowsError: a column is not there, or a row has nothing in it.
    """
    columns = [[plain(value) for value in file.named(name)] for name in names]
    for name, column in zip(names, columns, strict=True):
        if name == ID and "" in column:
            raise RowsError(f"{file.place(column.index(''))}: there is no {name}. Give each row one.")
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True))


def plain(value: Any) -> str:
    """Return a value as a text without runs of blanks, which spreadsheets change."""
    found = value if isinstance(value, str) else text(value)
    joined = " ".join(found.split())
    return found if joined == found else joined  # the text that is there already takes no memory again


def places(file: Columns, found: Sequence[Key], names: Sequence[str]) -> dict[Key, int]:
    """Return the row of each key.

    Raises:
        RowsError: two rows have the same.
    """
    index = dict(zip(found, range(len(found)), strict=True))
    if len(index) < len(found):
        seen: dict[Key, int] = {}
        for row, key in enumerate(found):
            if (first := seen.setdefault(key, row)) != row:
                raise RowsError(
                    f"{file.place(row)}: {told(names, key)} is in {_number(file.place(first))}, too. Drop one of "
                    "the rows, or name columns that distinguish them, such as --column id=question --column id=system."
                )
    return index


def told(names: Sequence[str], key: Key, most: int = 60) -> str:
    """Return a key for messages: `id 'a7'`, `question 'Who …' and prediction 'Marie …'`."""
    values = (key,) if isinstance(key, str) else key
    short = [value if len(value) <= most else f"{value[:most]}…" for value in values]
    return " and ".join(f"{name} {value!r}" for name, value in zip(names, short, strict=True))


def _number(place: str) -> str:
    return place.rpartition(", ")[2]
