"""Threads that decode videos and prepare their frames, a bounded number of batches ahead of whoever encodes them."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .sampling import Sample

# Batches that wait for the encoder, for each thread.
_BATCHES_AHEAD = 2
# How often a thread that waits looks whether it is still wanted, in seconds.
_PATIENCE = 0.1

Prepare = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]


class Batch(NamedTuple):
    """Prepared frames of one video, shape (frames, height, width, 3), with their numbers and times."""

    numbers: list[int]
    seconds: list[float]
    pixels: NDArray[np.uint8]


class _Stopped(Exception):  # noqa: N818 - a signal to a thread that nobody wants its results any more
    pass


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batches(samples: Iterable[Sample], prepare: Prepare, size: int, pool: Executor, ahead: int) -> Iterator[Batch]:
    """Prepare frames in other threads than the one that decodes them, and join them to batches.

    Args:
        samples: Decoded frames; the next one is asked for while those before it are prepared.
        prepare: Brings a frame to the size that the model wants.
        size: Frames of a batch; the last one may have fewer.
        pool: Runs `prepare`.
        ahead: Frames that are being prepared at a time, at most: they are of full size.
    """
    ready: list[tuple[int, float, NDArray[np.uint8]]] = []
    for prepared in _prepared(samples, prepare, pool, ahead):
        ready.append(prepared)
        if len(ready) == size:
            yield _joined(ready)
            ready = []
    if ready:
        yield _joined(ready)


def _prepared(
    samples: Iterable[Sample], prepare: Prepare, pool: Executor, ahead: int
) -> Iterator[tuple[int, float, NDArray[np.uint8]]]:
    waiting: deque[tuple[int, float, Any]] = deque()
    for number, seconds, image in samples:
        waiting.append((number, seconds, pool.submit(prepare, image)))
        while len(waiting) > ahead or (waiting and waiting[0][2].done()):
            yield _result(*waiting.popleft())
    for one in waiting:
        yield _result(*one)


def _result(number: int, seconds: float, future: Any) -> tuple[int, float, NDArray[np.uint8]]:
    return number, seconds, future.result()


def _joined(ready: list[tuple[int, float, NDArray[np.uint8]]]) -> Batch:
    numbers, seconds, pixels = zip(*ready, strict=True)
    return Batch(list(numbers), list(seconds), np.stack(pixels))


def in_threads(
    paths: Iterable[str], work: Callable[[str, Executor], Iterator[Any]], threads: int, pool_threads: int
) -> Iterator[tuple[str, Any]]:
    """Yield (path, result) for every result of `work(path, pool)`; several paths are worked on at once.

    The results of one path keep their order. Threads wait once a few results are not fetched. If the caller stops
    early, so do they.

    Args:
        paths: What to work on.
        work: Yields the results of one path; may use the pool. An exception of its own is raised here.
        threads: Paths at a time.
        pool_threads: Threads of the pool.
    """
    results: Queue[tuple[str, Any] | BaseException | None] = Queue(_BATCHES_AHEAD * threads)
    stopped, lock, left = Event(), Lock(), iter(paths)

    def put(result: tuple[str, Any] | BaseException | None) -> None:
        while not stopped.is_set():
            with suppress(Full):
                return results.put(result, timeout=_PATIENCE)
        raise _Stopped

    def run() -> None:
        with suppress(_Stopped):
            try:
                while (path := _next(left, lock)) is not None:
                    for result in work(path, pool):
                        put((path, result))
                put(None)
            except _Stopped:
                raise
            except BaseException as error:  # raised where the results are fetched
                put(error)

    with ThreadPoolExecutor(pool_threads, thread_name_prefix="prepare") as pool:
        workers = [Thread(target=run, name="decode", daemon=True) for _ in range(threads)]
        for worker in workers:
            worker.start()
        try:
            yield from _fetched(results, threads)
        finally:
            stopped.set()
            for worker in workers:
                worker.join()


def _fetched(results: "Queue[Any]", running: int) -> Iterator[tuple[str, Any]]:
    while running:
        result = results.get()
        if isinstance(result, BaseException):
            raise result
        if result is None:
            running -= 1
        else:
            yield result


def _next(left: Iterator[str], lock: Any) -> str | None:
    with lock:
        return next(left, None)
