"""From rows to the components of the score: each distinct text is embedded once over the whole set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

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
    rows: Rows, encoder: Encoder, lemma: Callable[[str], str], shortlist: Shortlist | None = None
) -> Components:
    """Embed what is needed and compare it.

    Args:
        rows: The rows.
        encoder: The embedding model e.
        lemma: From a word to its lemma.
        shortlist: Keeps the most promising n-grams of a pair; without it all are embedded and the maximum is exact.

    Returns:
        The components of every pair of a prediction with one of its references.
    """
    pair_counts = np.array(list(map(len, rows.references)), dtype=np.intp)
    row_of = np.repeat(np.arange(len(pair_counts)), pair_counts)
    references = list(chain.from_iterable(rows.references))
    prediction_words = [words(text, lemma) for text in rows.predictions]
    reference_words = [words(text, lemma) for text in references]

    whole = _Numbered()
    prediction_of = np.array([whole.number(text) for text in rows.predictions], dtype=np.intp)[row_of]
    target_of = np.array([whole.number(text) for text in rows.targets()], dtype=np.intp)
    reference_of = np.array([whole.number(" ".join(split)) for split in reference_words], dtype=np.intp)
    lists, list_of = _ngram_lists(prediction_words, reference_words, row_of, shortlist)
    grams = NGrams(lists, list_of, reference_of)

    vectors = encoder.vectors(list(whole), "smile: answers")
    known = np.array([whole.get(text, -1) for text in grams.texts], dtype=np.intp)
    grams.compare(np.flatnonzero(known >= 0), vectors[known[known >= 0]], vectors)
    rest = np.flatnonzero(known < 0)
    for batch, embedded in encoder.stream([grams.texts[i] for i in rest], "smile: n-grams"):
        grams.compare(rest[batch], embedded, vectors)
    ngram_cosine, best_ngram = grams.best()

    pairs = range(len(references))
    return Components(
        starts=np.cumsum(pair_counts) - pair_counts,
        answered=np.array([bool(text.strip()) for text in rows.predictions])[row_of],
        semantic_cosine=_cosines(vectors, prediction_of, target_of),
        ngram_cosine=np.clip(ngram_cosine, -1, 1),
        exact_match=np.array([exact_match(prediction_words[row_of[p]], reference_words[p]) for p in pairs]),
        word_fraction=np.array([word_fraction(prediction_words[row_of[p]], reference_words[p]) for p in pairs]),
        best_ngram=best_ngram,
    )


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
