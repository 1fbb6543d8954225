"""Compare an answer with a reference by words, and detect answers that are not attempts.

Empty answers, refusals and counter-questions are not attempts. The rules are for English, and strict: a refusal counts
only at the start of an answer, and only if nothing after it takes it back ("I don't know, but probably …").
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .words import exact_words

EVIDENCE = ("match", "recall")
"""Names of the functions below that compare an answer with a reference."""

OF_LONG = ("length", "trigram_precision")
"""Names of the features that `evidence` adds for references of five words or more."""

COLUMNS = (*EVIDENCE, "same", "long", *OF_LONG)
"""Names of all features."""

# A reference with at least this many words is usually a sentence, which answers rephrase, unlike names and numbers.
# An answer with more than this many times its words is treated like an answer to a short reference.
_LONG, _TIMES = 5, 3
# The length of an answer is capped, because additions to a long answer are neither good nor bad.
_LENGTH = 20


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


def evidence(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, NDArray[np.float64]]:
    """Return the features of each pair of an answer and a reference by name, each of shape (pairs,).

    In addition to `EVIDENCE`: `same` is 1.0 if answer and reference have equal words, else 0.0; `long` is 1.0 if the
    reference has at least five words and the answer at most three times as many, else 0.0; `length` is the natural
    logarithm of the answer's number of words, from 1 to 20; `trigram_precision` is 0.0 unless `long`.
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
    return {name: values[:, column] for column, name in enumerate(COLUMNS)}


def by_length(own: str) -> tuple[str, ...]:
    """Return the features of a layer besides `own`, with separate weights for long references.

    >>> by_length("margin")
    ('recall', 'same', 'long', 'long*margin', 'long*recall', 'long*length', 'long*trigram_precision')
    """
    return ("recall", "same", "long", *(f"long*{name}" for name in (own, "recall", *OF_LONG)))


def _trigrams(words: Sequence[str]) -> Counter[str]:
    bounded = (f" {word} " for word in words)
    return Counter(word[start : start + 3] for word in bounded for start in range(len(word) - 2))


_SORRY = r"(?:(?:i ?a?m )?(?:very |so )?sorry|unfortunately|i apologi[sz]e|(?:my )?apologies)(?: but| that| and)?"
_MODEL = r"as an? (?:ai|artificial intelligence|(?:large )?language model)(?: \w+){0,3}?"
_BEFORE = rf"(?:{_SORRY} ){{0,2}}(?:{_MODEL} )?(?:{_SORRY} )?"

_SURELY = r"(?:honestly |really |simply |currently |actually )?"
_DO = (
    r"(?:answer|help(?! myself)|assist|provide|determine|find|say|tell|give|verify|access|comment|identify|recall|"
    r"confirm)\b"
)
_HAVE = r"have (?:any|enough|sufficient|access|information|specific|that|the|real|up|current|personal)\b"
_KNOWLEDGE = r"(?:information|info|data|context|evidence|record)s?\b"
_SOURCE = r"(?:text|context|passage|document|article|question|information)"

_REFUSALS = (
    rf"i {_SURELY}(?:do not|dont) {_SURELY}(?:know\b|recall\b|remember\b|{_HAVE})",
    r"i ?a?m (?:not sure|unsure|not certain|uncertain|not aware|unaware|not familiar|unfamiliar)\b",
    rf"i ?a?m (?:unable|not able) to (?:\w+ )?{_DO}",
    rf"i (?:cannot|can not|cant|could not|couldnt|will not|wont) (?:\w+ )?{_DO}",
    r"(?:i have )?no (?:idea|clue)\b",
    r"(?:it is |its )?(?:not sure|unknown|unclear|unanswerable|not known)$",
    rf"(?:(?:there is |theres )(?:not enough|insufficient|no)|not enough|insufficient) (?:\w+ )?{_KNOWLEDGE}",
    rf"no {_KNOWLEDGE}(?:$| (?:about|on|is|was|available|given|provided|found)\b)",
    r"(?:(?:it|this|the answer|the question) )?(?:cannot|can not|cant|could not) be (?:determined|answered|inferred)\b",
    rf"(?:the |this )?(?:given |provided )?{_SOURCE} (?:does not|doesnt|did not|didnt) (?:\w+ )?"
    r"(?:mention|say|state|provide|specify|contain|include|give)\b",
    r"(?:n/a|idk|no answer|no comment|no response|not available|not specified|not mentioned|not applicable)$",
    r"(?:could|can|would) you (?:please )?(?:clarify|specify|provide|give|be more specific|rephrase)\b",
    r"please (?:clarify|provide|specify|be more specific|rephrase|give me more)\b",
)
_REFUSES = re.compile(_BEFORE + "(?:" + "|".join(_REFUSALS) + ")")

# An answer may follow these words.
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|although|though|nevertheless|still|yet|probably|maybe|perhaps|possibly|likely|might|may|think|"
    r"believe|guess|suppose|assume|based on|according to|as of|known (?:as|for)|is the|was the|were the|are the)\b"
)
_APOSTROPHES = re.compile(r"['’`]")
_OTHERS = re.compile(r"[^\w/]+")


def not_attempted(answer: str) -> bool:
    """Return whether an answer is empty, a refusal or a counter-question.

    >>> [not_attempted(text) for text in (" ", "I'm sorry, but I don't know.", "I don't know, maybe Paris", "None")]
    [True, True, False, False]
    """
    text = _OTHERS.sub(" ", _APOSTROPHES.sub("", answer.lower())).strip()
    if not text:
        return not any(character.isalnum() for character in answer)
    refusal = _REFUSES.match(text)
    return refusal is not None and not _TAKEN_BACK.search(text, refusal.end())


def unattempted(answers: Sequence[str], verdicts: Iterable[object]) -> list[bool]:
    """Return which answers are not attempts; an answer that is judged correct always is one."""
    return [not verdict and not_attempted(answer) for answer, verdict in zip(answers, verdicts, strict=True)]
