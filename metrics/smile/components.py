"""From rows to the components of the score: each distinct text is embedded once over the whole set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .._shared.arithmetic import Floats
from .._shared.words import exact_words
from .candidates import Shortlist
from .encoder import Encoder
from .ngrams import NGrams
from .scoring import Components, exact_match, word_fraction
from .text import ngrams, words


@dataclass(frozen=True)
class Rows:
    """A set of rows in canonical form.

    Args:
        predictions: y, one a row.
        references: y*, at least one a row.
        synthetic_answers: ỹ, one for each reference, or one for all, or none where the reference itself stands in.
    """

    predictions: Sequence[str]
    references: Sequence[Sequence[str]]
    synthetic_answers: Sequence[Sequence[str]]

    def targets(self) -> list[str]:
        """Return the ỹ of every pair."""
        spread = map(_spread, self.references, self.synthetic_answers)
        return list(chain.from_iterable(spread))


def _spread(references: Sequence[str], synthetic: Sequence[str]) -> Sequence[str]:
    if not synthetic:
        return references
    return [synthetic[0]] * len(references) if len(synthetic) == 1 else synthetic


class _Numbered(dict[str, int]):
    """Numbers distinct texts in order of first appearance."""

    def number(self, text: str) -> int:
        return self.setdefault(text, len(self))


def components(
    rows: Rows,
    encoder: Encoder,
    lemma: Callable[[str], str],
    shortlist: Shortlist | None = None,
    needed: Callable[[Components], NDArray[np.bool_]] | None = None,
) -> Components:
    """Embed what is needed and compare it.

    Args:
        rows: The rows.
        encoder: The embedding model e.
        lemma: From a word to its lemma.
        shortlist: Keeps the most promising n-grams of a pair; without it all are embedded and the maximum is exact.
        needed: From all components but the n-grams' to the pairs that want these too; by default all do. A pair that
            does without has the n-gram cosine -1.

    Returns:
        The components of every pair of a prediction with one of its references.
    """
    pair_counts = np.array(list(map(len, rows.references)), dtype=np.intp)
    row_of = np.repeat(np.arange(len(pair_counts)), pair_counts)
    prediction_words = [words(text, lemma) for text in rows.predictions]
    reference_words = [words(text, lemma) for text in chain.from_iterable(rows.references)]

    whole = _Numbered()
    prediction_of = np.array([whole.number(text) for text in rows.predictions], dtype=np.intp)[row_of]
    target_of = np.array([whole.number(text) for text in rows.targets()], dtype=np.intp)
    vectors = encoder.vectors(list(whole), "smile: answers")

    pairs = range(len(reference_words))
    exact = _exact_matches(rows, lemma)
    known = Components(
        starts=np.cumsum(pair_counts) - pair_counts,
        answered=np.array([bool(text.strip()) for text in rows.predictions])[row_of],
        semantic_cosine=_cosines(vectors, prediction_of, target_of),
        # Where the reference occurs, it is the nearest n-gram itself.
        ngram_cosine=np.where(exact == 1, 1.0, -1.0),
        exact_match=exact,
        word_fraction=np.array([word_fraction(prediction_words[row_of[p]], reference_words[p]) for p in pairs]),
        best_ngram=list(map(" ".join, reference_words)),
    )
    rest = np.flatnonzero((exact < 1) & (True if needed is None else needed(known)))
    if not len(rest):
        return known
    lists, list_of = _ngram_lists(prediction_words, [reference_words[p] for p in rest], row_of[rest], shortlist)
    found = _nearest(lists, list_of, [known.best_ngram[int(p)] for p in rest], whole, vectors, encoder)
    return _with_ngrams(known, rest, *found)


def _exact_matches(rows: Rows, lemma: Callable[[str], str]) -> Floats:
    """Return EM of every pair, over words that keep what carries meaning: the n-grams' have no signs or points."""
    return np.array(
        [
            exact_match(answer, _lemmas(reference, lemma))
            for answer, listed in zip((_lemmas(text, lemma) for text in rows.predictions), rows.references, strict=True)
            for reference in listed
        ]
    )


def _lemmas(text: str, lemma: Callable[[str], str]) -> list[str]:
    return [lemma(word) if word.isalpha() else word for word in exact_words(text, articles=True)]


def _with_ngrams(known: Components, pairs: NDArray[np.intp], cosines: Floats, ngrams: Sequence[str]) -> Components:
    """Return the components with what the n-grams of some pairs say."""
    ngram_cosine, best_ngram = known.ngram_cosine.copy(), list(known.best_ngram)
    ngram_cosine[pairs] = np.clip(cosines, -1, 1)
    for pair, ngram in zip(pairs, ngrams, strict=True):
        best_ngram[pair] = ngram
    return replace(known, ngram_cosine=ngram_cosine, best_ngram=best_ngram)


def _nearest(
    lists: Sequence[Sequence[str]],
    list_of: NDArray[np.intp],
    references: Sequence[str],
    whole: _Numbered,
    vectors: NDArray[np.float32],
    encoder: Encoder,
) -> tuple[Floats, list[str]]:
    """Return the largest cosine of each pair, and the n-gram that has it.

    Args:
        lists: Lists of n-grams.
        list_of: Number of each pair's list, shape (pairs,).
        references: Each pair's reference, processed.
        whole: Numbers of texts that are embedded already.
        vectors: Their unit vectors.
        encoder: The embedding model e.
    """
    before = len(whole)
    reference_of = np.array([whole.number(text) for text in references], dtype=np.intp)
    vectors = np.concatenate([vectors, encoder.vectors(list(whole)[before:], "smile: references")])
    grams = NGrams(lists, list_of, reference_of)
    known = np.array([whole.get(text, -1) for text in grams.texts], dtype=np.intp)
    grams.compare(np.flatnonzero(known >= 0), vectors[known[known >= 0]], vectors)
    rest = np.flatnonzero(known < 0)
    for batch, embedded in encoder.stream([grams.texts[i] for i in rest], "smile: n-grams"):
        grams.compare(rest[batch], embedded, vectors)
    return grams.best()


def _ngram_lists(
    predictions: Sequence[list[str]],
    references: Sequence[list[str]],
    row_of: NDArray[np.intp],
    shortlist: Shortlist | None,
) -> tuple[list[list[str]], NDArray[np.intp]]:
    """Return lists of n-grams and the number of each pair's list; references of one length share a row's list."""
    if shortlist is not None:
        return shortlist.lists(predictions, references, row_of), np.arange(len(references))
    numbers: dict[tuple[int, int], int] = {}
    lists: list[list[str]] = []
    list_of = np.empty(len(references), dtype=np.intp)
    for pair, (row, reference) in enumerate(zip(row_of, references, strict=True)):
        key = (int(row), len(reference))
        if key not in numbers:
            numbers[key] = len(lists)
            lists.append(ngrams(predictions[row], len(reference)))
        list_of[pair] = numbers[key]
    return lists, list_of


def _cosines(
    vectors: NDArray[np.float32], left: NDArray[np.intp], right: NDArray[np.intp], chunk: int = 1 << 14
) -> NDArray[np.float64]:
    """Cosines of pairs of unit vectors, shape (pairs,), a chunk at a time so that gathered rows stay few."""
    parts = [
        np.einsum("ij,ij->i", vectors[left[i : i + chunk]], vectors[right[i : i + chunk]])
        for i in range(0, len(left), chunk)
    ]
    cosines: NDArray[np.float64] = np.clip(np.concatenate(parts).astype(np.float64), -1, 1)
    return cosines
