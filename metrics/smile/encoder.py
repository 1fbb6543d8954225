"""The embedding model e(·) of SMILE over many texts: every text once, in batches, from a store where there is one."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._shared.batching import Indices, run
from .loading import load
from .options import SmileLoading
from .vectors import VectorStore

Vectors = NDArray[np.float32]

# Texts tokenised at once.
_CHUNK = 8192


class Encoder:
    """A loaded embedding model.

    Attributes:
        engine: Runs the model.
        name: Short name with the first eight digits of the checkpoint's digest, for the signature.
        options: What it was loaded with; the precision is the one that it has.
        fingerprint: Names checkpoint, prompt and precision: equal fingerprints give equal vectors.
    """

    def __init__(self, config: str, options: SmileLoading) -> None:
        self.engine, checkpoint, self.options = load(config, options)
        self.name = checkpoint.name
        self.fingerprint = "|".join([checkpoint.digest, self.options.dtype, self.engine.prompt])
        self._store = VectorStore(options.cache / "vectors", self.fingerprint) if options.cache else None

    def vectors(self, texts: Sequence[str], describe: str | None = None) -> Vectors:
        """Return the unit vectors of distinct texts, shape (texts, dim)."""
        embedded = np.zeros((len(texts), self.engine.dimension), dtype=np.float32)
        for indices, vectors in self.stream(texts, describe):
            embedded[indices] = vectors
        return embedded

    def stream(self, texts: Sequence[str], describe: str | None = None) -> Iterator[tuple[Indices, Vectors]]:
        """Yield (numbers of texts, their unit vectors) batch by batch; every text once.

        Args:
            texts: Distinct texts.
            describe: Title of the progress bar.
        """
        if self._store is None:
            yield from self._embedded(texts, describe)
            return
        missing = np.ones(len(texts), dtype=bool)
        for indices, vectors in self._store.read(texts):
            missing[indices] = False
            yield indices, vectors
        absent = np.flatnonzero(missing)
        for batch, vectors in self._embedded([texts[int(i)] for i in absent], describe):
            self._store.write([texts[i] for i in absent[batch]], vectors)
            yield absent[batch], vectors

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Return for each word the sum of its word pieces' input embeddings, less their mean, shape (words, dim).

        Raises:
            ValueError: the model has no table of word pieces.
        """
        vectors = np.zeros((len(words), self._word_pieces.shape[1]), dtype=np.float32)
        for start in range(0, len(words), _CHUNK):
            # Byte-level tokenizers cut a word differently at the start of a text: the space says it is not there.
            chunk = [f" {word}" for word in words[start : start + _CHUNK]]
            for row, ids in enumerate(self.engine.token_ids(chunk, special=False), start):
                vectors[row] = self._word_pieces[ids].sum(axis=0)
        return vectors

    @cached_property
    def _word_pieces(self) -> Vectors:
        pieces = self.engine.word_pieces()
        if pieces is None:
            raise ValueError(
                f"smile: ngram_candidates needs the model's table of word pieces, and {self.name} has none; "
                "leave ngram_candidates out"
            )
        centred: Vectors = pieces - pieces.mean(axis=0)
        return centred

    def _embedded(self, texts: Sequence[str], describe: str | None) -> Iterator[tuple[Indices, Vectors]]:
        return run(
            self._lengths(texts),
            lambda indices: self.engine.run([texts[i] for i in indices]),
            token_budget=self.options.token_budget or self.engine.token_budget,
            batch_size=self.options.batch_size,
            describe=describe,
        )

    def _lengths(self, texts: Sequence[str]) -> NDArray[np.int32]:
        lengths = np.empty(len(texts), dtype=np.int32)
        for start in range(0, len(texts), _CHUNK):
            chunk = [self.engine.prompt + text for text in texts[start : start + _CHUNK]]
            lengths[start : start + len(chunk)] = list(map(len, self.engine.token_ids(chunk)))
        longest = min(self.engine.max_length, np.iinfo(np.int32).max)
        return np.minimum(lengths, longest).astype(np.int32)
