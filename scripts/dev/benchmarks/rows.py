"""The rows that a benchmark scores: the sample's, or those of a file."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from evaluate_qa.metrics._shared.arguments import Unexpected, texts

from ... import sample
from ...files.rows import RowsError, file_format, read_rows
from ...scoring.columns import MetricColumns, parse_columns

COLUMNS = ("predictions", "references", "questions")


def given_rows(
    source: str | None, column: Iterable[str] | None, required: Sequence[str], limit: int | None = None
) -> dict[str, list[Any]]:
    """Read the columns that are required, under the metric's names; references are a list a row.

    Args:
        source: A file of rows; None for the sample.
        column: Names of columns as typed, such as `predictions=answer`.
        required: Some of `COLUMNS`.
        limit: The first so many rows.

    Raises:
        RowsError: the file cannot be read, has no rows, or lacks a column.
        ValueError: the names are not of that form.
    """
    source = source or str(sample())
    columns = MetricColumns(parse_columns(column or (), COLUMNS), blanks=file_format(source) == ".csv")
    rows = [row for _, row in islice(read_rows(source, columns.lists()), limit)]
    if not rows:
        raise RowsError(f"{source}: there are no rows to score")
    columns.require(source, rows, required)
    taken = columns.take(rows, required, required)
    try:
        return taken | {"references": [texts(value) for value in taken["references"]]}
    except Unexpected as unexpected:
        raise RowsError(f"{source}: references: expected {unexpected}") from None
