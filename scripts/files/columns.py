"""Read some columns of a file into memory; from Parquet, only these columns are read."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluate_qa.metrics._shared.columns import is_list_as_text

from .column_names import first_present
from .rows import LISTS, Row, RowsError, open_parquet, parse_list, place, read_rows, require_columns, source_name

if TYPE_CHECKING:
    from ..uncertainty.arrays import Bools


@dataclass(frozen=True)
class Columns:
    """Columns of a file."""

    source: str
    numbers: Sequence[int]  # the number of each row, as in `read_rows`
    # Column → its values, None where a row has none. Columns that the file lacks are left out.
    values: dict[str, list[Any]]
    present: list[str]  # all columns of the file

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, row: int) -> str:
        """Return file and line of a row, for messages."""
        return place(self.source, self.numbers[row])

    def named(self, name: str, fix: str = "") -> list[Any]:
        """Return a column; raises RowsError with the most similar name and a fix if the file lacks it."""
        require_columns(source_name(self.source), self.present, [name], fix)
        return self.values[name]

    def require(self, name: str, is_right: "Bools", expected: str) -> None:
        """Raise RowsError for the first row whose value in a column is not right."""
        if not is_right.all():
            row = int(is_right.argmin())
            raise RowsError(
                f"{self.place(row)}: the column {name!r} is {self.values[name][row]!r}; expected {expected}"
            )

    def first_of(self, names: Iterable[str]) -> str | None:
        """Return the first of some columns that the file has."""
        return first_present(names, self.present)


def read_columns(source: str | Path, names: Collection[str]) -> Columns:
    """Read the columns with these names that the file has; raise RowsError if it cannot be read or has no rows."""
    if Path(source).suffix.lower() == ".parquet" and Path(source).is_file():
        found = _from_parquet(Path(source), names)
    else:
        found = columns_of(source, read_rows(source), names)
    if not found.numbers:
        raise RowsError(f"{source_name(source)}: there are no rows")
    return found


def _from_parquet(path: Path, names: Collection[str]) -> Columns:
    with open_parquet(path) as file:
        present = file.schema_arrow.names
        table = file.read(columns=[name for name in present if name in names])
        values = {name: table[name].to_pylist() for name in table.column_names}
        for name in values.keys() & {*LISTS}:
            for at, value in enumerate(values[name]):
                if is_list_as_text(value):
                    values[name][at] = parse_list(place(path, at + 1), name, value)
        return Columns(str(path), range(1, file.metadata.num_rows + 1), values, present)


def columns_of(source: str | Path, rows: Iterable[tuple[int, Row]], names: Collection[str]) -> Columns:
    """Return the columns with these names of numbered rows."""
    numbers: list[int] = []
    present: dict[str, None] = {}
    values: dict[str, list[Any]] = {name: [] for name in names}
    for number, row in rows:
        numbers.append(number)
        if not row.keys() <= present.keys():
            present.update(dict.fromkeys(row))
        for name, column in values.items():
            column.append(row.get(name))
    there = {name: column for name, column in values.items() if name in present}
    return Columns(str(source), numbers, there, list(present))
