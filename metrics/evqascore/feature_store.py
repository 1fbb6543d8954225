"""The vectors of a video's sampled frames, and a store of them on disk for later calls."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Part of every key: raised when the same model and sampling come to give other vectors.
_VERSION = "1"


@dataclass(frozen=True)
class VideoFeatures:
    """The sampled frames of a video, as the model sees them.

    Args:
        vectors: Unit vectors, shape (frames, dim).
        times: Seconds after frame 0, shape (frames,).
        frames: Numbers of the frames in the video, shape (frames,).
    """

    vectors: NDArray[np.float32]
    times: NDArray[np.float64]
    frames: NDArray[np.int64]


class FeatureStore:
    """Features by the content of the file they come from: one safetensors file for each video.

    A file appears whole, under its final name, or not at all, so the store is safe when a process is killed and when
    several write at once: they write the same. A file that is damaged nevertheless counts as absent.

    Args:
        folder: Where the store lives.
        fingerprint: Names model and sampling: features of another fingerprint are never seen.
    """

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        name = hashlib.sha256(f"{_VERSION}|{fingerprint}".encode()).hexdigest()[:32]
        self.folder = Path(folder).expanduser() / "features" / name

    def read(self, key: str) -> VideoFeatures | None:
        """Return the features of the file with this hash, if they are there."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            return VideoFeatures(**load_file(self._file(key)))
        except (FileNotFoundError, SafetensorError, TypeError):
            return None

    def write(self, key: str, features: VideoFeatures) -> None:
        """Keep the features of the file with this hash."""
        from safetensors.numpy import save

        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(save(vars(features)))
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.safetensors"
