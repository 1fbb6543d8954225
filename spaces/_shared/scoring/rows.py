"""From what a visitor entered, in the form, by the API or in a file, to a row for the metric."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..metric import Field, Row
from ..visitors.limits import LIMITS, Limits, Refusal, check_count, check_length, shown
from ..visitors.uploads import uploaded


def from_form(fields: Sequence[Field], entered: Sequence[str | None], limits: Limits = LIMITS) -> Row:
    """Return the row from the texts of the form's boxes; one that is empty and may be is left out.

    Raises:
        Refusal: a box is empty that must not be, or holds too much, or something that is no number.
    """
    given = {}
    for field, text in zip(fields, entered, strict=True):
        lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
        whole = (text or "").strip()
        values: dict[str, Any] = {"text": whole, "video": whole, "lines": lines, "numbers": lines}
        given[field.name] = values[field.kind] or None
    return from_mapping(fields, given, limits)


def from_mapping(fields: Sequence[Field], given: Mapping[str, Any], limits: Limits = LIMITS) -> Row:
    """Return the row from values by the fields' names, or by the metric's names of the columns.

    Raises:
        Refusal: a value is missing, too long or of a wrong kind.
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
            continue
        row[field.column] = _READERS[field.kind](field, value, limits)
    return row


def to_form(fields: Sequence[Field], row: Row) -> list[str]:
    """Return the texts of the form's boxes that make this row."""
    values = [row.get(field.column, "") for field in fields]
    return ["\n".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]


def _text(field: Field, value: Any, limits: Limits) -> str:
    if not isinstance(value, str):
        raise Refusal(f"{field.label}: expected a text, not {shown(value)}.")
    check_length(field.label, value, limits)
    # As the metrics do: what UTF-8 cannot hold could be neither shown nor sent.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _list(field: Field, value: Any, limits: Limits) -> list[Any]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    check_count(field.label, len(values), limits)
    if field.kind == "numbers":
        return [_number(field, number) for number in values]
    return [_text(field, text, limits) for text in values]


def _video(field: Field, value: Any, _: Limits) -> str:
    return str(uploaded(field.label, value))


def _number(field: Field, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise Refusal(f"{field.label}: expected a number, not {shown(value)}.")
    return number


_READERS: dict[str, Callable[[Field, Any, Limits], Any]] = {
    "text": _text,
    "lines": _list,
    "numbers": _list,
    "video": _video,
}
