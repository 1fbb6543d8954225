"""Map the columns of a file to the columns of a metric."""

import inspect
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS

from ..files.column_names import first_present, names_of
from ..files.rows import LISTS, Row, RowsError, did_you_mean, place
from ..options import parse_column_names

# Columns that hold paths.
_PATHS = ("videos", "video_features")

# `against` compares two systems over all rows, so no row has a score of it.
COLUMNS = tuple(column for column in KNOWN_COLUMNS if column != "against")
"""The columns of metrics that a file of rows can fill."""


def parse_column_mapping(given: Iterable[str], known: Collection[str] = COLUMNS) -> dict[str, str]:
    """Turn `["predictions=output"]` into column of the metric → column of the input."""
    return {column: name for column, (name,) in parse_column_names(given, known).items()}


@dataclass(frozen=True)
class MetricColumns:
    """Names of columns in the input."""

    # Column of the metric → column of the input. Other columns are read under one of their usual names, see `names_of`.
    named: Mapping[str, str] = field(default_factory=dict)
    blanks: bool = False  # an empty string means that an optional value is missing, as in CSV
    folder: Path = Path()  # the folder of the input; relative paths of videos start there

    def lists(self) -> set[str]:
        """Return the columns of the input that may hold lists, for `read_rows`."""
        return {name for column in LISTS for name in self.candidates(column)}

    def candidates(self, column: str) -> list[str]:
        """Return the possible names of a column of the metric; the first one that a row has is used."""
        return [self.named[column]] if column in self.named else list(names_of(column))

    def require(self, where: str, rows: Sequence[Row], required: Iterable[str]) -> None:
        """Raise RowsError if no row has a column that is required or was named."""
        present = dict.fromkeys(name for row in rows for name in row)
        for column in dict.fromkeys([*required, *self.named]):
            name = self.name_in(present, column)
            if rows and name not in present:
                hint = f"{did_you_mean(name, present)} Use --column {column}=NAME to read another column."
                if column == "predictions" and "answer" in {*present} - {*self.named.values()}:
                    hint = (
                        "A column 'answer' often holds the right answer. Use --column predictions=answer to score it."
                    )
                raise RowsError(f"{where}: there is no column {name!r}. {hint}")

    def require_one_name(self, source: str | Path, rows: Iterable[tuple[int, Row]], accepted: Iterable[str]) -> None:
        """Raise RowsError if a numbered row has a column under the metric's name and its singular."""
        pairs = [(column, column.removesuffix("s")) for column in accepted if column not in self.named]
        for number, row in rows:
            for one, other in pairs:
                if one != other and one in row and other in row:
                    why = f"there are two columns, {one!r} and {other!r}. Name one with --column {one}=NAME."
                    raise RowsError(f"{place(source, number)}: {why}")

    def name_in(self, row: Container[str], column: str) -> str:
        """Return the name under which a row has a column of the metric, or would have it."""
        names = self.candidates(column)
        return first_present(names, row) or names[0]

    def take(self, rows: Sequence[Row], accepted: Collection[str], required: Collection[str]) -> dict[str, list[Any]]:
        """Return the columns for the metric; a column that no row has is left out unless it is required."""
        taken = {column: self._values(rows, column, column in required) for column in accepted}
        return {
            column: values
            for column, values in taken.items()
            if column in required or any(value is not None for value in values)
        }

    def _values(self, rows: Sequence[Row], column: str, is_required: bool) -> list[Any]:
        names = self.candidates(column)
        values = [next((row[name] for name in names if name in row), None) for row in rows]
        if self.blanks and not is_required:
            values = [None if value == "" else value for value in values]
        if column in _PATHS:
            values = [str(self.folder / value) if isinstance(value, str) else value for value in values]
        return values


def accepted_columns(metric: Any) -> list[str]:
    """Return the columns of a file that a loaded metric accepts: for other metrics, the parameters of `_compute`."""
    known = metric.columns if hasattr(metric, "check_columns") else inspect.signature(metric._compute).parameters
    return [column for column in COLUMNS if column in known]
