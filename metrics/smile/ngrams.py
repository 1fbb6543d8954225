"""The nearest n-gram of each pair, from vectors that arrive in batches.

Each distinct n-gram is embedded once. Its vector is compared with the references of all pairs in which it occurs and
then dropped. Memory grows with the number of occurrences: 4 bytes each, instead of 1,536 for a vector.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._shared.arithmetic import first_best

# Occurrences per chunk; bounds the memory for an n-gram that occurs in many pairs.
_CHUNK = 1 << 14


class NGrams:
    """The n-grams of each pair, and their cosines with the pair's reference.

    Args:
        lists: The distinct n-grams of a prediction, for each prediction and n; no list is empty.
        list_of_pair: Number of each pair's list, shape (pairs,).
        reference_of_pair: Number of each pair's reference vector, shape (pairs,).
    """

    def __init__(
        self, lists: Sequence[Sequence[str]], list_of_pair: NDArray[np.intp], reference_of_pair: NDArray[np.intp]
    ) -> None:
        numbers: dict[str, int] = {}
        runs = [np.array([numbers.setdefault(text, len(numbers)) for text in ngrams], np.int32) for ngrams in lists]
        self.texts = list(numbers)
        self._text_of = np.concatenate([runs[number] for number in list_of_pair])
        counts = np.array(list(map(len, runs)), dtype=np.intp)[list_of_pair]
        self._starts = np.cumsum(counts) - counts
        self._reference_of = np.repeat(reference_of_pair.astype(np.int32), counts)
        self._by_text = np.argsort(self._text_of, kind="stable").astype(np.int32)
        self._text_starts = np.searchsorted(self._text_of[self._by_text], np.arange(len(numbers) + 1))
        self._cosines = np.full(len(self._text_of), np.nan, dtype=np.float32)

    def compare(self, texts: NDArray[np.intp], vectors: NDArray[np.float32], references: NDArray[np.float32]) -> None:
        """Compare n-grams with the references of the pairs in which they occur.

        `texts` has numbers of n-grams, shape (batch,), with their unit vectors, shape (batch, dim). `references` has
        the unit vectors of all references, shape (references, dim).
        """
        counts = self._text_starts[texts + 1] - self._text_starts[texts]
        vector_of = np.repeat(np.arange(len(texts)), counts)
        within = np.arange(len(vector_of)) - np.repeat(np.cumsum(counts) - counts, counts)
        occurrences = self._by_text[np.repeat(self._text_starts[texts], counts) + within]
        for start in range(0, len(occurrences), _CHUNK):
            chunk = occurrences[start : start + _CHUNK]
            left = vectors[vector_of[start : start + _CHUNK]]
            self._cosines[chunk] = np.einsum("ij,ij->i", left, references[self._reference_of[chunk]])

    def best(self) -> tuple[NDArray[np.float64], list[str]]:
        """Return each pair's largest cosine, shape (pairs,), and its n-gram (the first of equally near ones)."""
        first = first_best(self._cosines, self._starts)
        return self._cosines[first].astype(np.float64), [self.texts[text] for text in self._text_of[first]]
