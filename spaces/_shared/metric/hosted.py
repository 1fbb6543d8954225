"""The scorer behind a Space, which is loaded once and serves one request at a time."""

import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from evaluate_qa.loading import scorer_class
from evaluate_qa.metrics._values.answer_keys import AnswerKey
from evaluate_qa.metrics._values.scorer import AnswerScorer, read_answer_keys

from ..visitors.limits import LIMITS, Refusal

LOG = logging.getLogger("space")

Row = dict[str, Any]
"""An answer with its question, references, …, by the metric's column names (`predictions`, `references`, …)."""


class HostedScorer:
    """Scores visitors' rows, one request at a time; `loading` returns the options for loading the scorer."""

    def __init__(
        self, name: str, configuration: str | None = None, loading: Callable[[], Mapping[str, Any]] = dict
    ) -> None:
        self.name = name
        self._configuration, self._loading = configuration, loading
        self._metric: Any = None
        self._lock = threading.Lock()

    def warm(self, row: Row) -> None:
        """Load the metric and its model by scoring a row, so that visitors need not wait for it."""
        try:
            self.compute([row], {})
        except Exception:
            # The first visitor's request meets the same error and shows it.
            LOG.exception("the metric could not be loaded")

    @property
    def metric(self) -> Any:
        """The scorer itself. Only read from it, because `compute` may be running."""
        with self._turn():
            return self._loaded()

    def with_metric(self, metric: Any) -> "HostedScorer":
        """Return a scorer for another, loaded metric, with a lock of its own."""
        other = HostedScorer(self.name)
        other._metric = metric
        return other

    def compute(self, rows: Sequence[Row], options: dict[str, Any]) -> dict[str, Any]:
        """Return the result of the metric's `compute` for these rows; raise Refusal if it cannot score a row."""
        columns = dict.fromkeys(column for row in rows for column in row)
        given = {column: [row.get(column) for row in rows] for column in columns}
        with self._checked() as metric:
            result: dict[str, Any] = metric.compute(**given, **options)
        return result

    def features(self, row: Row, options: Any) -> Any:
        """Return the input of the metric's `scoring.score` for a row: everything slow, but not the score."""
        with self._checked() as metric:
            metric.prepare(options)
            return metric.features(**metric.check_columns(_columns(metric, row)), options=options)

    def check(self, row: Row) -> tuple[Row, AnswerKey | None]:
        """Return a row as the metric reads it, and its answer key; raise Refusal if it cannot score the row."""
        with self._checked() as metric:
            columns = metric.check_columns(_columns(metric, row))
            if not isinstance(metric, AnswerScorer) or not metric.has_answer_keys:
                return row, None
            read, keys = read_answer_keys(columns)
            return row | {name: values[0] for name, values in read.items() if name in row}, keys[0]

    @contextmanager
    def _checked(self) -> Iterator[Any]:
        """Yield the metric, and turn its errors about the input into refusals."""
        with self._turn():
            try:
                yield self._loaded()
            except (TypeError, ValueError) as error:
                # Without the metric's name and the row number, which is always 0.
                raise Refusal(re.sub(r"\[0\]", "", str(error).removeprefix(f"{self.name}: "), count=2)) from error

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until the metric is free, but with a limit, so that requests do not pile up behind a long file."""
        if not self._lock.acquire(timeout=LIMITS.turn_seconds):
            raise Refusal("The metric is loading, or busy with other visitors. Try again in a few minutes.")
        try:
            yield
        finally:
            self._lock.release()

    def _loaded(self) -> Any:
        if self._metric is None:
            self._metric = scorer_class(self.name)(self._configuration, **self._loading())
        return self._metric


def _columns(metric: Any, row: Row) -> dict[str, list[Any]]:
    return {column: [value] for column, value in row.items() if column in metric.columns}
