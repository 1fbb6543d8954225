"""The file that a person labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.column_names import first_present, names_of
from ..files.columns import Columns, columns_of
from ..files.rows import Row, RowsError, file_format, read_rows, require_columns
from ..files.values import text
from ..files.work_folder import lock_work_folder
from ..files.writing import check_writable, write_part
from ..joining.keys import ID, cell_of, index_rows, key_names, normalize_spaces, references_of, text_names
from ..joining.labels import LABELS, WEIGHT, label_column, parse_verdicts

SKIP = "skip"

_PATIENCE = 30.0  # seconds to wait while another process saves a label
_JUDGED_NAMES = ("score", "verdict", "label")  # endings of the names of columns that metrics and judges add
_JUDGED_VALUES = {"right", "wrong", SKIP, "correct", "incorrect"}


@dataclass(frozen=True)
class VisibleRow:
    """The parts of a row that a person sees: no scores and no labels of others, unless a column is named.

    The question and the row's own label may be empty. `more` has the other columns that are shown.
    """

    question: str
    references: list[str]
    answer: str
    more: dict[str, str]
    label: str


class Sheet:
    """Rows to label, in their CSV or JSONL file. Each label is saved immediately.

    The column of labels is by default label or correct, or else a new column "label". All other columns are shown, or
    none if one of them looks like scores or labels; then `hidden` has their names.

    Raise RowsError if the file cannot be read or written, a label is invalid, there are no answers, or
    a column to show does not exist.
    """

    def __init__(self, path: Path, label: str | None = None, show: Sequence[str] = ()) -> None:
        if file_format(path) == ".parquet":
            raise RowsError(f"{path}: labels are written to a .csv or .jsonl file. Draw one with evaluate-qa sample.")
        check_writable(path)
        found = list(read_rows(path))
        if not found:
            raise RowsError(f"{path} has no rows.")
        self.path = path
        self._numbers, self.rows = [number for number, _ in found], [row for _, row in found]
        present = list(dict.fromkeys(name for row in self.rows for name in row))
        if first_present(names_of("predictions"), present) is None:
            raise RowsError(
                f"{path}: there is no column 'prediction'. Give rows to label, as evaluate-qa sample writes them."
            )
        self.label = label or label_column(present)
        require_columns(str(path), present, show)
        others = [name for name in present if name not in {ID, WEIGHT, self.label, *LABELS, *text_names(present)}]
        judged = any(_looks_judged(name, [row.get(name) for row in self.rows]) for name in others)
        self._more, self.hidden = (show, []) if show else ([], others) if judged else (others, [])
        for row in self.rows:
            row.setdefault(self.label, None)
        self.label_values()  # raises RowsError for a label that is invalid

    def columns(self) -> Columns:
        """Return the rows as columns."""
        numbered = zip(self._numbers, self.rows, strict=True)
        return columns_of(self.path, numbered, dict.fromkeys(name for row in self.rows for name in row))

    def label_values(self) -> NDArray[np.float64]:
        """Return the labels, from 0 to 1, and NaN for rows that were skipped or have no label yet."""
        return parse_verdicts(self.columns(), self.label)

    def label_of(self, row: int) -> str:
        """Return the label of a row as it is in the file; empty if there is none."""
        return normalize_spaces(self.rows[row][self.label])

    def save(self, row: int, label: str) -> None:
        """Save the label of a row: right, wrong or skip; raise RowsError, without a change, if it cannot be saved.

        One writer saves at a time; other threads and processes wait. Labels that others saved meanwhile are kept.
        """
        with lock_work_folder(self.path, _PATIENCE):
            rows = self._reread()
            rows[row][self.label] = label
            write_part(self.path, rows)
            self.rows = rows

    def _reread(self) -> list[Row]:
        """Return the rows as another writer left them; raises RowsError if more than labels changed."""
        rows = [{**found, self.label: found.get(self.label)} for _, found in read_rows(self.path)]
        if [{**found, self.label: None} for found in rows] != [{**found, self.label: None} for found in self.rows]:
            raise RowsError(
                f"{self.path} was changed by another program and now holds other rows. This label is not saved, but "
                "all labels before it are. Start the command again to continue with the changed file"
            )
        return rows

    def next(self, after: int = -1) -> int | None:
        """Return the next row without a label, continuing with the first row; None if all rows are labeled."""
        count = len(self.rows)
        order = (place % count for place in range(after + 1, after + 1 + count))
        return next((row for row in order if not self.label_of(row)), None)

    def counts(self) -> dict[str, int]:
        """Return the number of rows that are right, wrong, skipped and left; a label of 0.5 or more is right."""
        values = self.label_values()
        skipped = sum(self.label_of(row).lower() == SKIP for row in range(len(self.rows)))
        right, wrong = int((values >= 0.5).sum()), int((values < 0.5).sum())  # noqa: PLR2004 - half of the scale
        return {"right": right, "wrong": wrong, "skipped": skipped, "left": len(self.rows) - right - wrong - skipped}

    def visible_row(self, row: int) -> VisibleRow:
        """Return the parts of a row that the person sees."""
        return VisibleRow(
            question=_text(cell_of(self.rows[row], "questions")),
            references=list(filter(None, map(_text, references_of(self.rows[row])))),
            answer=_text(cell_of(self.rows[row], "predictions")),
            more={name: _text(self.rows[row][name]) for name in self._more if _text(self.rows[row].get(name))},
            label=self.label_of(row),
        )


def _looks_judged(name: str, values: Iterable[Any]) -> bool:
    """Return True if a column holds scores or verdicts by its name, or only labels such as right and wrong."""
    found = {_text(value).lower() for value in values} - {""}
    return name.lower().endswith(_JUDGED_NAMES) or (bool(found) and found <= _JUDGED_VALUES)


def _text(value: Any) -> str:
    return text(value).strip()


def agreement(one: Sheet, other: Sheet) -> tuple[int, int, float | None]:
    """Compare two people's labels of the same rows, in any order.

    Cohen's kappa (1960) is (p − e)/(1 − e), from −1 to 1, with the share p of rows with the same label and the share e
    expected by chance from the numbers of right and wrong rows.

    Return the number of rows that both labeled, the number with the same label, and kappa; None if all are the same.
    """
    first, second = one.columns(), other.columns()
    values, others = one.label_values(), other.label_values()
    for file, found in ((first, values), (second, others)):
        if (between := (found > 0) & (found < 1)).any():
            raise RowsError(
                f"{file.place(int(between.argmax()))}: the label is between right and wrong. Kappa needs one of them."
            )
    names, other_names = key_names([first, second], (), ("questions", "predictions"))
    index, own = index_rows(second, other_names), index_rows(first, names)
    pairs = np.array([(values[row], others[index[key]]) for key, row in own.items() if key in index]).reshape(-1, 2)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        raise RowsError(f"no row is labeled in both {one.path} and {other.path}")
    same = pairs[:, 0] == pairs[:, 1]
    right = pairs.mean(axis=0)
    chance = float(right.prod() + (1 - right).prod())
    kappa = float((same.mean() - chance) / (1 - chance)) if chance < 1 else None
    return len(pairs), int(same.sum()), kappa
