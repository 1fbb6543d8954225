"""Turning form boxes, API arguments and the rows of uploaded files into rows for the metric.

Rows of a file that cannot be read are named and skipped.
"""

import io
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluate_qa.files.column_names import first_present, names_of
from evaluate_qa.files.rows import Broken, RowsError, parse_records
from evaluate_qa.metrics._shared.columns import clean, is_list_as_text

from ..metric.hosted import Row
from ..metric.specification import ANSWER, Field
from ..visitors.limits import LIMITS, Refusal, check_count, check_length, check_rows, shown, uploaded

SUFFIXES = (".jsonl", ".csv")
OTHER = "prediction_b"
"""The column of another system's answers, which may also be called:"""
OTHERS = "predictions_b"

_OTHER_ANSWER = replace(ANSWER, label="Other answer")


@dataclass
class UploadedTable:
    """The rows of a file."""

    name: str
    suffix: str  # ".jsonl" or ".csv"; "" for rows that did not come from a file
    places: list[int] = field(default_factory=list)  # number of each row in the file, starting at 1
    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # reasons why other rows were skipped
    columns: dict[str, str] = field(default_factory=dict)  # column of the metric, or `OTHERS` → name in the file
    # Another system's answer for each row; empty if the file has no such column.
    others: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """The word for a row in the file's format."""
        return "line" if self.suffix == ".jsonl" else "row"

    @property
    def answer(self) -> str:
        """The file's name for the column of answers."""
        return self.columns.get("predictions", "prediction")

    def of_others(self) -> "UploadedTable":
        """Return the same rows with the other system's answers."""
        rows = [{**row, "predictions": other} for row, other in zip(self.rows, self.others, strict=True)]
        return replace(self, rows=rows, columns={**self.columns, "predictions": self.columns[OTHERS]}, others=[])


def read(path: Path, fields: Sequence[Field]) -> UploadedTable:
    """Read a file; raise Refusal if it is too large, has another format, or contains no usable row."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refusal(f"{path.name}: unknown file type. Use {' or '.join(SUFFIXES)}.")
    if path.stat().st_size > LIMITS.file_bytes:
        raise Refusal(f"{path.name}: the file is larger than {LIMITS.file_bytes // 2**20} MB. Upload a part of it.")
    with path.open("rb") as lines:
        return parse(UploadedTable(path.name, suffix), lines, fields)


def parse(table: UploadedTable, lines: Iterable[bytes], fields: Sequence[Field]) -> UploadedTable:
    """Add the rows of a file, in the table's format, to the table, by the rules of `evaluate-qa score`."""
    lists = {name for f in fields if f.is_list for name in names_of(f.column)}
    try:
        return collect(table, parse_records(lines, table.name, lists), fields)
    except RowsError as error:
        raise Refusal(str(error)) from error


def parse_rows(rows: list[Row] | str, fields: Sequence[Field]) -> UploadedTable:
    """Return the table of a list of objects, or of the text of a JSON list, or of a JSONL or CSV file."""
    if isinstance(rows, str) and rows.lstrip().startswith("["):
        rows = parse_list(rows)
    if isinstance(rows, str):
        suffix = ".jsonl" if rows.lstrip().startswith("{") else ".csv"
        return parse(UploadedTable(f"rows{suffix}", suffix), io.BytesIO(rows.encode(errors="replace")), fields)
    if not isinstance(rows, list):
        raise Refusal("rows: expected a list of objects, one per answer, or the text of a JSONL or CSV file.")
    return collect(UploadedTable("rows", ""), enumerate(rows, 1), fields)


def collect(table: UploadedTable, records: Iterator[tuple[int, Any]], fields: Sequence[Field]) -> UploadedTable:
    """Add records to a table; the reasons for skipping unusable ones go to its problems.

    Raise Refusal if there are too many rows, a column is missing, no row is usable, or another system's answers are
    incomplete or identical.
    """
    others: list[str | None] = []
    found: dict[str, None] = {}  # the columns, in order
    for place, record in records:
        found |= dict.fromkeys(record if isinstance(record, dict) else ())
        check_rows(len(table.rows) + len(table.problems) + 1)
        if isinstance(record, Broken):
            table.problems.append(record.message.removeprefix(f"{table.name}, "))
            continue
        try:
            if not isinstance(record, dict):
                raise Refusal(f'expected an object such as {{"prediction": "Paris", …}}, not {shown(record)}.')
            row, other = from_mapping(fields, record), _other(record)
        except Refusal as refusal:
            table.problems.append(f"{table.word} {place}: {refusal}")
            continue
        table.rows.append(row)
        others.append(other)
        table.places.append(place)
    _check_columns(table, fields, found)
    names = {**{f.column: names_of(f.column) for f in fields}, OTHERS: (OTHER, OTHERS)}
    table.columns |= {column: name for column in names if (name := first_present(names[column], found))}
    table.others = _checked(table, others)
    check_rows(len(table.rows) + len(table.problems), 2 if table.others else 1)
    return table


def _check_columns(table: UploadedTable, fields: Sequence[Field], found: Collection[str]) -> None:
    """Raise Refusal if a column is missing or no row is usable."""
    missing = [f"'{f.name}'" for f in fields if not (f.is_optional or first_present(names_of(f.column), found))]
    expected = ", ".join(f"{f.name} (optional)" if f.is_optional else f.name for f in fields)
    if found and missing:
        raise Refusal(
            f"{table.name}: there is no column {' or '.join(missing)}. Found: {', '.join(found):.200}. "
            f"Expected: {expected}. Rename or add columns."
        )
    if not table.rows:
        first = f" The first problem is in {table.problems[0]}" if table.problems else ""
        raise Refusal(f"{table.name}: no row can be scored; expected the columns {expected}.{first}")


def _other(record: dict[str, Any]) -> str | None:
    """Return the other system's answer, which may be empty; None if there is none."""
    given = record.get(OTHER, record.get(OTHERS))
    return None if given is None else str(from_mapping([_OTHER_ANSWER], {"prediction": given})["predictions"])


def _checked(table: UploadedTable, others: Sequence[str | None]) -> list[str]:
    """Return the other system's answers; raise Refusal if they are incomplete or identical to the first ones."""
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


def from_form(fields: Sequence[Field], entered: Sequence[str | None]) -> Row:
    """Return the row from the texts of the form's boxes, without empty optional ones, or as `from_mapping`."""
    given = {}
    for one, text in zip(fields, entered, strict=True):
        lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
        given[one.name] = lines if one.is_list else (text or "").strip()
    return from_mapping(fields, given)


def from_mapping(fields: Sequence[Field], given: Mapping[str, Any]) -> Row:
    """Return the row from values by the names that the fields may have in files.

    Raise Refusal if a value is missing, too long, or of a wrong type.
    """
    row: Row = {}
    for one in fields:
        value = next((given[name] for name in names_of(one.column) if given.get(name) is not None), None)
        if value is None or value in ("", []):
            if one.column == "predictions" and value is not None:
                row[one.column] = ""
            elif not one.is_optional:
                how = {"text": "Enter one", "video": "Upload one"}.get(one.kind, "Enter at least one")
                raise Refusal(f"There is no {one.label.lower().removesuffix('s')}. {how}.")
        elif one.kind == "video":
            row[one.column] = str(uploaded(one.label, value))
        else:
            row[one.column] = _list(one, value) if one.is_list else _text(one, value)
    return row


def to_form(fields: Sequence[Field], row: Row) -> list[str]:
    """Return the texts of the form's boxes for this row."""
    values = [row.get(field.column, "") for field in fields]
    return ["\n".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]


def _text(field: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise Refusal(f"{field.label}: expected a text, not {shown(value)}.")
    check_length(field.label, value)
    return clean(value)


def _list(field: Field, value: Any) -> list[Any]:
    value = parse_list(value) if is_list_as_text(value) else value
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    check_count(field.label, len(values))
    return [_number(field, one) if field.kind == "numbers" else _text(field, one) for one in values]


def parse_list(text: str) -> Any:
    """Return the list that a text holds as JSON; the text itself if it holds none."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


def _number(field: Field, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise Refusal(f"{field.label}: expected a number, not {shown(value)}.")
    return number
