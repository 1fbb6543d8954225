"""Find answers that list candidates without choosing one: "Paris, London or Rome", "It could be A, it could be B"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from .._shared.words import exact_words
from .comparison import Texts
from .lists import EXCLUDES, HEDGE, asks_for_several, parts
from .word_tables import pattern_of

_CANDIDATE = re.compile(
    r"(?:(?:,(?!\d)|(?<!\d),|[/|\n]|\bor(?: else)?\b|\boder\b|\bou\b|(?<=\w)[.](?=\s|$))\s*)+",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\s*1[.)]\s|(?<=\s)\d\d?[.)]\s")
_COLON = re.compile(r":(?!\d)")
_INTEGERS_ONLY = re.compile(r"\d{1,9}(?:\s\d{1,9}){3,}")
_UNSURE = re.compile(rf"\b(?:{pattern_of('unsure')})\b|\s/\s", re.IGNORECASE)
_MAY_BE = r"\b(?:could|might|may) (?:also |equally |just as )?(?:well )?be\b"
_MANY_OR_SOME = "several|many|various|multiple|two|three|a few|some"
_POSSIBILITIES = re.compile(
    rf"\W*there (?:are|may be|could be) (?:{_MANY_OR_SOME}) (?:possib|option|candidate)", re.IGNORECASE
)
_CHOOSES = re.compile(rf"\b(?:{pattern_of('choosing')})\b", re.IGNORECASE)
_LONGEST_CANDIDATE = 5  # Words.
_FEW, _MANY = 2, 4  # Candidates.


def is_one_of_candidates(texts: Texts) -> bool:
    """Return whether an answer lists several candidates, including the reference, without choosing one.

    >>> is_one_of_candidates(Texts("Which city?", "Paris, London or Rome.", "Paris"))
    True
    """
    computes = any(sign in texts.answer for sign in (";", "i.e.", " = ")) and " = " not in texts.reference
    if texts.reference.lower() not in texts.answer.lower() or computes:
        return False
    items = candidates_in(texts.answer)
    if len(items) < _FEW or len(parts(texts.reference)) > 1 or asks_for_several(texts.question):
        return False
    right = {exact_words(reference) for reference in (texts.reference, *texts.references)}
    if {item for item in items if item in right} != {exact_words(texts.reference)}:
        return False
    right_words = {word for item in right for word in item}
    if any(len(item) > _LONGEST_CANDIDATE or (item not in right and right_words & set(item)) for item in items):
        return False  # a sentence, or another form of the answer
    names = len(items) == _FEW and texts.reference[:1].isupper() and texts.answer[:1].isupper()
    unsure = _UNSURE.search(texts.answer) is not None and (len(items) > _FEW or names)
    return unsure or (len(items) >= _MANY and items[0] not in right)


def hedges(answer: str) -> bool:
    """Return whether an answer names two things that may be the answer: "It could be A, it could be B"."""
    several = _POSSIBILITIES.match(answer) is not None
    return several or (answer.count(" be ") > 1 and len(re.findall(_MAY_BE, answer.lower())) > 1)


def leaves_open(texts: Texts) -> bool:
    """Return whether an answer that hedges names the reference as one possibility, and does not choose.

    >>> leaves_open(Texts("Which city?", "It could be Paris, or it might also be Rome.", "Paris"))
    True
    """
    reference = re.escape(texts.reference.lower().removeprefix("the "))
    before = r"\b(?:is|are|include)\b" if _POSSIBILITIES.match(texts.answer) else _MAY_BE
    named = re.search(rf"{before} (?:the |an? )?{reference}\b", texts.answer.lower())
    return named is not None and not asks_for_several(texts.question) and not _CHOOSES.search(texts.answer)


@lru_cache(maxsize=1 << 8)
def candidates_in(answer: str) -> Sequence[Sequence[str]]:
    """Return the words of each candidate that an answer may list; nothing for an answer that chooses one."""
    if _INTEGERS_ONLY.fullmatch(answer):
        return [(number,) for number in answer.split()]
    answer = _NUMBERING.sub("\n", answer) if _NUMBERING.match(answer) else answer
    many = sum(map(answer.count, (*",/|\n.", " ou "))) >= _MANY - 1
    if not (many or _UNSURE.search(answer)) or EXCLUDES.search(answer):
        return []
    pieces = [HEDGE.sub("", piece) for piece in _CANDIDATE.split(answer)]
    if any(_COLON.search(piece) for piece in pieces[1:]):
        return []  # "Sorted: 3, 7, 9. Median: 7"
    items = [words for piece in pieces if (words := exact_words(piece))]
    if len(items) < _MANY:
        return items
    # "The capital is Rome. The capital is Paris. …"
    columns = enumerate(zip(*items, strict=False))
    repeated = next((place for place, words in columns if len({*words}) > 1), 0)
    return [item[repeated:] for item in items]
