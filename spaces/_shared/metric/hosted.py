"""The scorer behind a Space: loaded once, used by one request at a time."""

import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from evaluate_qa.loading import scorer_class

from ..visitors.limits import LIMITS, Refusal

LOG = logging.getLogger("space")

Row = dict[str, Any]
"""One answer with all that belongs to it, by the metric's names of its columns (`predictions`, `references`, …)."""


class HostedScorer:
    """Scores visitors' rows, one request at a time.

    Args:
        name: The metric's name.
        configuration: Its configuration; None for the default.
        loading: Returns the options that the scorer is loaded with.
    """

    def __init__(
        self,
        name: str,
        configuration: str | None = None,
        loading: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self.name = name
        self._configuration, self._loading = configuration, loading
        self._metric: Any = None
        # A long file must not keep others from being refused, so a request waits for its turn with a limit.
        self._lock = threading.Lock()

    def warm(self, row: Row) -> None:
        """Load metric and model by scoring a row, so that visitors need not wait for it."""
        try:
            self.compute([row], {})
        except Exception:
            # A visitor's request will meet the same error and be told; here there is nobody to tell.
            LOG.exception("the metric could not be loaded")

    @property
    def metric(self) -> Any:
        """The scorer itself; for reading, as `compute` may be running."""
        with self._turn():
            return self._loaded()

    def with_metric(self, make: Callable[[Any], Any]) -> "HostedScorer":
        """Return a scorer for a metric that is made from this one's, for whose turn nobody else waits."""
        other = HostedScorer(self.name, self._configuration)
        other._metric = make(self.metric)
        return other

    def compute(self, rows: Sequence[Row], options: dict[str, Any]) -> dict[str, Any]:
        """Return what the metric's `compute` returns for these rows.

        Raises:
            Refusal: the metric says that something cannot be scored.
        """
        columns = dict.fromkeys(column for row in rows for column in row)
        given = {column: [row.get(column) for row in rows] for column in columns}
        with self._asked() as metric:
            result: dict[str, Any] = metric.compute(**given, **options)
        return result

    def parts(self, row: Row, options: Any) -> Any:
        """Return what the metric's `scoring.score` takes for a row: all that takes time, but not the score."""
        with self._asked() as metric:
            metric.prepare(options)
            return metric.parts(**metric.check_columns(_columns(metric, row)), options=options)

    def check(self, row: Row) -> None:
        """Raise Refusal, in the metric's own words, if it cannot score a row."""
        with self._asked() as metric:
            metric.check_columns(_columns(metric, row))

    def plain(self, error: Exception) -> str:
        """Return the metric's message without its name and without the number of the row, which is always 0."""
        return re.sub(r"\[0\]", "", str(error).removeprefix(f"{self.name}: "), count=2)

    @contextmanager
    def _asked(self) -> Iterator[Any]:
        """Give the metric, and turn what it says of its input into a refusal."""
        with self._turn():
            try:
                yield self._loaded()
            except (TypeError, ValueError) as error:
                raise Refusal(self.plain(error)) from error

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until the metric is free, but not for ever: a visitor can try again, a queue that stands cannot."""
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
