"""Find answers that are a statement's denial: "Vitamin C prevents colds" for "Vitamin C does not prevent colds"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from .comparison import Texts
from .phrases import stem
from .word_tables import pattern_of, word_set, words_of

# Negations in lower case. A Spanish "no" is followed by a verb, an English one is not.
_DENIAL, _NOBODY = f"{pattern_of('negator')}|{pattern_of('denial')}", pattern_of("nobody")
_NOT = re.compile(rf"\b(?:(?:ca|wo|sha)n't|{_DENIAL})\b|n't\b|^without\b")
_NEGATOR = re.compile(rf"(?:\b(?:not|no|never|{_DENIAL})|n't|^(?:without|{_NOBODY}))\b")
_QUANTIFIER = re.compile(rf"^(?:({_NOBODY})|{pattern_of('everybody')})\b")
_FULL = {"ca": "can not", "wo": "will not", "sh": "shall not"}
_WORD = re.compile(r"[\w'’]+")
_NEGATORS = word_set("not no never")
_LEADING = word_set("no yes well so actually") | words_of("no") - _NEGATORS
_NO_CONTENT = _NEGATORS | word_set("do does did a an the that")
# With these words, a statement and its denial can both be true, or "not" denies only a part.
_LIMITED = words_of("limiting")
_MAY_DENY = words_of("cue")
_SMALL = (words_of("function") | words_of("statement")) - word_set("much so and und et")
_ASKS_DENIED = re.compile(rf"\b(?:{pattern_of('denying')})", re.IGNORECASE)
_NO_STATEMENT = re.compile(r"[?\d]|\bzero\b")  # Numbers are compared elsewhere.
_CLAUSES = re.compile(r"(.*[,;:.–—] )?(.*)", re.DOTALL)
_MOST, _LONGER = 25, 3  # Words of a text, and characters of one text as a multiple of those of the other.
_FIRST = 3  # Words before "not", as in "He was found not guilty".
# Words after what an answer denies, before what it names instead.
_INSTEAD = words_of("instead")


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
    asks = _ASKS_DENIED.search(texts.question)
    return abs(negators[0] - negators[1]) == 1 and bool(said) and not part and not asks and said == _content(given)


def only_denies(texts: Texts) -> bool:
    """Return whether an answer only denies the reference: "Paris, not Rome" and "not Rome but Paris" for "Rome".

    >>> [only_denies(Texts("", text, "Rome")) for text in ("Ce n'est pas Rome", "not just Rome", "No, Rome")]
    [True, False, False]
    """
    if _MAY_DENY.isdisjoint(texts.answer_words):
        return False
    if _denies_first(_words(texts.answer), _words(texts.reference)):
        return not _ASKS_DENIED.search(texts.question) and not _has_negator(texts.reference)
    question, wanted = texts.question, _words(texts.reference)
    content = {*wanted} - _SMALL
    before, clause = map(_words, _CLAUSES.findall(texts.answer.strip(" .!"))[0])
    negators = [place for place, word in enumerate(clause) if word in _NEGATORS]
    named = not content.isdisjoint(wanted[-1:]) and wanted[-1] in clause
    if not named or len(negators) != 1 or not content.isdisjoint(before) or not _LIMITED.isdisjoint(clause):
        return False
    first, others = clause[: negators[0]], {*clause} - content - _SMALL - _NEGATORS
    alone = others <= {*_words(question)} or (len(first) <= _FIRST and content.isdisjoint(first) and others <= {*first})
    asks = _ASKS_DENIED.search(question) or _has_negator(f"{texts.reference} {question}")
    return alone and not asks and not _NO_STATEMENT.search(f"{texts.reference} {texts.answer}")


def _denies_first(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether words start with "not", the wanted words and another thing: "It isn't Rome but Paris"."""
    content = [word for word in wanted if word not in _SMALL]
    start = words.index("not") + 1 if "not" in words[: _FIRST + 1] else len(words)
    after = [word for word in words[start:] if word not in _SMALL]
    instead = any(word in _INSTEAD for word in words[start + len(content) : start + len(wanted) + 1])
    denied, others = after[: len(content)], {*after[len(content) :]}
    return bool(content and instead and others) and denied == content and not {*content} <= others


@lru_cache(maxsize=1 << 12)
def _has_negator(text: str) -> bool:
    return _NEGATOR.search(text.lower().replace("’", "'")) is not None


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> list[str]:
    """Return the words in lower case, without "yes" or "no" at the start, and with "not" for "n't"."""
    full = _NOT.sub(lambda match: _FULL.get(match[0][:2], " not"), text.lower().replace("’", "'"))
    words = _WORD.findall(_QUANTIFIER.sub(lambda match: "each not" if match[1] else "each", full))
    return words[1:] if len(words) > 1 and words[0] in _LEADING and re.match(r"\W*\w+\s*[,.;:!–—-]", full) else words


def _content(words: list[str]) -> list[str]:
    """Return the stems of the words that are neither negators, articles, nor forms of "do"."""
    stems = [stem(word) for word in words if word not in _NO_CONTENT]
    return [f"{word[:-1]}y" if word.endswith("i") else word for word in stems]  # denied
