"""Scoring the rows of a file a few at a time, so that other visitors get their turn."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..metric.hosted import HostedScorer, Row
from ..metric.specification import Specification
from ..visitors.limits import LIMITS, Refusal
from .files import UploadedTable


@dataclass
class ScoredFile:
    """The scored rows of a file."""

    table: UploadedTable
    options: Any = None
    done: int = 0  # number of rows that were processed
    kept: list[int] = field(default_factory=list)  # indices of the rows that have a score
    # The metric's `per_example` for the rows in `kept`; None where a row lacks a value.
    columns: dict[str, list[Any]] = field(default_factory=dict)
    signatures: dict[str, None] = field(default_factory=dict)  # of the chunks, in order
    score: float = 0.0  # mean score, or the metric's score of all rows together
    problems: list[str] = field(default_factory=list)  # reasons why rows were skipped
    stopped: str = ""  # the reason why not all rows were processed
    other: "ScoredFile | None" = None  # the same for another system's answers, if the file has them


def score(
    specification: Specification, scorer: HostedScorer, table: UploadedTable, options: Any
) -> Iterator[ScoredFile]:
    """Yield the rows scored so far, at the start and after each chunk; always the same object.

    At the end, raise Refusal if no row could be scored.
    """
    other = ScoredFile(table.of_others(), options) if table.others else None
    scored = ScoredFile(table, options, problems=list(table.problems), other=other)
    yield scored
    end = time.monotonic() + LIMITS.seconds
    arguments = specification.arguments(options)
    for numbers in _chunks(table, specification.chunk):
        if time.monotonic() > end:
            scored.stopped = f"stopped after {LIMITS.seconds:g} seconds"
            break
        usable = _usable(scorer, scored, numbers)
        if usable:
            found = scorer.compute([*usable.values()], arguments)
            if scored.other is not None:
                others = [scored.other.table.rows[i] for i in usable]
                _add(scored.other, [*usable], scorer.compute(others, arguments), scorer.name)
            _add(scored, [*usable], found, scorer.name)
        scored.done = numbers.stop
        yield scored
    if not scored.kept:
        raise Refusal(f"No row could be scored. {' '.join(scored.problems[:1])}")


def _chunks(table: UploadedTable, size: int | None) -> Iterator[range]:
    """Yield the indices of rows that are scored together: at most `size`, and fewer if their texts are long."""
    start = characters = 0
    for i, row in enumerate(table.rows):
        characters += sum(len(str(value)) for value in [*row.values(), *table.others[i : i + 1]])
        last = i + 1 == len(table.rows)
        if last or (size and (i + 1 - start >= size or characters >= LIMITS.chunk_characters)):
            yield range(start, i + 1)
            start, characters = i + 1, 0


def _usable(scorer: HostedScorer, scored: ScoredFile, numbers: Sequence[int]) -> dict[int, Row]:
    """Return the rows that the metric can score, and add the reasons for skipping the others to the problems."""
    usable = {}
    for i in numbers:
        try:
            scorer.check(scored.table.rows[i])
            usable[i] = scored.table.rows[i]
        except Refusal as refusal:
            scored.problems.append(f"row {scored.table.places[i]}: {refusal}")
    return usable


def _add(scored: ScoredFile, numbers: list[int], result: dict[str, Any], name: str) -> None:
    before, rows = len(scored.kept), result["per_example"]
    known, more = (len(known_of(columns.get("score", []))) for columns in (scored.columns, rows))
    scored.kept += numbers
    scored.signatures[result["signature"]] = None
    if more:
        scored.score += (result[name] - scored.score) * more / (known + more)
    for column in {**scored.columns, **rows}:
        # A chunk lacks a column if none of its rows has a value, such as an error.
        values = scored.columns.setdefault(column, [None] * before)
        values.extend(rows.get(column, [None] * len(numbers)))


def known_of(values: Sequence[Any]) -> list[Any]:
    """Return the values that are not None."""
    return [value for value in values if value is not None]
