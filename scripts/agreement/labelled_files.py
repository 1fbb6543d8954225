"""Labelled answers in a file of one's own: what `agreement` measures metrics on, and `fit` trains on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..files.rows import Row, RowsError, place, read_rows, require_columns
from .labelled import LabelledRow

COLUMNS = {
    "question": ("question", "questions"),
    "references": ("references", "reference"),
    "answer": ("answer", "prediction", "predictions"),
    "verdict": ("label", "correct", "verdict"),
}
"""What a row holds → the names that its column may have."""

KIND = "kind"
"""The column by which there are figures of parts, if there is one."""

_VERDICTS = {
    **dict.fromkeys((True, "true", "1", "yes", "right", "correct"), 1.0),
    **dict.fromkeys((False, "false", "0", "no", "wrong", "incorrect"), 0.0),
}
_NOT_LABELLED = (None, "", "skip")


def labelled_rows(path: Path, all_labelled: bool = True) -> Iterator[LabelledRow]:
    """Yield the answers of a file that have a label, each of the group `all` and, with a column `kind`, of its kind.

    Args:
        path: A `.jsonl`, `.csv` or `.parquet` file with question, references, answer and verdict (`COLUMNS`).
        all_labelled: Whether a row without a label is an error; else it is left out.

    Raises:
        RowsError: the file or a row cannot be read as such; it names the row.
    """
    for number, row in read_rows(path):
        where = place(path, number)
        names = {name: _column(where, row, name) for name in COLUMNS}
        if names["verdict"] == "verdict" and "score" in row:
            raise RowsError(f"{where}: verdict is the metric's, beside its score; name people's label or correct")
        given = row[names["verdict"]]
        if not all_labelled and (given.strip().lower() if isinstance(given, str) else given) in _NOT_LABELLED:
            continue
        question, answer = (_text(where, names[name], row[names[name]]) for name in ("question", "answer"))
        references = _references(where, names["references"], row[names["references"]])
        if not question.strip() or not references or not all(text.strip() for text in references):
            raise RowsError(f"{where}: a question or a reference is blank; fill it in or leave the row out")
        label = _label(where, names["verdict"], given)
        yield LabelledRow(question, question, references, answer, label, _groups(row))


def _groups(row: Row) -> frozenset[str]:
    return frozenset({"all", f"kind {row[KIND]}"} if row.get(KIND) not in (None, "") else {"all"})


def _column(where: str, row: Row, name: str) -> str:
    names = COLUMNS[name]
    found = next((column for column in names if column in row), None)
    if found is None:
        require_columns(where, row, [name if name in names else names[0]])
    return found or names[0]


def _references(where: str, column: str, given: Any) -> list[str]:
    return [_text(where, column, text, listed=True) for text in (given if isinstance(given, list) else [given])]


def _text(where: str, column: str, value: Any, listed: bool = False) -> str:
    if not isinstance(value, str):
        raise RowsError(f"{where}: {column} has {value!r}; expected a text" + " or a list of texts" * listed)
    return value


def _label(where: str, column: str, value: Any) -> float:
    known = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(known, (str, bool, int, float)) or known not in _VERDICTS:
        raise RowsError(f"{where}: {column} is {value!r}; expected true or false, 1 or 0, correct or incorrect")
    return _VERDICTS[known]
