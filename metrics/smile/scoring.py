"""The SMILE score: equations 1 to 3 of Kendre et al. 2025, section 4.

A pair is a prediction y with one of its references y*.

- `semantic_score`   s_s = sim(e(y), e(ỹ))                             (1)
- `lexical_score`    s_l = (EM(y, y*) + max_i sim(e(N_i[y]), e(y*))) / 2   (2)
- `smile_score`      s   = w · s_s + (1 − w) · s_l                      (3)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats, Indices, first_best, is_correct
from .options import BINS, Combine, Similarity, SmileOptions


@dataclass(frozen=True)
class Components:
    """The components of each pair; every array but `starts` has shape (pairs,)."""

    starts: Indices  # index of the first pair of each row, shape (rows,)
    answered: NDArray[np.bool_]  # False for a pair with a blank answer, which scores 0
    semantic_cosine: Floats  # cos(e(y), e(ỹ)), in [−1, 1]
    ngram_cosine: Floats  # max_i cos(e(N_i[y]), e(y*)), in [−1, 1]
    # EM(y, y*), 1 if the reference's words occur in the prediction as a run (the paper's easy match), else 0.
    exact_match: Floats
    word_fraction: Floats  # share of the reference's words found in the prediction, in [0, 1]
    best_ngram: Sequence[str]  # the n-gram that reached the maximum


@dataclass(frozen=True)
class Scores:
    """The scores of each row, for its best reference; every array has shape (rows,)."""

    score: Floats
    verdict: NDArray[np.bool_]
    best_reference: NDArray[np.intp]
    semantic: Floats
    lexical: Floats
    exact_match: Floats
    ngram_similarity: Floats
    best_ngram: list[str]
    bin: NDArray[np.intp]


def similarity(cosine: Floats, kind: Similarity = "scaled") -> Floats:
    """sim(x, y) = (1 + cos(x, y)) / 2, in [0, 1]; with `"cosine"`, the cosine, in [−1, 1]."""
    return (1 + cosine) / 2 if kind == "scaled" else cosine


def word_fraction(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """|distinct words of the reference found in the prediction| / |words of the reference|, in [0, 1].

    >>> word_fraction(["the", "speaker", "of", "the", "house"], ["the", "speaker", "of", "the", "house"])
    0.8
    """
    return len(set(reference) & set(prediction)) / len(reference)


def lexical_score(exact: Floats, ngram_similarity: Floats) -> Floats:
    """s_l = (EM + max_i sim(e(N_i[y]), e(y*))) / 2 (equation 2), in [0, 1]."""
    return (exact + ngram_similarity) / 2


def smile_score(semantic: Floats, lexical: Floats, w: float, combine: Combine = "arithmetic") -> Floats:
    """S = w · s_s + (1 − w) · s_l (equation 3 without its factor 1/2, see the card), in [0, 1].

    With `"harmonic"`, 1 / (w / s_s + (1 − w) / s_l), and 0 if a score with a positive weight is not positive.
    """
    if combine == "arithmetic":
        return w * semantic + (1 - w) * lexical
    positive = np.where((semantic > 0) | (w == 0), 1.0, 0.0) * np.where((lexical > 0) | (w == 1), 1.0, 0.0)
    weighted: Floats = _quotient(w, semantic) + _quotient(1 - w, lexical)
    return positive * _quotient(1.0, weighted)


def bins(score: Floats) -> NDArray[np.intp]:
    """⌊6 · score⌋ in 0 … 5: six equal bins over [0, 1]; 1 is in the last bin, a negative score in the first."""
    return np.clip(np.floor(score * BINS), 0, BINS - 1).astype(np.intp)


def score(components: Components, options: SmileOptions) -> Scores:
    """Score every pair, and keep each row's best reference (the first of several equal ones)."""
    semantic, ngram, exact, lexical, total = _score_pairs(components, options)
    best = first_best(total, components.starts)
    return Scores(
        score=total[best],
        verdict=is_correct(total[best], options.threshold),
        best_reference=best - components.starts,
        semantic=semantic[best],
        lexical=lexical[best],
        exact_match=exact[best],
        ngram_similarity=ngram[best],
        best_ngram=[components.best_ngram[pair] for pair in best],
        bin=bins(total[best]),
    )


def contenders(components: Components, options: SmileOptions) -> NDArray[np.bool_]:
    """Return which pairs can still be the best of their row, before n-grams are embedded, shape (pairs,).

    The score grows with the n-gram cosine, which is 1 if the answer contains the reference. A pair is out if its
    highest possible score (cosine 1) is below the lowest possible score of another pair of the row.
    """
    least = np.where(components.exact_match == 1, 1.0, -1.0)
    lowest, highest = (
        _score_pairs(replace(components, ngram_cosine=cosine), options)[-1] for cosine in (least, np.ones_like(least))
    )
    counts = np.diff(components.starts, append=len(least))
    # Vectors from different batches differ by rounding errors.
    return highest > np.repeat(np.maximum.reduceat(lowest, components.starts), counts) - 1e-5


def _score_pairs(components: Components, options: SmileOptions) -> tuple[Floats, ...]:
    """Return semantic similarity, n-gram similarity, EM, lexical score and score of every pair."""
    semantic = similarity(components.semantic_cosine, options.similarity)
    ngram = similarity(components.ngram_cosine, options.similarity)
    exact = components.exact_match if options.exact_match == "words" else components.word_fraction
    lexical = lexical_score(exact, ngram)
    total = smile_score(semantic, lexical, options.w, options.combine)
    return tuple(np.where(components.answered, values, 0.0) for values in (semantic, ngram, exact, lexical, total))


def _quotient(numerator: float, denominator: Floats) -> Floats:
    """Return numerator / denominator, and 0 where the denominator is not positive or so small that 1 / it overflows."""
    large = denominator >= np.finfo(np.float64).tiny
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=large)
