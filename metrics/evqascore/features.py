"""What a CLIP model sees in a video: brought by the caller as a matrix or a file, or kept on disk from earlier calls.

A `.npy` file holds a matrix (frames, dim). A `.safetensors` file holds it as `vectors`, or as its only tensor; it may
have `times`, seconds of the frames, and `frames`, their numbers in the video.
"""

import hashlib
import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX, open_memmap
from numpy.typing import NDArray

from .._shared.stores import checksum, warn_unusable
from .scoring import unit_rows
from .video import UnreadableVideo

FILES = (".npy", ".safetensors")

# Kinds of numpy's types that vectors may have: not complex, dates or truth values, which convert in silence.
_NUMBERS = "fiu"

# Part of every key in the store: raised when the same model and sampling come to give other vectors.
_VERSION = "1"


@dataclass(frozen=True)
class VideoFeatures:
    """The sampled frames of a video, as the model sees them.

    Args:
        vectors: Unit vectors, shape (frames, dim).
        times: Seconds after frame 0, shape (frames,); NaN where they are not known.
        frames: Numbers of the frames in the video, shape (frames,).
    """

    vectors: NDArray[np.float32]
    times: NDArray[np.float64]
    frames: NDArray[np.int64]


def matrix_bytes(value: Any) -> bytes:
    """Return a matrix (frames, dim) of any kind of numbers as the bytes of a `.npy` file, with rows of length one.

    Raises:
        TypeError, ValueError: it is no such matrix; the message says what is expected.
    """
    expected = "a matrix of numbers (frames, dim) with at least one frame"
    try:
        matrix = np.asarray(value.detach().cpu().float() if hasattr(value, "detach") else value)
    except ValueError:
        raise TypeError(expected) from None
    if matrix.dtype.kind not in _NUMBERS or matrix.ndim != 2:  # noqa: PLR2004
        raise TypeError(expected)
    if not matrix.size:
        raise ValueError(expected)
    try:
        vectors = _unit(matrix)
    except ValueError:
        raise ValueError("finite numbers, and no frame of zeros alone") from None
    file = io.BytesIO()
    np.save(file, vectors, allow_pickle=False)
    return file.getvalue()


def file_of(given: bytes) -> str | None:
    """Return the path that features are given by, as `read_features` takes them; None for a matrix."""
    return None if given.startswith(MAGIC_PREFIX) else given.decode()


def read_features(given: bytes) -> VideoFeatures:
    """Return the features that a caller has brought.

    Args:
        given: What `matrix_bytes` made of a matrix, or the path of a file in UTF-8, which never begins like that.

    Raises:
        UnreadableVideo: the file holds something else.
    """
    file = file_of(given)
    if file is None:
        return _features(np.load(io.BytesIO(given), allow_pickle=False))
    try:
        tensors = _tensors(file)
        vectors = tensors.pop("vectors") if "vectors" in tensors else tensors.popitem()[1]
        return _features(_unit(vectors), **tensors)
    except (ValueError, TypeError, KeyError, OSError, EOFError, OverflowError, MemoryError) as error:
        raise UnreadableVideo(file, f"holds no features (frames, dim): {error}") from error


def _tensors(file: str) -> dict[str, Any]:
    if Path(file).suffix == ".npy":
        # Mapped, so that a header cannot claim more than the file holds.
        return {"vectors": open_memmap(file, mode="r")}
    from safetensors import SafetensorError, safe_open

    try:
        # Through torch, as numpy has no bfloat16.
        with safe_open(file, framework="pt") as tensors:
            found = {name: _numbers(tensors.get_tensor(name)) for name in tensors.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    if "vectors" not in found and len(found) != 1:
        raise ValueError(f"the tensors are {', '.join(found) or 'none'}; expected one named vectors")
    return found


def _numbers(tensor: Any) -> NDArray[Any]:
    """Return a tensor of torch in numpy; what is no number there is none here either."""
    array: NDArray[Any] = (tensor.double() if tensor.is_floating_point() else tensor).numpy()
    return array


def _features(vectors: NDArray[np.float32], times: Any = None, frames: Any = None, **_others: Any) -> VideoFeatures:
    count = len(vectors)
    times = np.full(count, np.nan) if times is None else times
    frames = np.arange(count) if frames is None else frames
    for name, values, kinds in (("times", times, _NUMBERS), ("frames", frames, "iu")):
        if values.shape != (count,) or values.dtype.kind not in kinds:
            raise ValueError(f"{name} are {values.dtype} of shape {values.shape} for {count} vectors")
    return VideoFeatures(vectors, times.astype(np.float64), frames.astype(np.int64))


def _unit(matrix: NDArray[Any]) -> NDArray[np.float32]:
    if matrix.dtype.kind not in _NUMBERS:
        raise ValueError(f"they are {matrix.dtype}; expected real numbers")
    if not len(matrix):
        raise ValueError("there is no frame")
    return unit_rows("features", matrix).astype(np.float32)


class FeatureStore:
    """Features on disk, by the content of the video file they come from: one safetensors file for each video.

    A file appears whole, under its final name, or not at all, so the store is safe when a process is killed and when
    several write at once: they write the same. A file that is damaged nevertheless, or cannot be read, counts as
    absent. Where files cannot be written, one warning says so, and none are.

    Args:
        folder: Where the store lives.
        fingerprint: Names model and sampling: features of another fingerprint are never seen.
    """

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        name = hashlib.sha256(f"{_VERSION}|{fingerprint}".encode()).hexdigest()[:32]
        self.folder = Path(folder).expanduser() / "features" / name
        self._writable = True

    def read(self, key: str) -> VideoFeatures | None:
        """Return the features of the video file with this hash, if they are there."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            tensors = load(self._file(key).read_bytes())
            known = tensors.pop("checksum", None)  # earlier versions wrote none
            features = VideoFeatures(**tensors)
        except (OSError, SafetensorError, TypeError):
            return None
        return features if known is None or np.array_equal(known, _checksum(features)) else None

    def write(self, key: str, features: VideoFeatures) -> None:
        """Keep the features of the video file with this hash."""
        if not self._writable:
            return
        from safetensors.numpy import save

        try:
            _write_whole(self._file(key), save(vars(features) | {"checksum": _checksum(features)}))
        except OSError as error:
            self._writable = False
            warn_unusable("evqascore: the store of features", self.folder, error)

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.safetensors"


def _write_whole(file: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _checksum(features: VideoFeatures) -> NDArray[np.uint32]:
    arrays = vars(features).values()
    parts = [part for array in arrays for part in (f"{array.dtype}{array.shape}".encode(), array.tobytes())]
    return np.array([checksum(*parts)], dtype=np.uint32)
