"""Identify the rows of files by an id or by their texts."""

from collections.abc import Container, Iterable, Sequence
from typing import Any

from evaluate_qa.metrics._shared.messages import short_repr

from ..files.column_names import first_present, names_of
from ..files.columns import Columns
from ..files.rows import Row, RowsError
from ..files.values import text

ID = "id"

Key = str | tuple[str, ...]


TEXTS = ("questions", "references", "predictions")
"""The columns that a person sees of a row."""


def text_names(present: Container[str]) -> list[str]:
    """Return the names of `TEXTS` in a file or row."""
    return [name for column in TEXTS if (name := first_present(names_of(column), present)) is not None]


def cell_of(row: Row, column: str) -> object:
    """Return a row's value in a metric's column, under the first of its names that the row has; None without one."""
    return row.get(first_present(names_of(column), row) or column)


def references_of(row: Row) -> list[str]:
    """Return the references of a row that are not empty."""
    found = cell_of(row, "references")
    return list(filter(None, map(text, found if isinstance(found, list) else [found])))


def key_names(files: Sequence[Columns], given: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Return, for each file, the columns that identify a row: the given ones, or `id`, or else these texts."""
    if given:
        return [list(given) for _ in files]
    if all(ID in file.present for file in files):
        return [[ID] for _ in files]
    found = []
    for file in files:
        names = [file.first_of(names_of(column)) for column in texts]
        if None in names:
            without_id = next(one.source for one in files if ID not in one.present)
            lacking = " and ".join(repr(column.removesuffix("s")) for column in texts)
            raise RowsError(
                f"{file.source}: rows cannot be identified. {without_id} has no column 'id', and {file.source} lacks "
                f"{lacking}. Name a column that identifies a row with --column id=NAME."
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
                "Drop one of the rows, or name columns that together identify a row, each with --column id=NAME."
            )
    return index


def normalize_spaces(value: Any) -> str:
    """Return a value as text with single blanks, as spreadsheets change the blanks; 3.0 is 3, as pandas changes ids."""
    is_whole = isinstance(value, float) and value.is_integer()
    found = value if isinstance(value, str) else text(int(value) if is_whole else value)
    joined = " ".join(found.split())
    return found if joined == found else joined  # equal text that exists already needs no more memory


def describe_key(names: Sequence[str], key: Key) -> str:
    """Return a key for messages: `id 'a7'`, `question 'Who …' and prediction 'Marie …'`."""
    values = (key,) if isinstance(key, str) else key
    return " and ".join(f"{name} {short_repr(value)}" for name, value in zip(names, values, strict=True))


def _comparable(value: Any) -> str:
    """Return a value as text with single blanks; a list, such as of references, without its order."""
    items = sorted({normalize_spaces(item) for item in (value if isinstance(value, list) else [value])})
    return items[0] if len(items) == 1 else text(items)


def require_same_texts(column: str, file: Columns, other: Columns, pairs: Iterable[tuple[int, int]], fix: str) -> None:
    """Raise RowsError if a text column differs between pairs of rows, from this file and the other file.

    Files without the column are not compared.
    """
    name, other_name = file.first_of(names_of(column)), other.first_of(names_of(column))
    if name is None or other_name is None:
        return
    texts, others, what = file.values[name], other.values[other_name], column.removesuffix("s")
    for row, at in pairs:
        one, another = texts[row], others[at]
        if one != another and (one := _comparable(one)) != (another := _comparable(another)):
            raise RowsError(
                f"{file.place(row)}: the {what} is {short_repr(one)}, but the {what} of the same row in "
                f"{other.place(at)} is {short_repr(another)}. {fix}"
            )
