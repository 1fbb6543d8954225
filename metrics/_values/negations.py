"""Find answers that are a statement's denial: "Vitamin C prevents colds" for "Vitamin C does not prevent colds"."""

import re
from functools import lru_cache

from .comparison import Texts
from .numerals import words_of
from .phrases import stem
from .text import word_set

_NEGATOR = re.compile(r"\b(?:not|no|never|cannot|fail(?:ed|s)? to)\b|n['’]t\b")  # in lower case
_SHORTENED = re.compile(r"\b(?:ca|wo|sha)n['’]t\b|n['’]t\b|\bcannot\b|\bfail(?:ed|s)? to\b")
_FULL = {"ca": "can not", "wo": "will not", "sh": "shall not"}
_WORD = re.compile(r"[\w'’]+")
_NEGATORS = word_set("not no never")
_LEADING = word_set("no yes well so actually")
_NO_CONTENT = _NEGATORS | word_set("do does did a an the that")
# With these words, a statement and its denial can both be true, or "not" denies only a part.
_LIMITED = words_of("limiting")
_MOST, _LONGER = 25, 3  # Words of a text, and characters of one text as a multiple of those of the other.


def is_denial(texts: Texts) -> bool:
    """Return whether answer and reference are the same words, but only one of them has "not", "no" or "never".

    >>> is_denial(Texts("", "No, it can't fly.", "It can fly")), is_denial(Texts("", "It cannot fly.", "It can't fly."))
    (True, False)
    """
    reference, answer = texts.reference, texts.answer
    if not len(reference) <= _LONGER * len(answer) <= _LONGER**2 * len(reference):
        return False
    if not _has_negator(reference) and not _has_negator(answer):
        return False
    wanted, given = _words(reference), _words(answer)
    if not 1 < max(len(wanted), len(given)) <= _MOST or _LIMITED.intersection([*wanted, *given]):
        return False
    negators = [sum(word in _NEGATORS for word in words) for words in (wanted, given)]
    said = _content(wanted)
    # "Not to touch a leaf" may be what somebody said about touching a leaf.
    part = len(said) > 1 and not _NEGATORS.isdisjoint([*wanted[:1], *given[:1]])
    return sorted(negators) == [0, 1] and bool(said) and not part and said == _content(given)


@lru_cache(maxsize=1 << 12)
def _has_negator(text: str) -> bool:
    return _NEGATOR.search(text.lower()) is not None


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> list[str]:
    """Return the words in lower case, without "yes" or "no" at the start, and with "not" for "n't"."""
    full = _SHORTENED.sub(lambda match: _FULL.get(match[0][:2], " not"), text.lower())
    words = _WORD.findall(full)
    return words[1:] if len(words) > 1 and words[0] in _LEADING and re.match(r"\W*\w+\s*[,.;:!–—-]", full) else words


def _content(words: list[str]) -> list[str]:
    """Return the stems of the words that are neither negators, articles, nor forms of "do"."""
    stems = [stem(word) for word in words if word not in _NO_CONTENT]
    return [f"{word[:-1]}y" if word.endswith("i") else word for word in stems]  # denied
