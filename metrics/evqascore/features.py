"""From video files to the vectors of their sampled frames: decoded in threads, encoded at the same time."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checkpoints import file_hash
from .decoding import Batch, available_cores, batches, in_threads
from .encoder import Encoder
from .feature_store import FeatureStore, VideoFeatures
from .sampling import Sampling, UnreadableVideo
from .video import read_samples

__all__ = ["Sampling", "UnreadableVideo", "VideoFeatures", "video_features"]


class _Part(NamedTuple):
    """What is kept of a batch once it is encoded: no picture."""

    vectors: NDArray[np.float32]
    seconds: list[float]
    numbers: list[int]


class _End(NamedTuple):
    """All batches of a video have been given; `key` is what its features are kept under."""

    key: str | None


def video_features(
    paths: Sequence[str],
    encoder: Encoder,
    sampling: Sampling,
    *,
    cache_dir: str | Path | None = None,
    threads: int | None = None,
) -> Iterator[tuple[str, VideoFeatures | UnreadableVideo]]:
    """Yield (path, features) of each distinct video as soon as they are known, or why they cannot be.

    Decoding, preparing and encoding go on at once, a batch of frames at a time, so that memory does not grow with the
    length of a video but for its vectors. No batch mixes videos: the vectors do not depend on what else is asked for.

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
    at_once = max(1, min(cores, len(distinct)))
    helpers = max(1, cores // at_once)  # of few videos each has several threads

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

    unfinished: dict[str, list[_Part]] = {}
    for path, result in in_threads(distinct, work, at_once, cores):
        if isinstance(result, Batch):
            part = _Part(encoder.encode_prepared(result.pixels), result.seconds, result.numbers)
            unfinished.setdefault(path, []).append(part)
        elif isinstance(result, _End):
            features = _joined(unfinished.pop(path))
            if store and result.key:
                store.write(result.key, features)
            yield path, features
        else:
            unfinished.pop(path, None)
            yield path, result


def _joined(parts: Sequence[_Part]) -> VideoFeatures:
    return VideoFeatures(
        vectors=np.concatenate([part.vectors for part in parts]),
        times=np.array([second for part in parts for second in part.seconds], dtype=np.float64),
        frames=np.array([number for part in parts for number in part.numbers], dtype=np.int64),
    )


def _key(path: str) -> str | None:
    """Return the hash of the file's content; reading it as a video tells why if there is none."""
    try:
        return file_hash(Path(path))
    except OSError:
        return None
