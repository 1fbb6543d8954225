"""Format values and counts for messages, and warn."""

import sys
import warnings


def short_repr(value: object) -> str:
    """Return a value as messages show it; a long value is truncated."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004


def pluralize(count: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `1,200 rows`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def warn(message: str) -> None:
    """Warn at the user's line: the first frame outside of this package and of evaluate."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals["__name__"].split(".")[0] in {"evaluate", "evaluate_modules", "evaluate_qa"}:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
