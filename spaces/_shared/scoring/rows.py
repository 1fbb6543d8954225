"""Turning form boxes, API arguments and file rows into rows for the metric."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evaluate_qa.metrics._shared.arguments import clean

from ..metric.hosted import Row
from ..metric.specification import Field
from ..visitors.limits import Refusal, check_count, check_length, shown, uploaded


def from_form(fields: Sequence[Field], entered: Sequence[str | None]) -> Row:
    """Return the row from the texts of the form's boxes, without empty optional ones, or as `from_mapping`."""
    given = {}
    for field, text in zip(fields, entered, strict=True):
        lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
        given[field.name] = lines if field.is_list else (text or "").strip()
    return from_mapping(fields, given)


def from_mapping(fields: Sequence[Field], given: Mapping[str, Any]) -> Row:
    """Return the row from values by the fields' names or by the metric's column names.

    Raise Refusal if a value is missing, too long, or of a wrong type.
    """
    row: Row = {}
    for field in fields:
        value = given.get(field.name, given.get(field.column))
        if value is None or value in ("", []):
            if field.required:
                how = {"text": "Enter one", "video": "Upload one"}.get(field.kind, "Enter at least one")
                raise Refusal(f"There is no {field.label.lower().removesuffix('s')}. {how}.")
            if field.column == "predictions":
                row[field.column] = ""
        elif field.kind == "video":
            row[field.column] = str(uploaded(field.label, value))
        else:
            row[field.column] = _list(field, value) if field.is_list else _text(field, value)
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
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    check_count(field.label, len(values))
    return [_number(field, one) if field.kind == "numbers" else _text(field, one) for one in values]


def _number(field: Field, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise Refusal(f"{field.label}: expected a number, not {shown(value)}.")
    return number
