"""Turn video files into the vectors of their sampled frames: some videos are decoded while the model encodes others."""

import hashlib
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from threading import Event

import numpy as np

from .._shared.checkpoints import file_hash
from .._shared.devices import usable_cpus
from .._shared.stores import Store
from .clip import Encoder, Vectors
from .features import VideoFeatures
from .video import Frame, Sampling, UnreadableVideo, read_samples

# Part of every store's name. Raise it when the same model and sampling give other vectors.
_VERSION = "2"


def video_features(
    paths: Sequence[str], encoder: Encoder, sampling: Sampling, cache_dir: Path | None = None
) -> Generator[tuple[str, VideoFeatures | UnreadableVideo], None, None]:
    """Yield (path, features) of each video as soon as they are known, or (path, the reason for none).

    Paths are distinct. A batch never mixes videos, so the vectors of a video do not depend on the others. Close the
    generator to stop the decoding threads, one per core. `cache_dir` keeps the features for later calls, by the file's
    content, the sampling and the model.
    """
    # Before the threads start: two threads that import at once may deadlock (python/cpython#91351).
    import av  # noqa: F401
    from safetensors.numpy import load, save

    name = hashlib.sha256(f"{_VERSION}|{encoder.fingerprint}|{sampling}".encode()).hexdigest()[:32]
    store = Store(cache_dir / f"features-{name}.sqlite", "evqascore: the store of features") if cache_dir else None
    cores = usable_cpus()
    at_once = max(1, min(cores, len(paths)))
    stopped = Event()

    def features(path: str) -> VideoFeatures | UnreadableVideo:
        key = _content_hash(path) if store else None
        if store and key and (known := next(store.read([key]), None)):
            return VideoFeatures(**load(known[0]))
        try:
            found = _encode(read_samples(path, sampling, max(1, cores // at_once)), encoder, model, stopped)
        except UnreadableVideo as error:
            return error
        if store and key:
            store.write([key], [save(vars(found))])
        return found

    with ThreadPoolExecutor(at_once, "decode") as readers, ThreadPoolExecutor(1, "encode") as model:
        running = {readers.submit(features, path): path for path in paths}
        try:
            for future in as_completed(running):
                yield running.pop(future), future.result()
        finally:
            stopped.set()
            readers.shutdown(cancel_futures=True)


def _encode(samples: Iterable[Frame], encoder: Encoder, model: Executor, stopped: Event) -> VideoFeatures:
    """Return the features of one video; one batch is prepared while the one before it is encoded."""
    numbers: list[int] = []
    seconds: list[float] = []
    vectors: list[Future[Vectors]] = []
    left = iter(samples)
    # Frames are prepared one by one, because the frames of a batch are larger before that.
    while batch := [
        (one.number, one.seconds, encoder.prepare(one.image)) for one in islice(left, encoder.batch_frames)
    ]:
        if stopped.is_set():
            raise CancelledError
        if vectors:
            vectors[-1].result()
        some, times, pixels = zip(*batch, strict=True)
        numbers += some
        seconds += times
        vectors.append(model.submit(encoder.encode_prepared, np.stack(pixels)))
    return VideoFeatures(
        vectors=np.concatenate([one.result() for one in vectors]),
        times=np.array(seconds, dtype=np.float64),
        frames=np.array(numbers, dtype=np.int64),
    )


def _content_hash(path: str) -> str | None:
    """Return the hash of a file; None if it cannot be read, which reading it as a video reports."""
    try:
        return file_hash(Path(path))
    except OSError:
        return None
