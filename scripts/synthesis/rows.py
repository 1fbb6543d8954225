"""The rows of `evaluate-qa synthesize`, and the answers saved in the work folder until all rows are complete."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.columns import Unexpected, texts

from ..files.rows import Row, RowsError, place, read_rows
from ..files.work_folder import finish_work, holds_work, read_settings, save_settings
from ..files.writing import json_line
from ..scoring.columns import MetricColumns

COLUMN = "synthetic_answers"
"""The added column: a list with one answer per reference."""

Pair = tuple[str, str]
"""A question and a reference, which one synthetic answer is written from."""


@dataclass(frozen=True)
class SynthesisTask:
    """A row of the input with its place, for messages, and one pair per reference."""

    where: str
    row: Row
    pairs: list[Pair]


def read_tasks(source: Path, columns: MetricColumns) -> list[SynthesisTask]:
    """Read and check all rows; raise RowsError for a row without question or references, or no rows."""
    rows = read_rows(source, columns.lists())
    tasks = [_task(place(source, number), row, columns) for number, row in rows]
    if not tasks:
        raise RowsError(f"{source}: there are no rows in it")
    return tasks


def _task(where: str, row: Row, columns: MetricColumns) -> SynthesisTask:
    if COLUMN in row:
        raise RowsError(f"{where}: there is a column {COLUMN!r} already. Remove it to create it again.")
    question = _cell(where, row, columns, "questions", _question)
    references = _cell(where, row, columns, "references", texts)
    return SynthesisTask(where, row, [(question, reference) for reference in references])


def _cell(where: str, row: Row, columns: MetricColumns, column: str, check: Callable[[object], Any]) -> Any:
    columns.require(where, [row], [column])
    name = columns.name_in(row, column)
    try:
        return check(row[name])
    except Unexpected as unexpected:
        raise RowsError(f"{where}: {name} is {row[name]!r}; expected {unexpected}") from None


def _question(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unexpected("a string that is not empty, because an answer cannot be phrased without its question")
    return value


def is_complete(output: Path, tasks: Sequence[SynthesisTask]) -> bool:
    """Return True if an output holds all rows with answers; raise RowsError if it holds anything else."""
    if not output.exists():
        return False
    rows = [row for _, row in read_rows(output)]
    answered = all(row.pop(COLUMN, None) for row in rows)
    if not answered or [json_line(row) for row in rows] != [json_line(task.row) for task in tasks]:
        raise RowsError(f"{output} exists, but its rows do not match the input. Remove it, or use another name.")
    return True


class SavedAnswers:
    """Answers by pair, saved one by one in the folder that `lock_work_folder` yields.

    Settings are everything besides the pairs that determines the answers. Raise RowsError if an earlier run with other
    settings has saved answers in the folder.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self._folder, self._settings = folder, settings
        self._file = folder / "000000.answers"
        self.answers: dict[Pair, str] = {}
        if read_settings(folder, settings, resume=True) is not None and self._file.exists():
            for line in self._file.read_bytes().splitlines():
                digest, _, text = line.partition(b" ")
                if digest == _digest(text):  # otherwise, a killed run has not finished the line
                    question, reference, answer = json.loads(text)
                    self.answers[question, reference] = answer

    def add(self, pair: Pair, answer: str) -> None:
        """Save an answer."""
        if not holds_work(self._folder):
            save_settings(self._folder, self._settings)
        self.answers[pair] = answer
        text = json.dumps([*pair, answer]).encode()
        with self._file.open("ab") as file:
            file.write(b"\n" + _digest(text) + b" " + text)

    def finish(self) -> None:
        """Mark the work in the folder as done."""
        finish_work(self._folder)


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()
