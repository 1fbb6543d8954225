"""Values of rows as text and as JSON."""

import json
from datetime import date, time
from typing import Any


def text(value: object) -> str:
    """Return a value as the text of a CSV cell: lists and objects as JSON, `None` as nothing."""
    if value is None:
        return ""
    if hasattr(value, "tolist"):
        value = plain(value)
    return json.dumps(value, ensure_ascii=False, default=plain) if isinstance(value, (list, dict)) else str(value)


def plain(value: Any) -> Any:
    """Return what JSON has no type for as what it has: arrays as lists, dates as ISO 8601 texts.

    Raises:
        TypeError: the value is of another type, for instance bytes.
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (date, time)):
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__}, which JSONL and CSV cannot hold; write Parquet")
