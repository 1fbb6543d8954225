"""Features of videos that the caller brings, instead of videos: matrices, or files that hold one.

A `.npy` file holds a matrix (frames, dim). A `.safetensors` file holds it as `vectors`, or as its only tensor; it may
have `times`, seconds of the frames, and `frames`, their numbers in the video.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from .features import VideoFeatures
from .sampling import UnreadableVideo
from .scoring import unit_rows

FILES = (".npy", ".safetensors")


def matrix_bytes(value: Any) -> bytes:
    """Return a matrix (frames, dim) of any kind of numbers as the bytes of a `.npy` file.

    Raises:
        TypeError, ValueError: it is no such matrix; the message says what is expected.
    """
    expected = "a matrix of numbers (frames, dim) with at least one frame"
    try:
        matrix = np.asarray(value.detach().cpu().float() if hasattr(value, "detach") else value)
    except ValueError:
        raise TypeError(expected) from None
    if matrix.dtype.kind not in "fiu" or matrix.ndim != 2:  # noqa: PLR2004
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


def read_features(given: bytes) -> VideoFeatures:
    """Return the features of a row that `columns.video_features` has checked.

    Args:
        given: A matrix as the bytes of a `.npy` file, which no path in UTF-8 begins like, or the path of a file.

    Raises:
        UnreadableVideo: the file holds something else.
    """
    if given.startswith(MAGIC_PREFIX):
        return _features(np.load(io.BytesIO(given), allow_pickle=False), {})
    file = given.decode()
    try:
        tensors = _tensors(file)
        vectors = tensors.pop("vectors") if "vectors" in tensors else tensors.popitem()[1]
        return _features(_unit(vectors), tensors)
    except (ValueError, TypeError, KeyError, OSError, EOFError) as error:
        raise UnreadableVideo(file, f"holds no features (frames, dim): {error}") from error


def _tensors(file: str) -> dict[str, Any]:
    if Path(file).suffix == ".npy":
        return {"vectors": np.load(file, allow_pickle=False)}
    from safetensors import SafetensorError, safe_open

    try:
        # Through torch, as numpy has no bfloat16.
        with safe_open(file, framework="pt") as tensors:
            found = {name: tensors.get_tensor(name).double().numpy() for name in tensors.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    if "vectors" not in found and len(found) != 1:
        raise ValueError(f"the tensors are {', '.join(found) or 'none'}; expected one named vectors")
    return found


def _features(vectors: NDArray[np.float32], others: Mapping[str, Any]) -> VideoFeatures:
    count = len(vectors)
    times = np.asarray(others.get("times", np.full(count, np.nan)), dtype=np.float64)
    frames = np.asarray(others.get("frames", np.arange(count)), dtype=np.int64)
    if times.shape != (count,) or frames.shape != (count,):
        raise ValueError(f"times are {times.shape} and frames {frames.shape} of {count} vectors")
    return VideoFeatures(vectors, times, frames)


def _unit(matrix: NDArray[Any]) -> NDArray[np.float32]:
    if not len(matrix):
        raise ValueError("there is no frame")
    return unit_rows("features", matrix).astype(np.float32)
