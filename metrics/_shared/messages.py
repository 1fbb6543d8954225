"""Format values and counts for messages."""


def short_repr(value: object) -> str:
    """Return a value as messages show it; a long value is truncated."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004


def pluralize(count: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `1,200 rows`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
