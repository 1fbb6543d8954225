"""Rows from an uploaded file: JSONL, CSV or Parquet. A row that cannot be read is named, the rest is kept."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..metric import ANSWER, Field, Row
from ..visitors.limits import LIMITS, Limits, Refusal, check_rows, shown
from . import unpacking
from .rows import from_mapping

SUFFIXES = (".jsonl", ".csv", ".parquet")
OTHER = "prediction_b"
"""What the column of another system's answers is called, or like the metrics' columns:"""
OTHERS = "predictions_b"

_TWICE = "two columns have the same name. Rename one."
_NOT_UNPACKED = {unpacking.DAMAGED: "the file is damaged, or it is not Parquet.", unpacking.TWICE: _TWICE}
_OTHER_ANSWER = replace(ANSWER, label="Other answer")


@dataclass
class UploadedTable:
    """What a file holds.

    Attributes:
        name: The file's name.
        suffix: Its format.
        places: Where each row stands in the file, counted from 1.
        rows: The rows.
        problems: What is wrong with the others.
        columns: Column of the metric, or `OTHERS` → name in the file.
        others: Another system's answer of each row; empty if the file has no such column.
    """

    name: str
    suffix: str
    places: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """What a row is called where it stands."""
        return "line" if self.suffix == ".jsonl" else "row"

    @property
    def answer(self) -> str:
        """What the column of answers is called in the file."""
        return self.columns.get("predictions", "prediction")

    def of_others(self) -> "UploadedTable":
        """Return the same rows with the other system's answers for answers."""
        rows = [{**row, "predictions": other} for row, other in zip(self.rows, self.others, strict=True)]
        return replace(self, rows=rows, columns={**self.columns, "predictions": self.columns[OTHERS]}, others=[])


def read(path: Path, fields: Sequence[Field], limits: Limits = LIMITS) -> UploadedTable:
    """Read a file.

    Raises:
        Refusal: it is too large, of another format, or no row of it can be used.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refusal(f"{path.name}: unknown file type. Use {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    if path.stat().st_size > limits.file_bytes:
        raise Refusal(f"{path.name}: the file is larger than {limits.file_bytes // 2**20} MB. Upload a part of it.")
    if suffix == ".csv":
        records = _csv(path, {name for f in fields if f.is_list for name in (f.name, f.column)}, limits)
    else:
        records = _jsonl(path) if suffix == ".jsonl" else _parquet(path, fields, limits)
    return collect(UploadedTable(path.name, suffix), records, fields, limits)


def collect(
    table: UploadedTable, records: Iterator[tuple[int, Any]], fields: Sequence[Field], limits: Limits = LIMITS
) -> UploadedTable:
    """Put records into a table; those that cannot be used go to its problems.

    Raises:
        Refusal: there are too many, none can be used, or another system's answers are not there in all rows, or are
            the same.
    """
    others: list[str | None] = []
    names: dict[str, None] = {}  # of the columns, in order
    for place, record in records:
        names |= dict.fromkeys(record if isinstance(record, dict) else ())
        check_rows(len(table.rows) + len(table.problems) + 1, limits)
        try:
            if isinstance(record, Refusal):
                raise record
            row, other = from_mapping(fields, _mapping(record), limits), _other(record, limits)
            columns = _named(record, fields, table.columns)
        except Refusal as refusal:
            table.problems.append(f"{table.word} {place}: {refusal}")
            continue
        table.rows.append(row)
        others.append(other)
        table.places.append(place)
        table.columns |= columns
    if not table.rows:
        raise Refusal(f"{table.name}: {_unusable(table, fields, names)}")
    table.others = _checked(table, others)
    check_rows(len(table.rows) + len(table.problems), limits, 2 if table.others else 1)
    return table


def _unusable(table: UploadedTable, fields: Sequence[Field], names: Mapping[str, None]) -> str:
    """Return why a file without a usable row cannot be scored: columns are missing, or what its first problem is."""
    needed = [f for f in fields if f.required or f.column == ANSWER.column]
    missing = [f"'{f.name}'" for f in needed if not {f.name, f.column} & names.keys()]
    if names and missing:
        return f"there is no column {' or '.join(missing)}. Found: {', '.join(names):.200}."
    first = f" The first problem is in {table.problems[0]}" if table.problems else ""
    return f"no row can be scored; expected the columns {', '.join(f.name for f in fields)}.{first}"


def _named(record: dict[str, Any], fields: Sequence[Field], before: Mapping[str, str]) -> dict[str, str]:
    """Return column → name in a record, which is that of the rows before, or what takes all rows could name none."""
    pairs = [*((f.column, f.name) for f in fields), (OTHERS, OTHER)]
    found = {column: name for column, short in pairs for name in (column, short) if name in record}
    for column, name in found.items():
        if before.get(column, name) != name:
            raise Refusal(f"{name}: earlier rows call this column {before[column]}. Use one name in all rows.")
    return found


def _other(record: dict[str, Any], limits: Limits) -> str | None:
    """Return the other system's answer, which may be empty; None if there is none."""
    given = record.get(OTHER, record.get(OTHERS))
    return None if given is None else str(from_mapping([_OTHER_ANSWER], {"prediction": given}, limits)["predictions"])


def _checked(table: UploadedTable, others: Sequence[str | None]) -> list[str]:
    """Return the other system's answers; none if no row has one. Raises Refusal if they cannot be compared."""
    there = [place for place, other in zip(table.places, others, strict=True) if other is not None]
    lacking = [place for place, other in zip(table.places, others, strict=True) if other is None]
    if there and lacking:
        raise Refusal(
            f"{table.name}: {table.word} {lacking[0]} has no {table.columns[OTHERS]}, but {table.word} {there[0]} has "
            'one. Fill it in every row ("" for an empty answer), or leave the column out.'
        )
    if there and others == [row["predictions"] for row in table.rows]:
        raise Refusal(
            f"{table.name}: {table.columns[OTHERS]} equals {table.answer} in every {table.word}, from {there[0]} to "
            f"{there[-1]}. Use another system's answers, or leave the column out."
        )
    return [other for other in others if other is not None]


def _mapping(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise Refusal(f'expected an object such as {{"prediction": "Paris", …}}, not {shown(record)}.')
    return record


def _jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    for place, line in enumerate(_decoded(path).split("\n"), 1):
        if line.strip():
            try:
                yield place, json.loads(line)
            except (ValueError, RecursionError):
                yield place, Refusal(f"this is not JSON: {line.strip()!r:.60}")


def _csv(path: Path, lists: Set[str], limits: Limits) -> Iterator[tuple[int, Any]]:
    """Yield the rows by the rules of `evaluate-qa score`: a cell is a text, or in these columns maybe a JSON list."""
    csv.field_size_limit(limits.file_bytes)
    reader = csv.reader(io.StringIO(_decoded(path), newline=""), strict=True)
    try:
        header = next(reader, [])
        if len({*header}) < len(header):
            raise Refusal(f"{path.name}: {_TWICE}")
        for place, cells in enumerate(filter(None, reader), 1):
            yield place, _record(header, cells, lists)
    except csv.Error as error:
        raise Refusal(f"{path.name}: the file is not CSV ({error}).") from error


def _record(header: list[str], cells: list[str], lists: Set[str]) -> dict[str, Any] | Refusal:
    if len(cells) != len(header):
        return Refusal(f"{len(cells)} cells, but the header has {len(header)}. Put cells with commas in quotes.")
    record: dict[str, Any] = dict(zip(header, cells, strict=True))
    for name in lists & record.keys():
        if record[name].startswith("["):
            try:
                record[name] = json.loads(record[name])
            except (ValueError, RecursionError):
                return Refusal(
                    f'{name}: this is not a JSON list: {record[name]!r:.60}. Write ["a", "b"], or ["[so] …"].'
                )
    return record


def _parquet(path: Path, fields: Sequence[Field], limits: Limits) -> Iterator[tuple[int, Any]]:
    """Yield the rows with the columns that are needed, as `unpacking` writes them."""
    columns = [OTHER, OTHERS, *(name for f in fields for name in (f.name, f.column))]
    with subprocess.Popen([sys.executable, unpacking.__file__, path, *columns], stdout=subprocess.PIPE) as process:
        written = process.stdout.read(limits.unpacked_bytes + 1) if process.stdout else b""
        too_large = len(written) > limits.unpacked_bytes
        if too_large:
            process.kill()
    for place, line in enumerate(written.split(b"\n")[:-1], 1):
        row = json.loads(line)
        yield place, Refusal(row) if isinstance(row, str) else row
    if too_large or process.returncode < 0 or process.returncode == unpacking.TOO_LARGE:
        size = limits.unpacked_bytes // 2**20
        raise Refusal(f"{path.name}: the unpacked file is larger than {size} MB, or damaged. Upload a part of it.")
    if process.returncode in _NOT_UNPACKED:
        raise Refusal(f"{path.name}: {_NOT_UNPACKED[process.returncode]}")
    if process.returncode:
        raise RuntimeError(f"what unpacks a file ended with {process.returncode}")


def _decoded(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # not as text, which makes one kind of line break of all
    except UnicodeDecodeError as error:
        raise Refusal(f"{path.name}: the file is not UTF-8 text. Save it as UTF-8.") from error
