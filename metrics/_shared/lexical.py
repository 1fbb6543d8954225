"""Compare an answer with a reference by words."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .words import exact_words

OVERLAPS = ("match", "recall")
"""Names of the functions below that compare an answer with a reference."""

LONG_FEATURES = ("length", "trigram_precision")
"""Names of the features that `word_features` adds for references of five words or more."""

WORD_FEATURES = (*OVERLAPS, "same", "long", *LONG_FEATURES)
"""Names of all features."""

# A reference with at least this many words is usually a sentence, which answers rephrase, unlike names and numbers.
# An answer with more than this many times its words is treated like an answer to a short reference.
_LONG, _TIMES = 5, 3
# Lengths above this count as this: very short answers to long references are often wrong, but filler must not raise a
# score.
_LENGTH = 8


def match(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return 1.0 if the answer contains the reference's words, one after another, else 0.0.

    >>> match(["18", "years"], ["8"])
    0.0
    """
    return float(f" {' '.join(reference)} " in f" {' '.join(answer)} ")


def recall(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return the share of the reference's words, with repetitions, that the answer contains, from 0 to 1.

    >>> recall(["it", "was", "leonardo"], ["leonardo", "da", "vinci", "himself"])
    0.25
    """
    return sum((Counter(reference) & Counter(answer)).values()) / max(len(reference), 1)


def token_f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return SQuAD's F1: 2 · common words / (words of both), with repetitions; 0.0 if both are empty.

    >>> token_f1(["blue", "sky"], ["blue", "blue", "sea"])
    0.4
    """
    common = sum((Counter(reference) & Counter(answer)).values())
    return 2 * common / max(len(answer) + len(reference), 1)


def trigram_precision(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return the share of the answer's character trigrams, with repetitions, that the reference contains.

    Trigrams include the ends of a word: "ice" has _ic, ice and ce_. Inflected words and parts of German compounds thus
    count in part. It is similar to the precision of chrF (Popović 2015), which uses n-grams of several lengths and
    across words.

    >>> trigram_precision(["rains"], ["it", "rained"])  # _ra, rai and ain of the five
    0.6
    """
    said, right = _trigrams(answer), _trigrams(reference)
    return sum((said & right).values()) / max(said.total(), 1)


def word_features(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, NDArray[np.float64]]:
    """Return the features of each pair of an answer and a reference by name, each of shape (pairs,).

    In addition to `OVERLAPS`: `same` is 1.0 if answer and reference have equal words, else 0.0; `long` is 1.0 if the
    reference has at least five words and the answer at most three times as many, else 0.0; `length` is the natural
    logarithm of the answer's number of words, from 1 to 8; `trigram_precision` is 0.0 unless `long`.
    """
    rows: list[tuple[float, ...]] = []
    for prediction, listed in zip(predictions, references, strict=True):
        answer = exact_words(prediction)
        length = math.log(min(max(len(answer), 1), _LENGTH))
        for text in listed:
            reference = exact_words(text)
            long = len(reference) >= _LONG and len(answer) <= _TIMES * len(reference)
            precision = trigram_precision(answer, reference) if long else 0.0
            compared = match(answer, reference), recall(answer, reference), float(answer == reference)
            rows.append((*compared, float(long), length, precision))
    values = np.array(rows, dtype=np.float64)
    return {name: values[:, column] for column, name in enumerate(WORD_FEATURES)}


def features_by_length(own: str) -> tuple[str, ...]:
    """Return the features of a layer besides `own`, with separate weights for long references.

    >>> features_by_length("margin")
    ('recall', 'same', 'long', 'long*margin', 'long*recall', 'long*length', 'long*trigram_precision')
    """
    return ("recall", "same", "long", *(f"long*{name}" for name in (own, "recall", *LONG_FEATURES)))


def _trigrams(words: Sequence[str]) -> Counter[str]:
    bounded = (f" {word} " for word in words)
    return Counter(word[start : start + 3] for word in bounded for start in range(len(word) - 2))
