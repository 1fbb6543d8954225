"""A shortlist of the n-grams that may be nearest to the reference: fewer texts to embed, nearly the same scores."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .text import ngrams

Vectors = NDArray[np.float32]


def shortlists(
    predictions: Sequence[list[str]],
    references: Sequence[list[str]],
    k: int,
    word_vectors: Callable[[Sequence[str]], Vectors],
) -> list[list[str]]:
    """Return the k n-grams of each prediction that are most similar to its reference, in order of occurrence.

    An n-gram and a reference are compared by the cosine of their sums of word vectors, without a forward pass.
    """
    vocabulary = {word: n for n, word in enumerate({w: None for text in (*predictions, *references) for w in text})}
    vectors = word_vectors(list(vocabulary))

    def shortlist(prediction: list[str], reference: list[str]) -> list[str]:
        n = len(reference)
        every = ngrams(prediction, n)
        if len(every) <= k:
            return every
        sums = np.cumsum(vectors[[vocabulary[word] for word in prediction]], axis=0)
        sums[n:] -= sums[:-n]
        target = vectors[[vocabulary[word] for word in reference]].sum(axis=0)
        cosines = (sums[n - 1 :] @ target) / (np.linalg.norm(sums[n - 1 :], axis=1) + 1e-9)
        by_text: dict[str, float] = {}
        for start, cosine in enumerate(cosines):
            by_text.setdefault(" ".join(prediction[start : start + n]), float(cosine))
        best = set(sorted(every, key=by_text.__getitem__, reverse=True)[:k])
        return [ngram for ngram in every if ngram in best]

    return list(map(shortlist, predictions, references))
