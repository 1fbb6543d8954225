"""Identify the rows of files by an id or by their texts."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..files.columns import Columns
from ..files.rows import Row, RowsError
from ..files.values import text

ID = "id"

Key = str | tuple[str, ...]


def both_names(name: str) -> tuple[str, str]:
    """Return both names that a metric's column may have in a file: `question`, `questions`."""
    return name, f"{name}s"


TEXTS = [name for text in ("question", "reference", "prediction") for name in both_names(text)]
"""The columns that a person sees of a row."""


def cell_of(row: Row, name: str) -> object:
    """Return a row's value in a metric's column, under either name; None without a value."""
    return next((row[one] for one in both_names(name) if row.get(one) not in (None, "")), None)


def references_of(row: Row) -> list[str]:
    """Return the references of a row that are not empty."""
    found = cell_of(row, "reference")
    return list(filter(None, map(text, found if isinstance(found, list) else [found])))


def key_names(files: Sequence[Columns], given: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Return, for each file, the columns that identify a row: the given ones, or `id`, or else these texts."""
    if given:
        return [list(given) for _ in files]
    if all(ID in file.present for file in files):
        return [[ID] for _ in files]
    found = []
    for file in files:
        names = [file.first_of(both_names(name)) for name in texts]
        if None in names:
            without_id = next(one.source for one in files if ID not in one.present)
            raise RowsError(
                f"{file.source}: rows cannot be identified. {without_id} has no column 'id', and {file.source} lacks "
                f"{' and '.join(map(repr, texts))}. Name a column that identifies a row with --column id=NAME."
            )
        found.append([str(name) for name in names])
    return found


def index_rows(file: Columns, names: Sequence[str]) -> dict[Key, int]:
    """Return the row of each key, which is `normalize_spaces` text, in the order of the rows.

    Raise RowsError if a column does not exist, an id is empty, or two rows have the same key.
    """
    columns = [[normalize_spaces(value) for value in file.named(name)] for name in names]
    for name, column in zip(names, columns, strict=True):
        if name == ID and "" in column:
            raise RowsError(f"{file.place(column.index(''))}: there is no {name}. Give each row one.")
    keys: Iterable[Key] = columns[0] if len(columns) == 1 else zip(*columns, strict=True)
    index: dict[Key, int] = {}
    for row, key in enumerate(keys):
        if (first := index.setdefault(key, row)) != row:
            raise RowsError(
                f"{file.place(row)}: {describe_key(names, key)} is in {file.place(first).rpartition(', ')[2]}, too. "
                "Drop one of the rows, or name columns that distinguish them, such as --column id=question --column "
                "id=system."
            )
    return index


def normalize_spaces(value: Any) -> str:
    """Return a value as text with single blanks, as spreadsheets change the blanks."""
    found = value if isinstance(value, str) else text(value)
    joined = " ".join(found.split())
    return found if joined == found else joined  # equal text that exists already needs no more memory


def describe_key(names: Sequence[str], key: Key) -> str:
    """Return a key for messages: `id 'a7'`, `question 'Who …' and prediction 'Marie …'`."""
    values = (key,) if isinstance(key, str) else key
    return " and ".join(f"{name} {shorten(value)!r}" for name, value in zip(names, values, strict=True))


def shorten(value: str) -> str:
    """Return text that fits into a message."""
    return value if len(value) <= 60 else f"{value[:60]}…"  # noqa: PLR2004


def require_same_texts(name: str, file: Columns, other: Columns, pairs: Iterable[tuple[int, int]], fix: str) -> None:
    """Raise RowsError if a text column differs between pairs of rows, from this file and the other file.

    Files without the column are not compared.
    """
    columns = file.first_of(both_names(name)), other.first_of(both_names(name))
    if columns[0] is None or columns[1] is None:
        return
    texts, others = file.values[columns[0]], other.values[columns[1]]
    for row, at in pairs:
        one, another = texts[row], others[at]
        if one != another and (one := normalize_spaces(one)) != (another := normalize_spaces(another)):
            raise RowsError(
                f"{file.place(row)}: the {name} is {shorten(one)!r}, but the {name} of the same row in "
                f"{other.place(at)} is {shorten(another)!r}. {fix}"
            )
