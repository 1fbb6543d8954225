"""Convert values of rows to text and JSON."""

import json
import re
from contextlib import suppress
from datetime import date, time
from typing import Any

# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,99})(\.\d+)?(e[+-]?\d+)?")
_LITERALS = {"True": True, "False": False, "": None}


def text(value: object) -> str:
    """Return a value as the text of a CSV cell: lists and objects as JSON, `None` as an empty cell."""
    if value is None:
        return ""
    if hasattr(value, "tolist"):
        value = to_json(value)
    return json.dumps(value, ensure_ascii=False, default=to_json) if isinstance(value, (list, dict)) else str(value)


def value_of(cell: str) -> object:
    """Return the number, boolean or None that `text` wrote as the cell; the cell itself if it is other text."""
    if cell in _LITERALS:
        return _LITERALS[cell]
    return json.loads(cell) if _NUMBER.fullmatch(cell) else cell


def is_formula(value: object) -> bool:
    """Return whether a spreadsheet would run a cell of a CSV file as a formula."""
    if not isinstance(value, str) or not _FORMULA.match(value):
        return False
    with suppress(ValueError):
        float(value)
        return False
    return True


def to_json(value: Any) -> Any:
    """Convert arrays to lists and dates to strings in ISO 8601; raise TypeError for other values, such as bytes."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (date, time)):
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__}, which JSONL and CSV cannot hold; write Parquet")
