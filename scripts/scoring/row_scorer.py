"""Score a chunk of rows with any metric of `evaluate` that gives each row a score, and set bad rows aside."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from evaluate_qa.metrics._shared.arguments import RowError, as_list, made

from ..files.rows import STANDARD, Broken, Record, Row, RowsError, did_you_mean, place
from ..standalone import program
from .columns import MetricColumns, accepted

_Result = TypeVar("_Result")
# Lists of bleu and its like with an entry for each length of n-grams, even where there are as many rows.
_OF_N_GRAMS = frozenset({"precisions", "counts", "totals"})

SIGNATURE = "signature"
"""The column that says in each row what its score depends on, so that it travels with the row in every format."""

_NumberedRow = tuple[int, Row]


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be scored.

    Attributes:
        number: Where it is in the input.
        error: What is wrong with it.
        input: What was read; a text if it is no row at all.
    """

    number: int
    error: str
    input: Row | str


@dataclass(frozen=True)
class ScoredChunk:
    """What became of a chunk.

    Attributes:
        rows: The rows that were scored, each with the columns of the metric added.
        bad: The others.
        sums: Column of the metric → sum and count of its numbers, for means.
        signature: What the scores depend on, where the metric tells.
    """

    rows: list[Row] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    signature: str | None = None


class FileRowScorer:
    """A loaded metric, told where its columns come from and what the columns it adds are called.

    Args:
        metric: What `evaluate.load` returned.
        source: Name of the input, for messages.
        columns: Where the metric's columns come from.
        compute: Keywords of the metric's `compute`.
        prefix: Put before the name of each column that is added.
        keep_going: Whether bad rows are set aside; else the first one raises RowsError.
    """

    def __init__(
        self,
        metric: Any,
        source: str | Path,
        columns: MetricColumns,
        compute: Mapping[str, Any],
        prefix: str = "",
        keep_going: bool = False,
    ) -> None:
        self._metric, self._source, self._columns = metric, source, columns
        self._compute, self._prefix, self._keep_going = compute, prefix, keep_going
        self._accepted = accepted(metric)
        for column in columns.named:
            if column not in self._accepted:
                raise ValueError(
                    f"--column {column}=…: {metric.name} has no such column. {did_you_mean(column, self._accepted)}"
                )
        usual = [column for column in ("predictions", "references") if column in self._accepted]
        self._required: Collection[str] = getattr(metric, "required", usual)
        # Some bad rows show only while they are scored, such as a broken video. A metric that can tell of all of them
        # in one call, in the column "error", names the options for that: to try again without each would cost more.
        telling = getattr(metric, "set_aside", {}) if keep_going else {}
        self._telling = {} if telling.keys() & compute.keys() else telling

    @property
    def code(self) -> str:
        """What identifies the metric's program."""
        return program(self._metric)

    def require_columns(self, records: Sequence[Record]) -> None:
        """Raise RowsError if the metric needs a column that none of the rows has."""
        rows = [row for _, row in records if not isinstance(row, Broken)]
        self._columns.require("standard input" if self._source == STANDARD else str(self._source), rows, self._required)

    def check(self, records: Sequence[Record]) -> None:
        """Raise RowsError for a bad row, without a model; a metric that cannot check its rows lets all pass."""
        check, options = getattr(self._metric, "check_columns", None), getattr(self._metric, "options", None)
        if check is None or options is None:
            self._attempt(records, lambda _: None)
        else:
            chosen = made(self._metric.name, options, self._compute)
            self._attempt(records, lambda columns: check(columns, chosen))

    def score(self, records: Sequence[Record]) -> ScoredChunk:
        """Score the rows.

        Raises:
            RowsError: a bad row, unless they are set aside; a row has a column named like one that is added.
            ValueError: the metric gives no score for each row, or does not take its keywords.
        """
        options = {**self._compute, **self._telling}
        result, rows, bad = self._attempt(records, lambda columns: self._metric.compute(**columns, **options))
        if result is None:
            return ScoredChunk(bad=bad)
        per_row = _per_row(result, len(rows))
        if self._telling:
            rows, per_row, told = self._without_told(rows, per_row)
            bad = sorted(bad + told, key=lambda one: one.number)
        signature = result.get("signature")
        signed = {} if signature is None else {SIGNATURE: [signature] * len(rows)}
        return ScoredChunk(self._added(rows, signed | per_row), bad, _sums(result, per_row), signature)

    def _attempt(
        self, records: Sequence[Record], act: Callable[[dict[str, list[Any]]], _Result]
    ) -> tuple[_Result | None, list[_NumberedRow], list[BadRow]]:
        """Do it with the rows of these records; a row that it finds bad is set aside, and it is done again."""
        rows = [(number, row) for number, row in records if not isinstance(row, Broken)]
        bad = [BadRow(number, row.message, row.text) for number, row in records if isinstance(row, Broken)]
        while rows and (self._keep_going or not bad):
            result, bad_row = self._try(rows, act)
            if bad_row is None:
                return result, rows, sorted(bad, key=lambda one: one.number)
            rows = [(number, row) for number, row in rows if number != bad_row.number]
            bad.append(bad_row)
        if bad and not self._keep_going:
            first = min(bad, key=lambda one: one.number)
            raise RowsError(f"{first.error}\nFix the row, or collect bad rows in a file with --errors bad.jsonl.")
        return None, [], bad

    def _try(
        self, rows: Sequence[_NumberedRow], act: Callable[[dict[str, list[Any]]], _Result]
    ) -> tuple[_Result | None, BadRow | None]:
        columns = self._columns.take([row for _, row in rows], self._accepted, self._required)
        try:
            return act(columns), None
        except RowError as error:
            number, row = rows[error.row]
            message = str(error).replace(f"{error.column}[{error.row}]", self._columns.name_in(row, error.column))
            return None, BadRow(number, f"{place(self._source, number)}: {message}", row)

    def _without_told(
        self, rows: Sequence[_NumberedRow], per_row: dict[str, list[Any]]
    ) -> tuple[list[_NumberedRow], dict[str, list[Any]], list[BadRow]]:
        """Take out the rows of which the metric tells in the column "error" why they have no score."""
        errors = per_row.pop("error")
        told = [
            BadRow(number, f"{place(self._source, number)}: {error}", row)
            for (number, row), error in zip(rows, errors, strict=True)
            if error is not None
        ]
        kept = [index for index, error in enumerate(errors) if error is None]
        columns = {name: [values[index] for index in kept] for name, values in per_row.items()}
        return [rows[index] for index in kept], columns, told

    def _added(self, rows: Sequence[_NumberedRow], per_row: Mapping[str, list[Any]]) -> list[Row]:
        named = {f"{self._prefix}{name}": values for name, values in per_row.items()}
        nothing = (None, "") if self._columns.blanks else (None,)
        for index, (number, row) in enumerate(rows):
            # A metric may give back what it was given, such as keywords, or what was missing; nothing, of a bad row.
            both = [name for name in named if name in row and row[name] not in nothing]
            if taken := [name for name in both if named[name][index] not in (None, row[name])]:
                raise RowsError(
                    f"{place(self._source, number)}: there is a column {min(taken)!r} already, which the metric adds. "
                    f"Give the added columns another name, for example with --prefix {self._metric.name}_"
                )
        return [
            row
            | {name: values[index] for name, values in named.items() if values[index] is not None or name not in row}
            for index, (_, row) in enumerate(rows)
        ]


def _per_row(result: Mapping[str, Any], count: int) -> dict[str, list[Any]]:
    """Return the lists of a result that have an entry for each row."""
    per_example = result.get("per_example")
    columns = per_example if isinstance(per_example, Mapping) else result
    lists = {name: as_list(values) for name, values in columns.items() if name not in _OF_N_GRAMS}
    found = {name: values for name, values in lists.items() if values is not None and len(values) == count}
    if not found:
        raise ValueError(
            f"the metric returned {', '.join(result)}, but nothing for each row; it may have an option for that, "
            "such as --compute use_aggregator=False of rouge"
        )
    return found


def _sums(result: Mapping[str, Any], per_row: Mapping[str, list[Any]]) -> dict[str, tuple[float, int]]:
    """Return sum and count of those columns whose mean says something: not of an index, for instance.

    Of our own metrics' scores also if there are none, so that rows without a score can be counted.
    """
    own = isinstance(result.get("per_example"), Mapping)
    meant = [name for name in per_row if not own or name in ("score", "verdict") or name in result]
    numbers = {name: [value for value in per_row[name] if _is_number(value)] for name in meant}
    kept = (name for name, values in numbers.items() if values or (own and name == "score"))
    return {name: (float(sum(numbers[name])), len(numbers[name])) for name in kept}


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float)) and math.isfinite(value)
