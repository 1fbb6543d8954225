"""Scoring the rows of a file, a few at a time, so that others get their turn and what is done is kept."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..metric import HostedScorer, Row, Specification
from ..visitors.limits import LIMITS, Limits, Refusal
from .files import UploadedTable
from .videos import StandIns, Videos


@dataclass
class ScoredFile:
    """What has been scored of a file.

    Attributes:
        table: The file's rows.
        done: How many rows were looked at.
        kept: Numbers of the rows that have a score.
        columns: The metric's `per_example`, row by row as `kept`; None where a row lacks a value.
        score: Mean score, or where the metric has one, the score of all rows together.
        problems: What is wrong with rows that have none.
        stopped: Why not all rows were looked at, if so.
        other: What was scored of another system's answers in the same rows, if the file has them.
    """

    table: UploadedTable
    done: int = 0
    kept: list[int] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    score: float = 0.0
    problems: list[str] = field(default_factory=list)
    stopped: str = ""
    other: "ScoredFile | None" = None


def score(
    specification: Specification,
    scorer: HostedScorer,
    table: UploadedTable,
    options: Any,
    videos: Videos = Videos(),  # noqa: B008 - it cannot be changed
    limits: Limits = LIMITS,
) -> Iterator[ScoredFile]:
    """Yield what has been scored so far, at the start and after each few rows; always the same object.

    Args:
        specification: The Space.
        scorer: Its metric.
        table: The rows; a video is in them by its name.
        options: The metric's.
        videos: The videos that they may name.
        limits: How long it may take.

    Raises:
        Refusal: in the end, if no row could be scored.
    """
    scored = ScoredFile(
        table, problems=list(table.problems), other=ScoredFile(table.of_others()) if table.others else None
    )
    yield scored
    end = time.monotonic() + limits.seconds
    arguments = specification.arguments(options)
    with tempfile.TemporaryDirectory() as folder:
        stand_ins = StandIns(specification, videos, Path(folder))
        for numbers in _chunks(table, specification.chunk, limits):
            if time.monotonic() > end:
                scored.stopped = f"Stopped after {limits.seconds:g} seconds. The rows scored so far are below."
                break
            usable = _usable(scorer, scored, stand_ins, numbers)
            if usable:
                found = scorer.compute([*usable.values()], arguments)
                if scored.other is not None:
                    others = [{**row, "predictions": table.others[i]} for i, row in usable.items()]
                    _add(scored.other, [*usable], scorer.compute(others, arguments), scorer.name)
                _add(scored, [*usable], found, scorer.name)
            scored.done = numbers.stop
            yield scored
    if not scored.kept:
        raise Refusal(f"No row could be scored. {' '.join(scored.problems[:1])}")


def _chunks(table: UploadedTable, size: int | None, limits: Limits) -> Iterator[range]:
    """Yield the numbers of rows that are scored together: so many, and fewer where their texts are long."""
    start = characters = 0
    for i, row in enumerate(table.rows):
        characters += sum(len(str(value)) for value in [*row.values(), *table.others[i : i + 1]])
        last = i + 1 == len(table.rows)
        if last or (size and (i + 1 - start >= size or characters >= limits.chunk_characters)):
            yield range(start, i + 1)
            start, characters = i + 1, 0


def _usable(scorer: HostedScorer, scored: ScoredFile, stand_ins: StandIns, numbers: Sequence[int]) -> dict[int, Row]:
    """Return those of the rows that the metric can score, as it takes them; say what is wrong with the others."""
    usable = {}
    for i in numbers:
        try:
            row = stand_ins.row(scored.table.rows[i])
            scorer.check(row)
            usable[i] = row
        except Refusal as refusal:
            scored.problems.append(f"row {scored.table.places[i]}: {refusal}")
    return usable


def _add(scored: ScoredFile, numbers: list[int], result: dict[str, Any], name: str) -> None:
    before, rows = len(scored.kept), result["per_example"]
    known, more = (len(known_of(columns.get("score", []))) for columns in (scored.columns, rows))
    scored.kept += numbers
    if more:
        scored.score += (result[name] - scored.score) * more / (known + more)
    for column in {**scored.columns, **rows}:
        # What only some rows have, such as an error, is a column of those that were scored with them alone.
        values = scored.columns.setdefault(column, [None] * before)
        values.extend(rows.get(column, [None] * len(numbers)))


def known_of(values: Sequence[Any]) -> list[Any]:
    """Return those that are not None: a row that has a score may lack others, and one may have none at all."""
    return [value for value in values if value is not None]
