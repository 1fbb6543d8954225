"""The vectors of a video's frames, as the caller gives them: a matrix, or a `.npy` or `.safetensors` file.

A `.npy` file holds a matrix (frames, dim). A `.safetensors` file holds it as `vectors`, or as its only tensor.
"""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX, open_memmap
from numpy.typing import NDArray

from .._shared.columns import RowValueError, Unexpected, clean
from .scoring import unit_rows
from .video import UnreadableVideo

FILES = (".npy", ".safetensors")

# The kinds of NumPy types that vectors may have. Complex numbers, dates and Booleans would be converted silently.
_NUMBERS = "fiu"


@dataclass(frozen=True)
class VideoFeatures:
    """The sampled frames of a video, as a CLIP model encodes them: unit vectors, shape (frames, dim).

    Times are seconds after frame 0; NaN if unknown. Frames are numbers of frames in the video. Both have shape
    (frames,).
    """

    vectors: NDArray[np.float32]
    times: NDArray[np.float64]
    frames: NDArray[np.int64]


def check_features(value: Any) -> bytes:
    """Return the features of one row, a matrix (frames, dim) or the path of a file, as bytes that Arrow can hold.

    A matrix of any numeric type becomes a `.npy` file with rows of length one. b"" stands for None.
    """
    if value is None:
        return b""
    if isinstance(value, (str, os.PathLike)) and isinstance(path := os.fspath(value), str):
        if Path(path).suffix not in FILES:
            raise Unexpected(f"a matrix (frames, dim), or a file {' or '.join(FILES)}", RowValueError)
        return check_utf8(path).encode()
    expected = "a matrix of numbers (frames, dim) with at least one frame"
    try:
        matrix = np.asarray(value.detach().cpu().float() if hasattr(value, "detach") else value)
    except ValueError:
        raise Unexpected(expected) from None
    if matrix.dtype.kind not in _NUMBERS or matrix.ndim != 2:  # noqa: PLR2004
        raise Unexpected(expected)
    if not matrix.size:
        raise Unexpected(expected, RowValueError)
    try:
        vectors = _unit(matrix)
    except ValueError:
        raise Unexpected("finite numbers, and no frame with only zeros", RowValueError) from None
    file = io.BytesIO()
    np.save(file, vectors, allow_pickle=False)
    return file.getvalue()


def check_utf8(path: str) -> str:
    """Return a path; raise Unexpected if UTF-8 cannot encode it."""
    if clean(path) != path:
        raise Unexpected("a path in UTF-8", RowValueError)
    return path


def file_of(given: bytes) -> str | None:
    """Return the path of checked features; None for a matrix."""
    return None if given.startswith(MAGIC_PREFIX) else given.decode()


def read_features(given: bytes) -> VideoFeatures:
    """Return checked features; raise UnreadableVideo if their file holds something else."""
    file = file_of(given)
    if file is None:
        return _features(np.load(io.BytesIO(given), allow_pickle=False))
    try:
        return _features(_unit(_matrix(file)))
    except (ValueError, TypeError, KeyError, OSError, EOFError, OverflowError, MemoryError) as error:
        raise UnreadableVideo(file, f"holds no features (frames, dim): {error}") from error


def _matrix(file: str) -> NDArray[Any]:
    if Path(file).suffix == ".npy":
        # Memory-mapped, so that a header cannot claim more than the file holds.
        return open_memmap(file, mode="r")
    from safetensors import SafetensorError, safe_open

    try:
        # Through torch, because NumPy has no bfloat16.
        with safe_open(file, framework="pt") as tensors:
            names = list(tensors.keys())
            if "vectors" not in names and len(names) != 1:
                raise ValueError(f"the tensors are {', '.join(names) or 'missing'}; expected one named vectors")
            found = tensors.get_tensor("vectors" if "vectors" in names else names[0])
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    matrix: NDArray[Any] = (found.double() if found.is_floating_point() else found).numpy()
    return matrix


def _features(vectors: NDArray[np.float32]) -> VideoFeatures:
    return VideoFeatures(vectors, np.full(len(vectors), np.nan), np.arange(len(vectors), dtype=np.int64))


def _unit(matrix: NDArray[Any]) -> NDArray[np.float32]:
    if matrix.dtype.kind not in _NUMBERS:
        raise ValueError(f"they are {matrix.dtype}; expected real numbers")
    if not len(matrix):
        raise ValueError("there is no frame")
    return unit_rows("features", matrix).astype(np.float32)
