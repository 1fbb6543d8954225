"""The embedding model e(·) of SMILE: embeds texts in batches and stores their vectors."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Indices
from .._shared.batching import run_batches
from .._shared.stores import Store
from .engines import Vectors, load
from .options import SmileLoading

# Texts per call of the tokenizer.
_CHUNK = 8192


class Encoder:
    """A loaded embedding model, and its store of vectors.

    Models with equal fingerprints (checkpoint, prompt and precision) give equal vectors. The name has the first eight
    digits of the checkpoint's digest.
    """

    def __init__(self, config: str, options: SmileLoading) -> None:
        self.engine, checkpoint, self.options = load(config, options)
        self.name = checkpoint.name
        self.fingerprint = "|".join([checkpoint.digest, self.options.dtype, self.engine.prompt])
        # Vectors with another fingerprint are in another file.
        name = f"{hashlib.sha256(self.fingerprint.encode()).hexdigest()[:32]}.sqlite"
        file = options.cache / "vectors" / name if options.cache else None
        self._store = Store(file, "smile: the store of vectors") if file else None

    def vectors(self, texts: Sequence[str], describe: str | None = None) -> Vectors:
        """Return the unit vectors of distinct texts, shape (texts, dim)."""
        embedded = np.zeros((len(texts), self.engine.dimension), dtype=np.float32)
        for indices, vectors in self.stream(texts, describe):
            embedded[indices] = vectors
        return embedded

    def stream(self, texts: Sequence[str], describe: str | None = None) -> Iterator[tuple[Indices, Vectors]]:
        """Yield (indices of distinct texts, their unit vectors) batch by batch, under a progress bar with a title."""
        if self._store is None:
            yield from self._embed(texts, describe)
            return
        missing = np.ones(len(texts), dtype=bool)
        for found in self._store.read(texts):
            indices = np.array(list(found), dtype=np.intp)
            missing[indices] = False
            yield indices, np.stack([np.frombuffer(value, dtype=np.float32) for value in found.values()])
        absent = np.flatnonzero(missing)
        for batch, vectors in self._embed([texts[int(i)] for i in absent], describe):
            self._store.write([texts[i] for i in absent[batch]], (vector.tobytes() for vector in vectors))
            yield absent[batch], vectors

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Return for each word the sum of its word pieces' centered input embeddings, shape (words, dim).

        Raise ValueError if the model has no input embeddings of word pieces.
        """
        vectors = np.zeros((len(words), self._word_pieces.shape[1]), dtype=np.float32)
        # Byte-level tokenizers split a word differently at the start of a text; the space avoids that.
        for row, ids in enumerate(self._token_ids([f" {word}" for word in words], special=False)):
            vectors[row] = self._word_pieces[ids].sum(axis=0)
        return vectors

    @cached_property
    def _word_pieces(self) -> Vectors:
        pieces = self.engine.word_pieces()
        if pieces is None:
            raise ValueError(
                f"smile: ngram_candidates needs the model's input embeddings of word pieces, but {self.name} has none; "
                "leave out ngram_candidates"
            )
        centered: Vectors = pieces - pieces.mean(axis=0)
        return centered

    def _embed(self, texts: Sequence[str], describe: str | None) -> Iterator[tuple[Indices, Vectors]]:
        return run_batches(
            self._lengths(texts),
            lambda indices: self.engine.run([texts[i] for i in indices]),
            token_budget=self.options.token_budget or self.engine.token_budget,
            batch_size=self.options.batch_size,
            describe=describe,
        )

    def _lengths(self, texts: Sequence[str]) -> NDArray[np.int32]:
        longest = min(self.engine.max_length, np.iinfo(np.int32).max)
        ids = self._token_ids([self.engine.prompt + text for text in texts])
        return np.array([min(len(of_text), longest) for of_text in ids], dtype=np.int32)

    def _token_ids(self, texts: list[str], special: bool = True) -> Iterator[list[int]]:
        for start in range(0, len(texts), _CHUNK):
            yield from self.engine.token_ids(texts[start : start + _CHUNK], special=special)
