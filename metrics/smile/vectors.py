"""Stores vectors of texts on disk, in one file per model and precision."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._shared.stores import Store


class VectorStore:
    """Vectors of one model by text; vectors with another fingerprint are not read."""

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        name = hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
        self._store = Store(Path(folder) / f"{name}.sqlite", "smile: the store of vectors")
        self.path = self._store.path

    def read(self, texts: Sequence[str]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Yield (indices of texts, their vectors) for stored texts; `texts` are distinct."""
        for found in self._store.read(texts):
            vectors = [np.frombuffer(value, dtype=np.float32) for value in found.values()]
            yield np.array(list(found), dtype=np.intp), np.stack(vectors)

    def write(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store the vectors, shape (texts, dim), in one transaction: a kill cannot leave some of them."""
        self._store.write(texts, (vector.tobytes() for vector in vectors))
