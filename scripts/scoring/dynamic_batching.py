"""Score requests that arrive at the same time together: while one batch is scored, the next one collects."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Columns = Mapping[str, list[Any]]
Result = dict[str, Any]

_BATCH_ROWS = 1024
"""A batch of an `AsyncBatcher` ends with the request that reaches this number of rows."""

Q = TypeVar("Q")
R = TypeVar("R")


def score_each(score: Callable[[Sequence[Q]], Sequence[R]], requests: Sequence[Q]) -> list[R | BaseException]:
    """Score requests together; return the result or the error of each.

    An error does not affect other requests, but KeyboardInterrupt or a panic in Rust ends all of them: nobody must wait
    forever.
    """
    try:
        return _score_each(score, requests)
    except BaseException as error:
        return [error] * len(requests)


def _score_each(score: Callable[[Sequence[Q]], Sequence[R]], requests: Sequence[Q]) -> list[R | BaseException]:
    try:
        return [*score(requests)]
    except Exception as error:
        if len(requests) == 1:
            return [error]
        return [outcome for request in requests for outcome in _score_each(score, [request])]


def _deliver(outcome: R | BaseException, future: "Future[R] | asyncio.Future[R]") -> None:
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


class ThreadBatcher(Generic[Q, R]):
    """Scores requests of several threads.

    A thread that comes while requests are scored waits; the first waiting thread then scores the requests of all of
    them. `score` returns the result of each of several requests.
    """

    def __init__(self, score: Callable[[Sequence[Q]], Sequence[R]]) -> None:
        self._score = score
        self._turn = threading.Lock()
        self.waiting: deque[tuple[Q, Future[R]]] = deque()

    def result(self, request: Q) -> R:
        """Return the result of a request; raise what `score` raised for this request."""
        mine: Future[R] = Future()
        self.waiting.append((request, mine))
        with self._turn:
            if not mine.done():
                batch = [self.waiting.popleft() for _ in range(len(self.waiting))]
                outcomes = score_each(self._score, [request for request, _ in batch])
                for (_, future), outcome in zip(batch, outcomes, strict=True):
                    _deliver(outcome, future)
        return mine.result()


@dataclass(frozen=True)
class _Request:
    columns: Columns
    rows: int
    result: "asyncio.Future[Result]"


@dataclass
class AsyncBatcher:
    """Scores requests of coroutines in one thread."""

    score: Callable[[Sequence[Columns]], list[Result]]  # returns the result of each of several requests
    # Number of rows that may wait. A request with more rows is accepted if no other is waiting.
    most_rows: int
    waiting: int = 0  # number of rows that wait for a batch
    rows: int = 0  # number of rows that were scored
    batches: int = 0
    seconds: float = 0.0  # time that the scorer took
    _requests: deque[_Request] = field(default_factory=deque)
    _running: "asyncio.Task[None] | None" = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "scorer"))

    async def result(self, columns: Columns, rows: int) -> Result:
        """Return the result of a request; raise QueueFullError, or what the scorer raised for this request."""
        if self.waiting and self.waiting + rows > self.most_rows:
            raise QueueFullError
        loop = asyncio.get_running_loop()
        request = _Request(columns, rows, loop.create_future())
        self._requests.append(request)
        self.waiting += rows
        if self._running is None:
            self._running = loop.create_task(self._run())
        return await request.result

    async def _run(self) -> None:
        while self._requests:
            batch = self._next_batch()
            started = time.perf_counter()
            columns = [request.columns for request in batch]
            outcomes = await asyncio.get_running_loop().run_in_executor(self._thread, score_each, self.score, columns)
            self.seconds += time.perf_counter() - started
            self.batches += 1
            for request, outcome in zip(batch, outcomes, strict=True):
                self.rows += request.rows
                if not request.result.done():  # otherwise, its connection was lost
                    _deliver(outcome, request.result)
        self._running = None

    def _next_batch(self) -> list[_Request]:
        batch: list[_Request] = []
        rows = 0
        while self._requests and rows < _BATCH_ROWS:
            batch.append(self._requests.popleft())
            rows += batch[-1].rows
        self.waiting -= rows
        return batch


class QueueFullError(Exception):
    """Too many rows are waiting."""
