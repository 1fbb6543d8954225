"""A cheap shortlist of the n-grams that may be the best (opt-in): fewer texts to embed, nearly the same maximum.

A number of candidates that follows a bound, from the shortlist's cosines, was tried and not built. What is within .2 of
the best, at most 8, a margin chosen on `train` and `dev`, was on 300 rows of EVOUNA's `test` 2.8 n-grams of a pair in
place of 5.7 at about the changes of 8 candidates (scores by .00017, not .00011, on average, .010 at most, no verdict):
1.2 times fewer tokens to embed in all. At the changes of 2 candidates a margin embeds as many as they. But most n-grams
belong to references that cannot be a row's best. `scoring.contenders` leaves these out at no change at all, and of the
tokens that remain the margin would spare 5%.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .text import ngrams

Vectors = NDArray[np.float32]


class Shortlist:
    """Keeps the k n-grams of a pair that are most like the reference by the model's own word pieces.

    An n-gram is ranked by the cosine of the sums of its and the reference's word-piece embeddings, less the mean of
    the vocabulary: no forward pass, and an n-gram made of the reference's words always comes first.

    Args:
        k: How many n-grams of a pair are kept.
        word_vectors: From words to vectors, shape (words, dim).
    """

    def __init__(self, k: int, word_vectors: Callable[[Sequence[str]], Vectors]) -> None:
        self._k = k
        self._word_vectors = word_vectors

    def lists(
        self, predictions: Sequence[list[str]], references: Sequence[list[str]], row_of: NDArray[np.intp]
    ) -> list[list[str]]:
        """Return the kept n-grams of each pair, in order of occurrence."""
        vocabulary = {word: n for n, word in enumerate({w: None for text in (*predictions, *references) for w in text})}
        vectors = self._word_vectors(list(vocabulary))
        return [
            self._kept(predictions[row], reference, vocabulary, vectors)
            for row, reference in zip(row_of, references, strict=True)
        ]

    def _kept(
        self, prediction: list[str], reference: list[str], vocabulary: dict[str, int], vectors: Vectors
    ) -> list[str]:
        n = len(reference)
        every = ngrams(prediction, n)
        if len(every) <= self._k:
            return every
        sums = np.cumsum(vectors[[vocabulary[word] for word in prediction]], axis=0)
        sums[n:] -= sums[:-n]
        target = vectors[[vocabulary[word] for word in reference]].sum(axis=0)
        cosines = (sums[n - 1 :] @ target) / (np.linalg.norm(sums[n - 1 :], axis=1) + 1e-9)
        by_text: dict[str, float] = {}
        for start, cosine in enumerate(cosines):
            by_text.setdefault(" ".join(prediction[start : start + n]), float(cosine))
        best = set(sorted(every, key=by_text.__getitem__, reverse=True)[: self._k])
        return [ngram for ngram in every if ngram in best]
