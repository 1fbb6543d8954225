"""Read labeled answers from users' files, and the files with labeled answers in this package.

Nothing is ever fitted to the files of this package, except to the part `train` of the traps.
"""

from pathlib import Path
from typing import Any

from ..files.column_names import first_present, names_of
from ..files.rows import Row, RowsError, place, read_rows, require_columns
from ..joining.labels import LABELS, is_labeled, parse_label
from .rows import LabeledRow

NEAR_NAMES = Path(__file__).with_name("near_names.jsonl")
"""Sentences with the reference's name, number or date in another form, or with a near one in its place."""

TRAPS = Path(__file__).with_name("traps.jsonl")
"""Ten kinds of traps; half of the answers are right but look like a trap.

The part `test` shares no question, and no four consecutive words of an answer, with the part `train`.
"""

VALUES = Path(__file__).with_name("values.jsonl")
"""Answers that are values, lists, formulas and names, half of them near misses.

The rules for values were written with the part `dev` at hand; the part `test` shares no question pattern with it.
"""


def labeled_rows(path: Path) -> tuple[list[LabeledRow], int]:
    """Return the labeled answers in a file, and the number of rows without a label.

    Its columns are question, references, prediction and label, under one of their usual names. Each answer belongs to
    the group `all` and, if the file has a column `kind`, to the group of its kind. The optional column `system` names
    the system that gave the answer. A row of the wrong form raises RowsError, which names it.
    """
    rows = list(read_rows(path))
    present = dict.fromkeys(name for _, row in rows for name in row)
    found, unlabeled = [], 0
    for number, row in rows:
        # Next to a column of people's labels, the verdict is a metric's.
        names = LABELS if "score" in row and first_present(LABELS, present) else (*LABELS, "verdict")
        column = next((name for name in names if is_labeled(row.get(name))), None)
        if column is None:
            unlabeled += 1
        else:
            found.append(_labeled_row(place(path, number), row, column))
    if not present:
        raise RowsError(f"{path}: there are no rows")
    if first_present([*LABELS, "verdict"], present) is None:
        require_columns(str(path), present, ["label"])
    return found, unlabeled


def _labeled_row(where: str, row: Row, column: str) -> LabeledRow:
    if column == "verdict" and "score" in row:
        raise RowsError(
            f"{where}: the column verdict belongs to a metric, like score; put people's verdicts into the column label"
        )
    question, answer = (_text(where, *_cell(where, row, name), "a string") for name in ("questions", "predictions"))
    name, given = _cell(where, row, "references")
    texts = given if isinstance(given, list) else [given]
    references = [_text(where, name, text, "a string or a list of strings") for text in texts]
    if not question.strip() or not references or not all(text.strip() for text in references):
        raise RowsError(f"{where}: a question or a reference is blank; fill it in or delete the row")
    label, system = parse_label(row[column]), row.get("system")
    if label not in (0, 1):
        raise RowsError(f"{where}: {column} is {row[column]!r}; expected true or false, 1 or 0, correct or incorrect")
    return LabeledRow(
        question_id=question,
        question=question,
        references=references,
        answer=answer,
        label=label,
        groups=frozenset({"all"} if row.get("kind") in (None, "") else {"all", f"kind {row['kind']}"}),
        system="" if system is None else str(system),
    )


def _cell(where: str, row: Row, column: str) -> tuple[str, Any]:
    """Return the name that a column has in a row, and its value; raise RowsError if the row lacks it."""
    name = first_present(names_of(column), row) or column
    fix = " Rename the column that holds the model's answers to prediction." if column == "predictions" else ""
    require_columns(where, row, [name], fix)
    return name, row[name]


def _text(where: str, column: str, value: Any, expected: str) -> str:
    if not isinstance(value, str):
        raise RowsError(f"{where}: {column} has {value!r}; expected {expected}")
    return value
