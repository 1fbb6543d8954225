"""The rows of `evaluate-qa synthesize`: checked when read, appended to the output, taken up by a later run.

Beside `rows.syn.jsonl` lies `rows.syn.jsonl.settings.json`, which says how its answers were made. A row of the output
is recognised by its content, so rows may be appended in the order in which they are finished; `sort` comes last.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import Unexpected, texts

from ..files.rows import STANDARD, Broken, Row, RowsError, file_format, place, read_records, read_rows
from ..files.writing import check_target, json_line, real_file, replacing
from ..scoring.columns import MetricColumns

COLUMN = "synthetic_answers"
"""The column that is added to each row: a list with one answer for each reference."""

Pair = tuple[str, str]
"""A question and one of its references: what one synthetic answer is made from."""


@dataclass(frozen=True)
class SynthesisTask:
    """One row of the input.

    Attributes:
        number: The row's number in the input: its line in JSONL.
        where: File and line, for messages.
        row: What the row holds.
        pairs: One for each reference.
    """

    number: int
    where: str
    row: Row
    pairs: list[Pair]


def read_tasks(source: Path, columns: MetricColumns) -> list[SynthesisTask]:
    """Read and check all rows.

    Args:
        source: JSONL, CSV or Parquet.
        columns: Where the questions and the references, a string or a list a row, are found.

    Raises:
        RowsError: naming the row, what is wrong with it and the cure.
    """
    rows = read_rows(source, columns.lists())
    tasks = [_task(place(source, number), number, row, columns) for number, row in rows]
    if not tasks:
        raise RowsError(f"{source}: there are no rows in it")
    return tasks


def _task(where: str, number: int, row: Row, columns: MetricColumns) -> SynthesisTask:
    if COLUMN in row:
        raise RowsError(f"{where}: there is a column {COLUMN!r} already. Remove it to create it again.")
    question = _cell(where, row, columns, "questions", _question)
    references = _cell(where, row, columns, "references", texts)
    return SynthesisTask(number, where, row, [(question, reference) for reference in references])


def _cell(where: str, row: Row, columns: MetricColumns, column: str, check: Callable[[object], Any]) -> Any:
    columns.require(where, [row], [column])
    name = columns.name_in(row, column)
    try:
        return check(row[name])
    except Unexpected as unexpected:
        raise RowsError(f"{where}: {name} is {row[name]!r}; expected {unexpected}") from None


def _question(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unexpected("a text that is not empty, as no answer can be phrased without a question")
    return value


def check_output(path: Path) -> None:
    """Raise RowsError unless finished rows can be written there."""
    if str(path) == STANDARD or file_format(path) != ".jsonl":
        raise RowsError(f"{path}: the output is written row by row. Give it a name that ends in .jsonl.")
    check_target(path)


def settings_file(path: Path) -> Path:
    """Return the file that says how the answers in an output were made."""
    file = real_file(path)
    return file.with_name(f"{file.name}.settings.json")


class SynthesisOutput:
    """Finished rows on disk.

    Attributes:
        finished: Number of a task (from 0) → its answers.
    """

    def __init__(self, path: Path, tasks: Sequence[SynthesisTask], settings: Mapping[str, Any]) -> None:
        """Open the output and take up what an earlier run has finished.

        Args:
            path: The file, which need not exist.
            tasks: All rows of the input.
            settings: What the answers depend on besides the row; stored beside the file.

        Raises:
            RowsError: the file is not JSONL, or was made with other settings or from other rows.
        """
        self.path, self._tasks, self._settings = path, tasks, settings_file(path)
        self._start_over = f"give another --output, or remove {path} to start over"
        there = path.read_bytes() if path.exists() else b""
        if there:
            self._check_settings(settings)
        else:
            self._save_settings(settings)
            path.touch()
        whole = there[: there.rfind(b"\n") + 1]
        rest = there[len(whole) :]
        self.finished = self._read(whole.count(b"\n"), rest)
        with path.open("ab") as file:
            if rest and _json_or_none(rest):
                file.write(b"\n")
            else:  # a last line that a kill has left unfinished; its row is asked for again
                file.truncate(len(whole))

    def append(self, number: int, answers: list[str]) -> None:
        """Write one finished row, at once."""
        self.finished[number] = answers
        with self.path.open("ab") as file:
            file.write(self._line(number))

    def sort(self) -> None:
        """Bring the file into the order of the input. A kill in the middle leaves the file as it was."""
        if list(self.finished) == sorted(self.finished):
            return
        self.finished = dict(sorted(self.finished.items()))
        with replacing(self.path) as ordered:
            ordered.write_bytes(b"".join(map(self._line, self.finished)))

    def _line(self, number: int) -> bytes:
        return json_line(self._tasks[number].row | {COLUMN: self.finished[number]})

    def _save_settings(self, settings: Mapping[str, Any]) -> None:
        earlier = _json_or_none(self._settings.read_bytes()) if self._settings.exists() else settings
        if not (isinstance(earlier, Mapping) and "generator" in earlier):
            raise RowsError(f"{self._settings} exists and was not written by this command. Rename it.")
        with replacing(self._settings) as file:
            file.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", "utf-8")

    def _check_settings(self, settings: Mapping[str, Any]) -> None:
        try:
            earlier = json.loads(self._settings.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise RowsError(f"{self.path} is there, but not how it was made ({error}); {self._start_over}") from None
        for name, value in settings.items():
            if earlier.get(name) != value:
                raise RowsError(
                    f"{self.path} was made with {name} {earlier.get(name)!r}, now it is {value!r}; {self._start_over}"
                )

    def _read(self, ended: int, rest: bytes) -> dict[int, list[str]]:
        """Read the rows: so many lines that have an end, and the rest, which may be the beginning of a line."""
        numbers = defaultdict(list)  # of the rows with the same content, last first
        for number in reversed(range(len(self._tasks))):
            numbers[json_line(self._tasks[number].row)].append(number)
        finished = {}
        for line, row in read_records(self.path):
            where = place(self.path, line)
            if isinstance(row, Broken):
                if line > ended and any(_is_begun(rest, one) for one in numbers):
                    break
                raise RowsError(f"{row.message}; {self._start_over}")
            answers = row.pop(COLUMN, None)
            same = numbers[json_line(row)]
            if not same:
                raise RowsError(f"{where}: the input has no such row (any more); {self._start_over}")
            number = same.pop()
            finished[number] = _checked(where, answers, len(self._tasks[number].pairs))
        return finished


def _is_begun(beginning: bytes, row: bytes) -> bool:
    """Whether the line of a row, to which its answers are added, may begin so."""
    common = row.removesuffix(b"}\n")
    return beginning.startswith(common) or common.startswith(beginning)


def _json_or_none(text: bytes) -> Any:
    """Return what JSON says; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _checked(where: str, answers: object, count: int) -> list[str]:
    """Check the answers of a finished row, which someone may have edited."""
    try:
        checked = texts(answers)
    except Unexpected:
        checked = []
    if len(checked) != count:
        raise RowsError(
            f"{where}: {COLUMN} is {answers!r}; expected {count} texts, one for each reference; "
            "remove the line to have it made again"
        )
    return checked
