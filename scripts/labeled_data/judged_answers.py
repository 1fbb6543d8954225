"""Judged answers of several data sets in one form: a folder with a file `<set>.jsonl.gz` for each set.

A row has `question`, `references` (a list), `prediction`, `group` (the same for all answers to a question), and `label`
(1 for right, 0 for wrong) or `score` (0 to 1); it may have `language` and columns of its own.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..files.rows import Row, RowsError, require_columns
from .rows import LabeledRow

# A score up to the first is wrong, from the second on right; rows between them are left out.
_WRONG, _RIGHT = 0.25, 0.75


def read_gzip(file: Path, columns: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Yield the place of each row of a gzip file of JSON lines, and the row; raise RowsError if one lacks a column."""
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}; give a folder that has a file {file.name}")
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                where, row = f"{file}, line {number}", json.loads(line)
                require_columns(where, row, columns)
                yield where, row
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RowsError(f"{file} is not a gzip file of JSON lines ({error}); copy it again") from error


def read_answers(file: Path) -> Iterator[tuple[Row, LabeledRow]]:
    """Yield each row of a file with the labeled answer that it holds; rows between right and wrong are left out."""
    name = file.name.partition(".")[0]
    for where, row in read_gzip(file, ("question", "references", "prediction", "group")):
        value = row.get("label", row.get("score"))
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise RowsError(f"{where}: label or score is {value!r}; expected a number from 0 to 1; correct it")
        if _WRONG < value < _RIGHT or not row["prediction"].strip():
            continue
        yield (
            row,
            LabeledRow(
                question_id=f"{name}/{row['group']}",
                question=row["question"],
                references=row["references"],
                answer=row["prediction"],
                label=float(value >= _RIGHT),
                groups=frozenset({"all"}),
                language=row.get("language") or "en",
            ),
        )
