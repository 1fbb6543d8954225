"""What frameworks need that ask for one row at a time: rows that wait at the same time are scored by one `compute`."""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from evaluate_qa.loading import load_metric

Row = Mapping[str, Any]

_NO_COMPONENTS = ("score", "verdict", "best_reference", "error")


@dataclass(frozen=True)
class RowScore:
    """What a metric says of one answer.

    Args:
        score: None if the row could not be scored; `error` then says why.
        verdict: None where the metric gives none.
        components: Its other columns of `per_example`, but for those that are None.
        nearest: The reference that the score is for, where the metric tells.
        signature: What is needed to reproduce the score.
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
        return f"{verdict}score {self.score:.3f}{nearest}{''.join(map(_told, self.components.items()))}"


def _told(component: tuple[str, Any]) -> str:
    name, value = component
    return f", {name} {value:.3f}" if isinstance(value, float) else f", {name} {value}"


class RowScorer:
    """Scores rows that threads ask for. The metric loads its model when the first one does, once.

    Who comes while rows are being scored waits until they are; the first to wait then scores the rows of all who do.

    Args:
        metric: A name, a folder, or what `evaluate.load` returned.
        options: Of `compute`.

    Raises:
        TypeError, ValueError: the metric compares with no references, or an option cannot be used.
    """

    def __init__(self, metric: Any, options: Mapping[str, Any]) -> None:
        self.metric = load_metric(metric) if isinstance(metric, str) else metric
        self.name: str = self.metric.name
        if "references" not in getattr(self.metric, "required", ()):
            raise TypeError(f"{self.name} is no metric of evaluate-qa that compares answers with references")
        self.metric.check_ahead(**options)
        self._options = options
        self._turn = threading.Lock()
        self._waiting: deque[tuple[Row, Future[RowScore]]] = deque()

    def __call__(self, row: Row) -> RowScore:
        """Score one row, `{"predictions": …, "references": …, "questions": …}`, of which some columns may be missing.

        Raises:
            RowError: it cannot be scored; others that were scored together with it can.
        """
        mine: Future[RowScore] = Future()
        self._waiting.append((row, mine))
        with self._turn:
            if not mine.done():
                self._score_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        return mine.result()

    def _score_all(self, waiting: Sequence[tuple[Row, "Future[RowScore]"]]) -> None:
        try:
            scores = self._scores([row for row, _ in waiting])
        except BaseException as error:
            alone = len(waiting) == 1 or not isinstance(error, Exception)
            for row, future in waiting:
                if alone:
                    future.set_exception(error)
                else:
                    self._score_all([(row, future)])
            return
        for (_, future), score in zip(waiting, scores, strict=True):
            future.set_result(score)

    def _scores(self, rows: Sequence[Row]) -> list[RowScore]:
        names = dict.fromkeys(name for row in rows for name in row)
        columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
        found = self.metric.compute(**columns, **self._options)
        per_row = [
            dict(zip(found["per_example"], values, strict=True))
            for values in zip(*found["per_example"].values(), strict=True)
        ]
        return [row_score(row, columns["references"][number], found["signature"]) for number, row in enumerate(per_row)]


def row_score(values: Mapping[str, Any], references: str | Sequence[str], signature: str) -> RowScore:
    """Return what a metric says of one answer from its entries in `per_example`."""
    best = values.get("best_reference")
    return RowScore(
        score=values["score"],
        verdict=values.get("verdict"),
        components={
            name: value for name, value in values.items() if name not in _NO_COMPONENTS and value not in (None, "")
        },
        nearest=None if best is None else references if isinstance(references, str) else references[best],
        error=values.get("error"),
        signature=signature,
    )
