"""Which columns of a file a metric gets its columns from, and how a row of the file becomes a row for the metric."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import KNOWN_COLUMNS

from ..files.rows import LISTS, Row, RowsError, did_you_mean
from ..loading import known_columns

# Columns whose texts are paths.
_PATHS = ("videos", "video_features")


def parse_columns(given: Iterable[str], known: Collection[str] = KNOWN_COLUMNS) -> dict[str, str]:
    """Turn `["predictions=answer"]` into column of the metric → column of the input.

    Raises:
        ValueError: one is not of this form, or there is no such column of a metric.
    """
    named = {}
    for text in given:
        column, _, name = text.partition("=")
        if not name:
            raise ValueError(
                f"--column {text!r} names no column of the input. Write it like --column predictions=answer."
            )
        if column not in known:
            raise ValueError(f"--column {text!r}: no column {column!r} is read. {did_you_mean(column, known)}")
        named[column] = name
    return named


@dataclass(frozen=True)
class MetricColumns:
    """Names of columns in the input.

    Args:
        named: Column of the metric → column of the input. One that is not here is looked for under the metric's name
            for it, then under its singular: `predictions`, `prediction`.
        blanks: Whether an empty text stands for no value where a value may be missing, as it does in CSV.
        folder: Where relative paths of videos start: that of the input, with which they move.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    blanks: bool = False
    folder: Path = Path()

    def lists(self) -> set[str]:
        """Return the columns of the input that may hold lists, for `read_rows`."""
        return {name for column in LISTS for name in self.candidates(column)}

    def candidates(self, column: str) -> list[str]:
        """Return where a column of the metric is looked for: the first of these that a row has."""
        return [self.named[column]] if column in self.named else [column, column.removesuffix("s")]

    def require(self, where: str, rows: Sequence[Row], required: Iterable[str]) -> None:
        """Raise RowsError unless some of the rows have the columns that are required or were named by the user."""
        present = dict.fromkeys(name for row in rows for name in row)
        for column in dict.fromkeys([*required, *self.named]):
            if rows and not any(name in present for name in self.candidates(column)):
                name = self.candidates(column)[0]
                told = f"{did_you_mean(name, present)} Use --column {column}=NAME to read another column."
                raise RowsError(f"{where}: there is no column {name!r}. {told}")

    def name_in(self, row: Row, column: str) -> str:
        """Return the name under which a row has a column of the metric, or would have it."""
        names = self.candidates(column)
        return next((name for name in names if name in row), names[0])

    def take(self, rows: Sequence[Row], accepted: Collection[str], required: Collection[str]) -> dict[str, list[Any]]:
        """Return what the metric is called with; a column that no row has is left out unless it is required."""
        taken = {column: [self._value(row, column, column in required) for row in rows] for column in accepted}
        return {
            column: values
            for column, values in taken.items()
            if column in required or any(value is not None for value in values)
        }

    def _value(self, row: Row, column: str, is_required: bool) -> Any:
        value = row.get(self.name_in(row, column))
        if value == "" and self.blanks and not is_required:
            return None
        return str(self.folder / value) if column in _PATHS and isinstance(value, str) else value


def accepted(metric: Any) -> list[str]:
    """Return the columns of a file that a loaded metric takes."""
    known = known_columns(metric)
    return [column for column in KNOWN_COLUMNS if column in known]


def reads_videos(metric: Any) -> bool:
    """Return whether a metric takes videos."""
    return "videos" in accepted(metric)
