"""Declare the columns of metrics, and check them row by row."""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .messages import short_repr
from .options import FLAG, is_number, to_python

__tracebackhide__ = True  # pytest shows the message and the caller


# Every metric accepts all columns and ignores those that it does not use: `evaluate.combine` passes all keywords to all
# metrics.
KNOWN_COLUMNS = (
    *("predictions", "references", "questions", "synthetic_answers", "reference_weights", "against"),
    *("keywords", "videos", "video_features"),
)


# Names that other libraries give to these columns, and that options had in earlier versions.
_OTHER_NAMES = {
    **dict.fromkeys(("answers", "candidates", "completions", "hypotheses", "outputs", "responses"), "predictions"),
    **dict.fromkeys(("gold", "gold_answers", "golds", "ground_truth", "ground_truths", "targets"), "references"),
    **{"prompts": "questions", "weights": "reference_weights", "lexical": "final_layer", "unreadable": "unscored"},
}


Check = Callable[[Any], Any]
"""Returns one row of a column in canonical form, or raises Unexpected."""


class RowError(Exception):
    """Base class of errors about one row."""

    def __init__(self, message: str, column: str, row: int) -> None:
        super().__init__(message)
        self.column, self.row = column, row


class RowValueError(RowError, ValueError):
    """A row with a value that cannot be scored."""


class RowTypeError(RowError, TypeError):
    """A row of the wrong type."""


class Unexpected(Exception):  # noqa: N818 - check_column turns it into a RowError
    """Raised by the check of a row, with what it expects and the error to raise."""

    def __init__(self, expected: str, error: type[RowError] = RowTypeError) -> None:
        super().__init__(expected)
        self.error = error


def clean(text: str) -> str:
    """Return the text as a plain `str` in NFC, with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # `str(text)` of a member of a string enumeration is its name.
    return str.__str__(text) if text.isascii() else unicodedata.normalize("NFC", text)


# White space, control characters, Unicode's Default_Ignorable_Code_Point, and the Braille blank.
_INVISIBLE = re.compile(
    r"[\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def is_visible(text: str) -> bool:
    """Return whether a text has a visible character."""
    return _INVISIBLE.fullmatch(text) is None


def prediction(value: object) -> str:
    """Check one prediction, and return it without a reasoning model's thoughts, even if they do not end.

    A prediction may be empty. One without a visible character becomes `""`.

    >>> prediction("<think>Lyon? No.</think>Paris"), prediction("<think>Lyon? No, Par")
    ('Paris', '')
    """
    text = _text(value)
    return _text(without_thoughts(text)) if "think>" in text else text


def without_thoughts(text: str) -> str:
    """Return what follows the thoughts of a reasoning model; nothing if they do not end.

    An answer that only mentions the tag <think> has no thoughts.
    """
    answer = text.rpartition("</think>")[2].strip()
    return "" if answer.startswith("<think>") else answer


def question(value: object) -> str:
    """Check one question. Return `""` for `None`, a row without a question."""
    return "" if value is None else _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unexpected("a string")
    return clean(value) if is_visible(value) else ""


_LIST_AS_TEXT = re.compile(r"""\[\s*".*"\s*\]""", re.DOTALL)


def is_list_as_text(value: object) -> bool:
    """Return whether a value is a list of strings written as JSON, such as `'["Paris", "Paris, France"]'`.

    `"['a']"` and `"[]"` may be what a program prints.
    """
    return isinstance(value, str) and _LIST_AS_TEXT.fullmatch(value.strip()) is not None


def texts(value: object) -> list[str]:
    """Check one row of references: a non-blank string, or a non-empty list of them."""
    if is_list_as_text(value):
        fix = "convert it with json.loads, or put the text into a list if it is one reference"
        raise Unexpected(f"a list, not a list written as text ({fix})", RowValueError)
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string or a non-empty list of strings")
    if not items or not all(map(is_visible, items)):
        raise Unexpected("a non-empty string or a non-empty list of non-empty strings", RowValueError)
    return [clean(item) for item in items]


def optional_texts(value: object) -> list[str]:
    """Check one row of an optional column of texts. Return `[]` for `None`, a row without texts."""
    return [] if value is None else texts(value)


@dataclass(frozen=True)
class Column:
    """A column of a metric's input."""

    check: Check  # the check of one row
    feature: str | list[str]  # Arrow type of a checked row, such as `"string"`; `["string"]` is a list of strings
    help: str  # description of the column


PREDICTIONS = Column(prediction, "string", "The answers, a list of strings.")


REFERENCES = Column(
    texts, ["string"], "The right answers, a string or a list of strings per row; the best match counts."
)


QUESTIONS = Column(question, "string", "The questions, a list of strings.")


ANSWERS: Mapping[str, Column] = {"predictions": PREDICTIONS, "references": REFERENCES, "questions": QUESTIONS}
"""The columns of a metric that compares answers with references."""


def as_list(values: object) -> list[Any] | None:
    """Return a list, tuple, array, Series, or column of Arrow or `datasets` as a list; None for other values.

    NaN in a pandas column becomes None.
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
    """Return all rows of a column in canonical form.

    Raise RowValueError or RowTypeError for a row that cannot be scored, and TypeError unless `values` is a list of
    rows.
    """
    rows = as_list(values)
    if rows is None:
        raise TypeError(
            f"{metric}: {column} is {short_repr(values)}; expected a list with one entry for each row "
            f"(for a single row: {column}=[…])"
        )
    checked = []
    for row, value in enumerate(rows):
        try:
            checked.append(check(value))
        except Unexpected as unexpected:
            message = f"{metric}: {column}[{row}] is {short_repr(value)}; expected {unexpected}"
            raise unexpected.error(message + _fix(column, value, str(unexpected)), column, row) from None
    return checked


def _fix(column: str, value: Any, expected: str) -> str:
    """Return the fix for a missing value, such as NaN from pandas, or for numbers where a text is expected."""
    if str(value) in {"None", "nan", "<NA>", "NaT"}:
        empty = 'use "" for a missing answer; it scores 0'
        return f" ({empty if column == 'predictions' else 'fill in missing values, or drop these rows'})"
    numbers = [is_number(to_python(item)) for item in (value if isinstance(value, list) else [value])]
    return " (convert numbers with str(…))" if any(numbers) and "string" in expected else ""


def check_labels(metric: str, labels: object, predictions: list[Any]) -> list[bool]:
    """Return people's labels as bools, one for each prediction.

    Raise RowValueError for a label that is neither true (1) nor false (0).
    """
    judged = check_column(metric, "labels", labels, _label)
    check_lengths(metric, {"predictions": predictions, "labels": judged})
    return judged


def _label(value: Any) -> bool:
    label = to_python(value)
    if not isinstance(label, (bool, int, float)) or label not in {0, 1}:
        raise Unexpected("True or False", RowValueError)
    return bool(label)


def check_lengths(metric: str, columns: Mapping[str, list[Any]]) -> None:
    """Raise ValueError unless all columns have the same number of rows, at least one."""
    lengths = {column: len(rows) for column, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise ValueError(f"{metric}: the columns differ in length: {listed}; expected one entry for each row")
    if not all(lengths.values()):
        raise ValueError(f"{metric}: {next(iter(lengths))} is empty; expected at least one row")


def check_kwargs(
    metric: str, given: Iterable[str], known: Iterable[str], *, elsewhere: Iterable[str] = (), place: str = ""
) -> None:
    """Raise TypeError for an unknown keyword; the message suggests the closest known keyword.

    The keywords in `elsewhere` are those of the function `place`.
    """
    known = sorted(known)
    for keyword in given:
        if keyword not in known:
            if keyword in elsewhere:
                raise TypeError(
                    f"{metric}: {keyword} is an option of {place}; pass it to {place} (on the command line: "
                    f"--{place} {keyword}=…)"
                )
            other = _OTHER_NAMES.get(keyword)
            near = [other] if other in known else difflib.get_close_matches(keyword, known, n=1, cutoff=0.75)
            others = f"expected one of {', '.join(known)}" if known else "expected no keywords"
            hint = f"did you mean {near[0]!r}?" if near else others
            if keyword == "api_key":
                hint = "the key is read from the environment variable OPENAI_API_KEY"
            raise TypeError(f"{metric}: unknown keyword {keyword!r}; {hint}")


def check_flag(metric: str, name: str, value: object) -> None:
    """Raise ValueError unless a value is True or False."""
    if not FLAG.accepts(to_python(value)):
        raise ValueError(f"{metric}: {name} is {short_repr(value)}; expected {FLAG.expected}")


def check_keyword_only(metric: str, required: Iterable[str], positional: tuple[object, ...]) -> None:
    """Raise TypeError if `compute` is called with positional arguments."""
    if positional:
        call = ", ".join(f"{column}=[…]" for column in required)
        raise TypeError(f"{metric}: compute accepts only keyword arguments; write compute({call})")
