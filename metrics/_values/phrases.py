"""Words around a value that change what it says: fillers, negations, alternatives and retractions.

"in about 1969" is just 1969, "not in 1969" is another year, and "1969 or 1970" chooses none.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from .._shared.words import exact_words
from .word_tables import pattern_of, words_of

FILLERS = words_of("filler")
# A text with one of these words needs a rule that knows what it negates.
NEGATION = re.compile(
    rf"\b(?:not|no|never|neither|nor|without|kein\w*|non?|{pattern_of('negator')})\b|n['’]t\b", re.IGNORECASE
)
_NEGATION_AT_END = re.compile(rf"(?:{pattern_of('negation')})(?:\s+(?:{pattern_of('link')}))*\s*$", re.IGNORECASE)
# A negation some words before a value: "She doesn't have 3 children.".
_NEGATION_EARLIER = re.compile(
    rf"(?:{pattern_of('negation')}|{pattern_of('negated_verb')})\b"
    rf"(?: (?!(?:{pattern_of('new_clause')})\b)[^\W\d]+){{0,4}} ?$",
    re.IGNORECASE,
)
_BEFORE = 60  # Characters before a value in which its negation is searched.
# What follows and precedes a value that an answer mentions for comparison.
ELSEWHERE = re.compile(
    r"[\w)]*\W{0,3}(?:would (?:be|have been)|(?:is|are|was|were) (?:only|just|merely) (?:the|an?|for|in))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(rf"[^.,;:!?\d]{{0,20}}?(?:{pattern_of('negated_after')})")  # after a value
_COMPARED = re.compile(rf"\b(?:{pattern_of('contrast')})\b[^.;:]*$", re.IGNORECASE)
_OR = re.compile(
    r"\s*,?\s*(?:\bor\b|/|\boder\b|\bou\b|\bmaybe\b|\bperhaps\b|\bpossibly\b)"
    r"(?:\s+(?:in|on|the|about|maybe|perhaps|possibly|even|was|it|is|else))*\s*",
    re.IGNORECASE,
)
_RETRACTED = re.compile(
    rf"\b(?:{pattern_of('retraction')})\b|"
    r"(?:\.\.\.|…)\s*(?:no|nope)\b|\b(?:actually|hm+),? (?:no|nope|yes|yeah)\b|(?<![\]}*+])\?\s*$|\?\s+(?=\S)"
)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHORT = 3  # Words of at most this length keep their s, such as "gas".
_ENDINGS = ("ing", "es", "ed", "s")


def rest(text: str, start: int, end: int) -> list[str]:
    """Return the words around a value that are not fillers.

    >>> rest("in about 1969 AD", 9, 13), rest("206 bones", 0, 3)
    ([], ['bones'])
    """
    words = exact_words(f"{text[:start].rstrip('(')} {text[end:]}", articles=True)
    return [word for word in words if word not in FILLERS]


def ends_in_negation(before: str) -> bool:
    """Return whether a text ends with a negation of what follows.

    >>> ends_in_negation("It was not in "), ends_in_negation("It was in ")
    (True, False)
    """
    return _NEGATION_AT_END.search(before[-_BEFORE:]) is not None


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether a text denies a value, by a word right before it, some words earlier, or after it."""
    before = text[max(0, start - _BEFORE) : start]
    return ends_in_negation(before) or bool(_NEGATION_EARLIER.search(before) or _DENIED.match(text, end))


def only_mentions(text: str, start: int, end: int) -> bool:
    """Return whether a text denies a value, or may name it only for comparison."""
    return ends_in_negation(text[:start]) or bool(ELSEWHERE.match(text, end) or _COMPARED.search(text, 0, start))


def are_alternatives(text: str, spans: Sequence[tuple[int, int]], verdicts: Sequence[bool | None]) -> bool:
    """Return whether two neighboring spans with different verdicts are alternatives.

    >>> are_alternatives("206 or 208", [(0, 3), (7, 10)], [True, False])
    True
    """
    pairs = zip(spans, verdicts, strict=True)
    return any(
        same != other and _OR.fullmatch(text[end:start]) for ((_, end), same), ((start, _), other) in pairwise(pairs)
    )


@lru_cache(maxsize=1 << 8)
def takes_back(answer: str) -> bool:
    """Return whether an answer may correct itself, refuse, or ask back, so that its values do not count."""
    return _RETRACTED.search(answer.lower()) is not None  # faster than a pattern that ignores case


def singular(word: str) -> str:
    """Return a noun without the ending of the plural.

    >>> singular("boxes"), singular("bones"), singular("gas")
    ('box', 'bone', 'gas')
    """
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and len(word) > _SHORT else word


def singulars(words: Iterable[str]) -> set[str]:
    """Return nouns without the endings of the plural."""
    return set(map(singular, words))


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return a verb or noun without its ending.

    >>> stem("floating"), stem("floats"), stem("float")
    ('float', 'float', 'float')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word
