"""Check every row of a metric's input and bring it to one form, before any model is loaded.

`evaluate` validates row 0 only and turns what it does not expect into strings (`None` into `"None"`, a bare
string into its characters), so rows are checked here, before its Arrow writer sees them.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# Every column that a metric of this family knows. All of them accept all of these, so that `evaluate.combine`,
# which hands every keyword to every metric, works; a metric ignores those it has no use for.
KNOWN_COLUMNS = (
    "predictions",
    "references",
    "questions",
    "synthetic_answers",
    "reference_weights",
    "against",
    "keywords",
    "videos",
    "video_features",
)

Check = Callable[[Any], Any]
"""Takes one row of a column, returns it in canonical form or raises Unexpected."""


class RowError(Exception):
    """Mixed into the errors about one row; `column` and `row` say which."""

    def __init__(self, message: str, column: str, row: int) -> None:
        super().__init__(message)
        self.column, self.row = column, row


class RowValueError(RowError, ValueError):
    """A row with a value that cannot be scored."""


class RowTypeError(RowError, TypeError):
    """A row of the wrong type."""


class Unexpected(Exception):  # noqa: N818 - a signal from a row check to check_column, never seen by a caller
    """Raised by a row check: what was expected, and whether the type or the value is at fault."""

    def __init__(self, expected: str, error: type[RowError] = RowTypeError) -> None:
        super().__init__(expected)
        self.error = error


def clean(text: str) -> str:
    """Return the text as a plain `str` that UTF-8 can hold: surrogate pairs are joined, lone ones become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str.__str__(text)  # `str(text)` of an enumeration's member would be the member's name


def prediction(value: object) -> str:
    """Check one prediction. An empty one passes: it is a wrong answer, not an error."""
    if not isinstance(value, str):
        raise Unexpected("a string")
    return clean(value)


def question(value: object) -> str:
    """Check one question. `None` and `""` both stand for a row without one and come back as `""`."""
    return "" if value is None else prediction(value)


def texts(value: object) -> list[str]:
    """Check one row of references: a string, or a non-empty list of strings, none of them blank."""
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string or a non-empty list of strings")
    if not items or not all(item.strip() for item in items):
        raise Unexpected("a string or a non-empty list of strings, none of them empty", RowValueError)
    return [clean(item) for item in items]


def optional_texts(value: object) -> list[str]:
    """Check one row of an optional column of texts; `None` stands for a row without any and comes back as `[]`."""
    return [] if value is None else texts(value)


@dataclass(frozen=True)
class Column:
    """A column of a metric's input.

    Args:
        check: What each row must be.
        feature: Type of a checked row in Arrow's terms, as in `"string"`; in a list, as in `["string"]`, a list of it.
        help: What the column holds.
    """

    check: Check
    feature: str | list[str]
    help: str


PREDICTIONS = Column(prediction, "string", "The answers, a list of strings.")
REFERENCES = Column(texts, ["string"], "The right answers, a string or a list of strings a row; the best one counts.")
QUESTIONS = Column(question, "string", "The questions, a list of strings.")
ANSWERS: Mapping[str, Column] = {"predictions": PREDICTIONS, "references": REFERENCES, "questions": QUESTIONS}
"""The columns of a metric that compares answers with references."""


def as_list(values: object) -> list[Any] | None:
    """Return a list, tuple, array, Series, Arrow or `datasets` column as a list; anything else as None.

    Pandas has NaN where other containers have None; it comes back as None.
    """
    if values is None or isinstance(values, (str, bytes, bytearray, set, frozenset)):
        return None
    for convert in ("to_pylist", "tolist"):
        if hasattr(values, convert):
            converted = getattr(values, convert)()
            if hasattr(values, "isna"):
                converted = [None if gone else value for value, gone in zip(converted, values.isna(), strict=True)]
            return converted if isinstance(converted, list) else None
    # A mapping or a DataFrame iterates over its keys, which are not rows.
    return list(values) if isinstance(values, Iterable) and not hasattr(values, "keys") else None


def check_column(metric: str, column: str, values: object, check: Check) -> list[Any]:
    """Check all rows of one column.

    Args:
        metric: Name of the metric, for the message.
        column: Name of the argument, for the message.
        values: The rows.
        check: What each row must be, one of this file's row checks.

    Returns:
        The rows in canonical form.

    Raises:
        RowValueError: (a ValueError) naming the row whose value cannot be scored.
        RowTypeError: (a TypeError) naming the row whose type is wrong.
        TypeError: `values` is not a list of rows.
    """
    rows = as_list(values)
    if rows is None:
        raise TypeError(
            f"{metric}: {column} is {_shown(values)}; expected a list with one entry for each row "
            f"(for a single row: {column}=[…])"
        )
    checked = []
    for row, value in enumerate(rows):
        try:
            checked.append(check(value))
        except Unexpected as unexpected:
            message = f"{metric}: {column}[{row}] is {_shown(value)}; expected {unexpected}"
            raise unexpected.error(message, column, row) from None
    return checked


def check_lengths(metric: str, columns: Mapping[str, list[Any]]) -> None:
    """Raise ValueError unless all columns have the same number of rows, at least one."""
    lengths = {column: len(rows) for column, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise ValueError(f"{metric}: the columns differ in length: {told}; expected one entry for each row")
    if not all(lengths.values()):
        raise ValueError(f"{metric}: {next(iter(lengths))} is empty; expected at least one row")


def check_keywords(metric: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for a keyword that is not known; the message names the nearest known one."""
    known = sorted(known)
    for keyword in given:
        if keyword not in known:
            near = difflib.get_close_matches(keyword, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
            raise TypeError(f"{metric}: unknown keyword {keyword!r}; {hint}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004
