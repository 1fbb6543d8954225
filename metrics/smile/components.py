"""The components of SMILE's score. Each distinct text of a set of rows is embedded once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats, first_best
from .._shared.lexical import match
from .._shared.words import exact_words
from .encoder import Encoder
from .scoring import Components, word_fraction
from .text import ngrams, words

# Pairs of vectors per product; bounds the memory for gathered vectors.
_CHUNK = 1 << 14


def components(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    synthetic_answers: Sequence[Sequence[str]],
    encoder: Encoder,
    lemma: Callable[[str], str],
    candidates: int | None = None,
    needed: Callable[[Components], NDArray[np.bool_]] | None = None,
) -> Components:
    """Return the components of each pair of a prediction y and one of its references y*.

    Args:
        predictions: y, one per row.
        references: y*, at least one per row.
        synthetic_answers: ỹ, one per reference or one for all references; none if the references replace them.
        encoder: The embedding model e.
        lemma: Returns the lemma of a word.
        candidates: Number of n-grams of each pair to embed, the most promising ones; by default, all are embedded.
        needed: Returns the pairs whose n-grams are embedded, given the other components (default: all pairs). The
            n-gram cosine of the other pairs is -1.
    """
    pair_counts = np.array(list(map(len, references)), dtype=np.intp)
    row_of = np.repeat(np.arange(len(pair_counts)), pair_counts)
    prediction_words = [words(text, lemma) for text in predictions]
    reference_words = [words(text, lemma) for text in chain.from_iterable(references)]

    numbers: dict[str, int] = {}
    prediction_of = _number_texts(predictions, numbers)[row_of]
    target_of = _number_texts(chain.from_iterable(map(_targets, references, synthetic_answers)), numbers)
    vectors = encoder.vectors(list(numbers), "smile: answers")

    exact = _exact_matches(predictions, references, lemma)
    known = Components(
        starts=np.cumsum(pair_counts) - pair_counts,
        answered=np.array([bool(text.strip()) for text in predictions])[row_of],
        semantic_cosine=np.clip(_cosines(vectors, prediction_of, vectors, target_of).astype(np.float64), -1, 1),
        # If the prediction contains the reference, the reference is the nearest n-gram.
        ngram_cosine=np.where(exact == 1, 1.0, -1.0),
        exact_match=exact,
        word_fraction=np.array(list(map(word_fraction, (prediction_words[row] for row in row_of), reference_words))),
        best_ngram=list(map(" ".join, reference_words)),
    )
    rest = np.flatnonzero((exact < 1) & (True if needed is None else needed(known)))
    if not len(rest):
        return known
    wanted = [reference_words[pair] for pair in rest]
    answers = [prediction_words[row] for row in row_of[rest]]
    if candidates is None:
        lists = list(map(ngrams, answers, map(len, wanted)))
    else:
        lists = shortlists(answers, wanted, candidates, encoder.word_vectors)
    return _with_ngrams(known, rest, *_nearest(lists, list(map(" ".join, wanted)), numbers, vectors, encoder))


def _with_ngrams(known: Components, pairs: NDArray[np.intp], cosines: Floats, nearest: Sequence[str]) -> Components:
    """Return the components with these cosines and nearest n-grams of some pairs."""
    ngram_cosine, best_ngram = known.ngram_cosine.copy(), list(known.best_ngram)
    ngram_cosine[pairs] = np.clip(cosines, -1, 1)
    for pair, ngram in zip(pairs, nearest, strict=True):
        best_ngram[pair] = ngram
    return replace(known, ngram_cosine=ngram_cosine, best_ngram=best_ngram)


def _targets(references: Sequence[str], synthetic: Sequence[str]) -> Sequence[str]:
    """Return the ỹ of each reference of a row."""
    if not synthetic:
        return references
    return [synthetic[0]] * len(references) if len(synthetic) == 1 else synthetic


def _number_texts(texts: Iterable[str], numbers: dict[str, int]) -> NDArray[np.intp]:
    """Return the number of each text; new texts get the next free numbers."""
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.intp)


def _exact_matches(
    predictions: Sequence[str], references: Sequence[Sequence[str]], lemma: Callable[[str], str]
) -> Floats:
    """Return EM of each pair. Its words keep signs and decimal points, which the words of n-grams lack."""

    def lemmas(text: str) -> list[str]:
        return [lemma(word) if word.isalpha() else word for word in exact_words(text, articles=True)]

    return np.array(
        [
            match(answer, lemmas(reference))
            for answer, listed in zip(map(lemmas, predictions), references, strict=True)
            for reference in listed
        ]
    )


def _nearest(
    lists: Sequence[Sequence[str]],
    references: Sequence[str],
    numbers: dict[str, int],
    vectors: NDArray[np.float32],
    encoder: Encoder,
) -> tuple[Floats, list[str]]:
    """Return the largest cosine of each pair, and its n-gram.

    `lists` has the n-grams of each pair's prediction, and `references` each pair's reference, processed. `numbers` has
    the texts that are already embedded, with their unit vectors.
    """
    before = len(numbers)
    reference_of = _number_texts(references, numbers)
    vectors = np.concatenate([vectors, encoder.vectors(list(numbers)[before:], "smile: references")])
    grams = NGrams(lists, reference_of)
    known = np.array([numbers.get(text, -1) for text in grams.texts], dtype=np.intp)
    grams.compare(np.flatnonzero(known >= 0), vectors[known[known >= 0]], vectors)
    rest = np.flatnonzero(known < 0)
    for batch, embedded in encoder.stream([grams.texts[i] for i in rest], "smile: n-grams"):
        grams.compare(rest[batch], embedded, vectors)
    return grams.best()


def _cosines(
    left: NDArray[np.float32], left_of: NDArray[Any], right: NDArray[np.float32], right_of: NDArray[Any]
) -> NDArray[np.float32]:
    """Return the cosines of pairs of unit vectors, given by their row numbers, shape (pairs,)."""
    cosines = np.empty(len(left_of), dtype=np.float32)
    for start in range(0, len(cosines), _CHUNK):
        pairs = slice(start, start + _CHUNK)
        cosines[pairs] = np.einsum("ij,ij->i", left[left_of[pairs]], right[right_of[pairs]])
    return cosines


def shortlists(
    predictions: Sequence[list[str]],
    references: Sequence[list[str]],
    k: int,
    word_vectors: Callable[[Sequence[str]], NDArray[np.float32]],
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


class NGrams:
    """The n-grams of each pair, and their cosines with the pair's reference, from vectors that arrive in batches.

    Each distinct n-gram is embedded once. Its vector is compared with the references of all pairs in which it occurs
    and then dropped. Memory grows with the number of occurrences: 4 bytes each, instead of 1,536 for a vector.

    Args:
        lists: The distinct n-grams of each pair's prediction; no list is empty.
        reference_of_pair: Number of each pair's reference vector, shape (pairs,).
    """

    def __init__(self, lists: Sequence[Sequence[str]], reference_of_pair: NDArray[np.intp]) -> None:
        numbers: dict[str, int] = {}
        runs = [np.array([numbers.setdefault(text, len(numbers)) for text in ngrams], np.int32) for ngrams in lists]
        self.texts = list(numbers)
        self._text_of = np.concatenate(runs)
        counts = np.array(list(map(len, runs)), dtype=np.intp)
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
        self._cosines[occurrences] = _cosines(vectors, vector_of, references, self._reference_of[occurrences])

    def best(self) -> tuple[NDArray[np.float64], list[str]]:
        """Return each pair's largest cosine, shape (pairs,), and its n-gram (the first of equally near ones)."""
        first = first_best(self._cosines, self._starts)
        return self._cosines[first].astype(np.float64), [self.texts[text] for text in self._text_of[first]]
