"""Score rows of frameworks that ask for one row at a time; rows that wait at the same time share one `compute`."""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluate_qa.loading import load_metric
from evaluate_qa.serving.batching import outcomes

Row = Mapping[str, Any]

_NO_COMPONENTS = ("score", "verdict", "best_reference", "error")


@dataclass(frozen=True)
class RowScore:
    """The scores of one answer.

    The score is None if the row could not be scored, for which `error` has the reason. The verdict is None if the
    metric gives no verdicts. `components` has the other columns of `per_example` whose values are not None, and
    `nearest` the reference with the best score, if the metric reports it.
    """

    score: float | None
    verdict: bool | None
    components: Mapping[str, Any]
    nearest: str | None
    error: str | None
    signature: str

    @property
    def why(self) -> str:
        """Verdict, score, nearest reference and components in one line."""
        if self.score is None:
            return f"not scored: {self.error}"
        verdict = {None: "", True: "right, ", False: "wrong, "}[self.verdict]
        nearest = "" if self.nearest is None else f", nearest reference {self.nearest!r}"
        more = "".join(
            f", {name} {value:.3f}" if isinstance(value, float) else f", {name} {value}"
            for name, value in self.components.items()
        )
        return f"{verdict}score {self.score:.3f}{nearest}{more}"


class LazyMetric:
    """A metric with options of `load` and of `compute`, which is loaded when rows are first scored."""

    def __init__(
        self, name: str, load: Mapping[str, Any] | None = None, compute: Mapping[str, Any] | None = None
    ) -> None:
        self.name, self._load, self._compute = name, load or {}, compute or {}

    @cached_property
    def _metric(self) -> Any:
        return load_metric(self.name, **self._load)

    def scored(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return the result of `compute` for some rows."""
        result: dict[str, Any] = self._metric.compute(**columns, **self._compute)
        return result


class RowScorer:
    """Scores rows for several threads with a metric: a name, a folder, or a loaded metric.

    A thread that comes while rows are scored waits; the first waiting thread then scores the rows of all of them. Raise
    TypeError or ValueError if the metric does not use references, or an option cannot be used.
    """

    def __init__(self, metric: Any, options: Mapping[str, Any]) -> None:
        self.metric = load_metric(metric) if isinstance(metric, str) else metric
        self.name: str = self.metric.name
        if "references" not in getattr(self.metric, "required", ()):
            raise TypeError(f"{self.name} is not a metric of evaluate-qa that compares answers with references.")
        self.metric.check_ahead(**options)
        self._options = options
        self._turn = threading.Lock()
        self._waiting: deque[tuple[Row, Future[RowScore]]] = deque()

    def __call__(self, row: Row) -> RowScore:
        """Score one row with columns of `compute`, without those that are not needed; raise RowError if it is bad."""
        mine: Future[RowScore] = Future()
        self._waiting.append((row, mine))
        with self._turn:
            if not mine.done():
                self._score_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        return mine.result()

    def _score_all(self, waiting: Sequence[tuple[Row, "Future[RowScore]"]]) -> None:
        scored = outcomes(self._scores, [row for row, _ in waiting])
        for (_, future), outcome in zip(waiting, scored, strict=True):
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    def _scores(self, rows: Sequence[Row]) -> list[RowScore]:
        names = dict.fromkeys(name for row in rows for name in row)
        columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
        found = self.metric.compute(**columns, **self._options)
        return [row_score(found, number, references) for number, references in enumerate(columns["references"])]


def row_score(found: Mapping[str, Any], number: int, references: str | Sequence[str]) -> RowScore:
    """Return the scores of one answer from the result of `compute`; `number` counts rows from 0."""
    values = {name: column[number] for name, column in found["per_example"].items()}
    best = values.get("best_reference")
    return RowScore(
        score=values["score"],
        verdict=values.get("verdict"),
        components={
            name: value for name, value in values.items() if name not in _NO_COMPONENTS and value not in (None, "")
        },
        nearest=None if best is None else references if isinstance(references, str) else references[best],
        error=values.get("error"),
        signature=found["signature"],
    )
