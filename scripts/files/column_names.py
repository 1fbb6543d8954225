"""The names that a column may have in a file."""

from collections.abc import Container, Iterable

# Column of a metric → its names; the last ones are those in a request of the metric judge to a decision endpoint.
# A column `answer` is not read, because it often holds the right answer.
_NAMES = {
    "questions": ("questions", "question"),
    "references": ("references", "reference", "reference_answers"),
    "predictions": ("predictions", "prediction", "answer_to_judge"),
}


def names_of(column: str) -> tuple[str, ...]:
    """Return the names that a metric's column may have in a file; the first one that a row has is used."""
    return _NAMES.get(column, (column, column.removesuffix("s")))


def first_present(names: Iterable[str], present: Container[str]) -> str | None:
    """Return the first name that is present; None if none is."""
    return next((name for name in names if name in present), None)
