"""Score a chunk of rows with any metric that returns a score per row, and set bad rows aside."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS, RowError, as_list
from evaluate_qa.metrics._shared.messages import pluralize

from ..files.rows import Broken, Record, Row, RowsError, did_you_mean, place, source_name
from ..options import compute_options
from ..standalone import program
from .columns import MetricColumns, accepted_columns

_Result = TypeVar("_Result")
# Lists of bleu and similar metrics with one entry per n-gram length, even if there are as many rows.
_OF_N_GRAMS = frozenset({"precisions", "counts", "totals"})
# Options of deltableu for intervals and tests over all rows, which no chunk has.
_OF_ALL_ROWS = frozenset({"n_bootstrap", "n_trials", "seed"})
_BLANK = {"predictions": "", "references": "-", "questions": "-"}  # an empty answer is wrong without a judge's request

SIGNATURE = "signature"
"""The column with the signature, which travels with each row in every format."""

COST = "cost"
"""The judge's result for the cost of a chunk, if prices are given."""

_NumberedRow = tuple[int, Row]


class Chunk(NamedTuple):
    """Consecutive rows of the input, and the number of the chunk, from 0."""

    number: int
    records: list[Record]


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be scored: its number, the error message, and the row, or the line if it cannot be parsed."""

    number: int
    error: str
    input: Row | str


@dataclass(frozen=True)
class Progress:
    """Counts, sums and signatures of the rows so far.

    `records` counts the rows read, good or bad. There are several signatures if the chunks' scores depend on different
    settings. `sums` maps a column of the metric to sum and count of its numbers, for means. `judged` counts the rows
    with a verdict of a judge, and `reason` is the first error for which it gave a row no score. `statistics` has sums
    from which a metric such as deltableu computes the score of all rows together.
    """

    records: int = 0
    scored: int = 0
    sums: Mapping[str, Sequence[float]] = field(default_factory=dict)
    signatures: Sequence[str] = ()
    judged: int = 0
    reason: str | None = None
    statistics: Sequence[float] = ()

    @property
    def bad(self) -> int:
        """Number of rows that could not be scored."""
        return self.records - self.scored

    @property
    def unscored(self) -> int:
        """Number of rows to which a judge gave no score."""
        return self.scored - int(self.sums["score"][1]) if self.reason and "score" in self.sums else 0

    def check_unscored(self, largest_share: float) -> None:
        """Raise ValueError if a judge gave no score to more than this share of the rows, or judged no row."""
        if self.unscored > largest_share * self.scored or (self.unscored and not self.judged):
            raise ValueError(
                f"The judge gave no verdict on {self.unscored:,} of {pluralize(self.scored, 'row')}. Fix the cause "
                "above, or allow more with --max-unscored."
            )

    def and_then(self, other: "Progress") -> "Progress":
        """Return the sum of both."""
        sums = {
            name: [a + b for a, b in zip(self.sums.get(name, (0, 0)), other.sums.get(name, (0, 0)), strict=True)]
            for name in dict.fromkeys([*self.sums, *other.sums])
        }
        signatures = tuple(dict.fromkeys([*self.signatures, *other.signatures]))
        records, scored, judged = self.records + other.records, self.scored + other.scored, self.judged + other.judged
        statistics = tuple(map(sum, zip_longest(self.statistics, other.statistics, fillvalue=0.0)))
        return Progress(records, scored, sums, signatures, judged, self.reason or other.reason, statistics)


@dataclass(frozen=True)
class ScoredChunk:
    """The rows of a chunk after scoring, with the columns of the metric, those that could not be scored, and counts.

    `stopped` is the reason why a judge left out rows, and would leave out all later ones.
    """

    rows: list[Row]
    bad: list[BadRow]
    progress: Progress
    stopped: str | None = None


class ChunkScorer:
    """A loaded metric that scores chunks of a file; with `keep_going` it sets bad rows aside, else it raises RowsError.

    `source` is the name of the input, for messages, and `compute` has the keywords of the metric's `compute`.
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
        self._nothing = (None, "") if columns.blanks else (None,)
        self._filled: dict[str, int] = {}  # column of the input → the number of its first row with a value
        self._accepted = accepted_columns(metric)
        for column in columns.named:
            if column not in self._accepted:
                raise ValueError(
                    f"--column {column}=…: {metric.name} has no such column. {did_you_mean(column, self._accepted)}"
                )
        for name in compute:
            if name in self._accepted:
                raise ValueError(f"--compute {name}=…: {name} is a column. Name it with --column {name}=NAME.")
            if name in KNOWN_COLUMNS or (metric.name == "deltableu" and name in _OF_ALL_ROWS):
                raise ValueError(
                    f"--compute {name}=…: score does not accept {name}, because it scores {metric.name} row by row. "
                    "Pass it to compute in Python."
                )
        # None for metrics by others, whose rows and keywords are only checked while they are scored.
        self._options: Any = compute_options(metric, compute) if hasattr(metric, "check_columns") else None
        usual = [column for column in ("predictions", "references") if column in self._accepted]
        self._required: Collection[str] = getattr(metric, "required", usual)
        # Some rows turn out to be bad only while they are scored, such as a broken video. `set_aside` has the options
        # with which a metric reports them in a column "error", which is cheaper than scoring again without each one.
        reporting = getattr(metric, "set_aside", {}) if keep_going else {}
        self._reporting = {} if reporting.keys() & compute.keys() else reporting

    @property
    def code(self) -> str:
        """Identifies the metric's code."""
        return program(self._metric)

    def require_columns(self, records: Sequence[Record], are_first: bool) -> None:
        """Raise RowsError if no first row has a column that the metric needs, or a row has it under both names.

        Remember the columns that have values, for `require_free_names`.
        """
        rows = [(number, row) for number, row in records if not isinstance(row, Broken)]
        if are_first:
            self._columns.require(source_name(self._source), [row for _, row in rows], self._required)
        self._columns.require_one_name(self._source, rows, self._accepted)
        for number, row in rows:
            if not row.keys() <= self._filled.keys():
                for name in row.keys() - self._filled.keys():
                    if row[name] not in self._nothing:
                        self._filled[name] = number

    def require_free_names(self) -> None:
        """Raise RowsError if the input has a column that the metric will add; metrics by others are checked later.

        The columns are those that a blank answer gets.
        """
        added = {f"{self._prefix}{name}" for name in self.blank_result}
        if taken := [(self._filled[name], name) for name in added & self._filled.keys()]:
            raise self._name_error(*min(taken))

    @cached_property
    def blank_result(self) -> dict[str, Any]:
        """The columns, with the signature, of a row with a blank answer; none if the metric reads no references."""
        if self._options is None or "references" not in self._required:
            return {}
        result, _ = self._compute_rows({name: [_BLANK[name]] for name in self._accepted if name in _BLANK})
        return {SIGNATURE: result[SIGNATURE], **row_lists(result, 1)}

    def other_options(self, signature: str) -> str:
        """Return the keys of a signature whose values differ from the options of `compute`, separated by commas."""
        found = dict(part.split(":", 1) for part in signature.split("|")[1:])
        settings = {key: None if value is None else str(value) for key, value in self._options.settings().items()}
        return ", ".join(key for key, value in settings.items() if key != "kw" and found.get(key) != value)

    def check(self, records: Sequence[Record]) -> None:
        """Raise RowsError for a bad row, without a model; rows for metrics by others are not checked."""
        options = self._options
        self._attempt(records, lambda columns: options and self._metric.check_columns(columns, options))

    def score(self, records: Sequence[Record]) -> ScoredChunk:
        """Score the rows.

        Raise RowsError for a bad row that is not set aside, or has a column with the name of an added one, and
        ValueError if the metric returns no score per row, or rejects its keywords.
        """
        computed, rows, bad = self._attempt(records, self._compute_rows)
        if computed is None:
            return ScoredChunk([], bad, Progress(len(records)))
        result, statistics = computed
        per_row = _per_row(result, len(rows))
        if self._reporting:
            rows, per_row, failed = self._without_errors(rows, per_row)
            bad = sorted(bad + failed, key=lambda one: one.number)
        signature = result.get("signature")
        signed = {} if signature is None else {SIGNATURE: [signature] * len(rows)}
        answered = zip(per_row.get("asked", []), per_row.get("score", []), strict=False)
        judged = sum(asked is True and score is not None for asked, score in answered)
        reason = next((error for error in per_row.get("error", []) if error and isinstance(error, str)), None)
        signatures = [signature] if signature else []
        progress = Progress(len(records), len(rows), _sums(result, per_row), signatures, judged, reason, statistics)
        with_scores = self._add_columns(rows, signed | per_row)
        return ScoredChunk(with_scores, bad, progress, getattr(self._metric, "gave_up", None))

    def pooled_score(self, progress: Progress) -> float:
        """Return the score of all rows together from their statistics."""
        return float(self._metric.pooled_score(progress.statistics, self._options))

    def _compute_rows(self, columns: Mapping[str, list[Any]]) -> tuple[dict[str, Any], Sequence[float]]:
        """Return the result of `compute`, and statistics if the metric has them."""
        given = {**columns, **self._compute, **self._reporting}
        if not hasattr(self._metric, "pooled_score"):
            return self._metric.compute(**given), ()
        options, checked = self._metric.check_call(given)
        scored = self._metric.score(checked, options)
        return self._metric.result(scored, options, per_example=True), scored.statistics

    def _attempt(
        self, records: Sequence[Record], act: Callable[[dict[str, list[Any]]], _Result]
    ) -> tuple[_Result | None, list[_NumberedRow], list[BadRow]]:
        """Call a function with the rows of records, again without each row that it finds bad."""
        rows = [(number, row) for number, row in records if not isinstance(row, Broken)]
        bad = [BadRow(number, row.message, row.text) for number, row in records if isinstance(row, Broken)]
        while rows and (self._keep_going or not bad):
            columns = self._columns.take([row for _, row in rows], self._accepted, self._required)
            try:
                return act(columns), rows, sorted(bad, key=lambda one: one.number)
            except RowError as error:
                number, row = rows.pop(error.row)
                column = self._columns.name_in(row, error.column)
                message = str(error).replace(f"{error.column}[{error.row}]", column)
                bad.append(BadRow(number, f"{place(self._source, number)}: {message}", row))
        if bad and not self._keep_going:
            first = min(bad, key=lambda one: one.number)
            raise RowsError(f"{first.error}\nFix the row, or collect bad rows in a file with --errors bad.jsonl.")
        return None, [], bad

    def _without_errors(
        self, rows: Sequence[_NumberedRow], per_row: dict[str, list[Any]]
    ) -> tuple[list[_NumberedRow], dict[str, list[Any]], list[BadRow]]:
        """Separate the rows for which the metric reports an error in the column "error"."""
        errors = per_row.pop("error")
        bad = [
            BadRow(number, f"{place(self._source, number)}: {error}", row)
            for (number, row), error in zip(rows, errors, strict=True)
            if error is not None
        ]
        kept = [index for index, error in enumerate(errors) if error is None]
        columns = {name: [values[index] for index in kept] for name, values in per_row.items()}
        return [rows[index] for index in kept], columns, bad

    def _add_columns(self, rows: Sequence[_NumberedRow], per_row: Mapping[str, list[Any]]) -> list[Row]:
        named = {f"{self._prefix}{name}": values for name, values in per_row.items()}
        for index, (number, row) in enumerate(rows):
            # A metric may return a column of the input, such as keywords, and fill in missing values.
            both = [name for name in named if name in row and row[name] not in self._nothing]
            if taken := [name for name in both if named[name][index] not in (None, row[name])]:
                raise self._name_error(number, min(taken))
        return [
            row
            | {name: values[index] for name, values in named.items() if values[index] is not None or name not in row}
            for index, (_, row) in enumerate(rows)
        ]

    def _name_error(self, number: int, name: str) -> RowsError:
        return RowsError(
            f"{place(self._source, number)}: there is a column {name!r} already, which the metric adds. "
            f"Rename the added columns, for example with --prefix {self._metric.name}_"
        )


def row_lists(result: Mapping[str, Any], rows: int) -> dict[str, list[Any]]:
    """Return the lists of a metric's result that have one entry per row."""
    per_example = result.get("per_example")
    columns = per_example if isinstance(per_example, Mapping) else result
    lists = {name: as_list(values) for name, values in columns.items()}
    return {name: values for name, values in lists.items() if values is not None and len(values) == rows}


def _per_row(result: Mapping[str, Any], count: int) -> dict[str, list[Any]]:
    found = {name: values for name, values in row_lists(result, count).items() if name not in _OF_N_GRAMS}
    if not found:
        raise ValueError(
            f"the metric returned {', '.join(result)}, but no score per row. It may have an option for that, such as "
            "--compute use_aggregator=False of rouge."
        )
    return found


def _sums(result: Mapping[str, Any], per_row: Mapping[str, list[Any]]) -> dict[str, tuple[float, int]]:
    """Return sum and count of the columns with a meaningful mean, unlike, for example, an index; and the cost.

    Scores of our own metrics are included even if all are None, so that rows without a score can be counted.
    """
    own = isinstance(result.get("per_example"), Mapping)
    meant = [name for name in per_row if not own or name in ("score", "verdict") or name in result]
    numbers = {
        name: [value for value in per_row[name] if isinstance(value, (int, float)) and math.isfinite(value)]
        for name in meant
    }
    kept = (name for name, values in numbers.items() if values or (own and name == "score"))
    sums = {name: (float(sum(numbers[name])), len(numbers[name])) for name in kept}
    return sums | ({COST: (result[COST], 1)} if own and result.get(COST) is not None else {})
