"""From video files to the vectors of their sampled frames: decoded in threads, encoded at the same time.

Threads decode and prepare a bounded number of batches ahead of the encoder, so that memory does not grow with the
length of a video but for its vectors.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import Full, Queue, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._shared.checkpoints import file_hash
from .clip import Encoder
from .features import FeatureStore, VideoFeatures
from .video import Frame, Sampling, UnreadableVideo, read_samples

# Batches that wait for the encoder, for each thread.
_BATCHES_AHEAD = 2
# How often a thread that waits looks whether it is still wanted, in seconds.
_PATIENCE = 0.1

Prepare = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]


class Batch(NamedTuple):
    """Frames of one video: numbers, times, and pixels, shape (frames, height, width, 3), or their vectors."""

    numbers: list[int]
    seconds: list[float]
    values: NDArray[Any]


class _End(NamedTuple):
    """All batches of a video have been given; `key` is what its features are kept under."""

    key: str | None


class _Stopped(Exception):  # noqa: N818 - a signal to a thread that nobody wants its results any more
    pass


def video_features(
    paths: Sequence[str],
    encoder: Encoder,
    sampling: Sampling,
    *,
    cache_dir: str | Path | None = None,
    threads: int | None = None,
) -> Iterator[tuple[str, VideoFeatures | UnreadableVideo]]:
    """Yield (path, features) of each distinct video as soon as they are known, or why they cannot be.

    No batch mixes videos: the vectors do not depend on what else is asked for.

    Args:
        paths: Video files; one that is named several times is read once.
        encoder: The model.
        sampling: Which frames.
        cache_dir: Keeps the features for later calls, by content of the file, sampling and model.
        threads: Threads that decode, and as many that prepare frames; by default one for each core.
    """
    # Before threads do: two that import at a time may wait for each other for ever (python/cpython#91351).
    import av  # noqa: F401

    distinct = list(dict.fromkeys(paths))
    store = FeatureStore(cache_dir, f"{encoder.fingerprint}|{sampling}") if cache_dir else None
    cores = threads or available_cores()
    at_once, helpers = divide(cores, len(distinct))

    def work(path: str, pool: Executor) -> Iterator[Batch | VideoFeatures | UnreadableVideo | _End]:
        try:
            key = _key(path) if store else None
            if store and key and (known := store.read(key)):
                yield known
                return
            samples = read_samples(path, sampling, helpers)
            yield from batches(samples, encoder.prepare, encoder.batch_frames, pool, ahead=helpers + 1)
            yield _End(key)
        except UnreadableVideo as error:
            yield error

    unfinished: dict[str, list[Batch]] = {}
    for path, result in in_threads(distinct, work, at_once, cores):
        if isinstance(result, Batch):
            encoded = result._replace(values=encoder.encode_prepared(result.values))
            unfinished.setdefault(path, []).append(encoded)
            continue
        parts = unfinished.pop(path, [])
        if isinstance(result, _End):
            features = _joined(parts)
            if store and result.key:
                store.write(result.key, features)
            yield path, features
        else:
            yield path, result


def divide(cores: int, videos: int) -> tuple[int, int]:
    """Return how many videos are read at once, and with how many threads each: of few videos each has several."""
    at_once = max(1, min(cores, videos))
    return at_once, max(1, cores // at_once)


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _joined(batches: Sequence[Batch]) -> VideoFeatures:
    return VideoFeatures(
        vectors=np.concatenate([batch.values for batch in batches]),
        times=np.array([second for batch in batches for second in batch.seconds], dtype=np.float64),
        frames=np.array([number for batch in batches for number in batch.numbers], dtype=np.int64),
    )


def _key(path: str) -> str | None:
    """Return the hash of the file's content; reading it as a video tells why if there is none."""
    try:
        return file_hash(Path(path))
    except OSError:
        return None


def batches(samples: Iterable[Frame], prepare: Prepare, size: int, pool: Executor, ahead: int) -> Iterator[Batch]:
    """Prepare frames in other threads than the one that decodes them, and join them to batches.

    Args:
        samples: Decoded frames; the next one is asked for while those before it are prepared.
        prepare: Brings a frame to the size that the model wants.
        size: Frames of a batch; the last one may have fewer.
        pool: Runs `prepare`.
        ahead: Frames that are being prepared at a time, at most: they are of full size.
    """
    prepared = _prepared(samples, prepare, pool, ahead)
    while frames := list(islice(prepared, size)):
        numbers, seconds, pixels = zip(*frames, strict=True)
        yield Batch(list(numbers), list(seconds), np.stack(pixels))


def _prepared(
    samples: Iterable[Frame], prepare: Prepare, pool: Executor, ahead: int
) -> Iterator[tuple[int, float, NDArray[np.uint8]]]:
    waiting: deque[tuple[int, float, Any]] = deque()
    for sample in samples:
        waiting.append((sample.number, sample.seconds, pool.submit(prepare, sample.image)))
        while waiting and (len(waiting) > ahead or waiting[0][2].done()):
            number, seconds, future = waiting.popleft()
            yield number, seconds, future.result()
    for number, seconds, future in waiting:
        yield number, seconds, future.result()


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
    stopped, left = Event(), SimpleQueue[str | None]()
    for path in (*paths, *[None] * threads):
        left.put(path)

    def put(result: tuple[str, Any] | BaseException | None) -> None:
        while not stopped.is_set():
            with suppress(Full):
                return results.put(result, timeout=_PATIENCE)
        raise _Stopped

    def run() -> None:
        with suppress(_Stopped):
            try:
                while (path := left.get()) is not None:
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
