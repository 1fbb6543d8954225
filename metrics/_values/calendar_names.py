"""Compare names of weekdays, months and seasons, and sets of weekdays.

"on Tuesdays" names "Tuesday"; "Mon–Fri" is "on weekdays", and "Tue/Thu" is not "Tuesday to Thursday".
"""

import re
from collections.abc import Collection, Mapping, Sequence

from .._shared.words import exact_words
from .comparison import Texts
from .dates import MONTH_OF, numbers_of
from .phrases import FILLERS, singular
from .text import plain, word_starts
from .word_tables import pattern_of, word_set

WEEKDAYS = numbers_of("weekday")
"""The number of each weekday's names, from 0 for Monday."""
_NO_MONTHS = word_set("may mar jan set dec mars mart maj maja luty")  # More often, they are other words.
MONTHS = {name: number for name, number in MONTH_OF.items() if name not in _NO_MONTHS}
"""The number of each month's names, except those that are common words."""
_CYCLES = (WEEKDAYS, numbers_of("season"), MONTHS)
# Words that deny a weekday or month, and those that name only a part of it.
_DENIED = re.compile(pattern_of("denial_of_cycle"), re.IGNORECASE)
_PART = re.compile(r"\d|第|\b(?:first|second|third|fourth|last|about|early|mid|late)\b", re.IGNORECASE)
_LATER_CLAUSE = re.compile(r",\s(?:before|after|once|when|as soon as)\b[^,.;]*", re.IGNORECASE)
_ALTERNATING = re.compile(r"(?<=\bevery )(?:other|second|2nd)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b[12]\d{3}\b")
_DAY_OR_MARK = re.compile(r"every day|[^\W\d_]+|\d|[-–—]")
_TO = word_set("- – — to through thru till until bis")
_GROUPS = {"weekday": range(5), "weekdays": range(5), "weekend": (5, 6), "weekends": (5, 6)} | dict.fromkeys(
    ("daily", "every day"), range(7)
)
_STARTS = frozenset(name[:3] for names in (*_CYCLES, _GROUPS) for name in names)
_LONGEST_NAME = 8  # Words of an answer that names a weekday, month or season.


def is_in_cycle(reference: str) -> bool:
    """Return whether a reference is the name of a weekday, month or season."""
    return _may_have_name(reference) and _only_name(reference) is not None


def _may_have_name(reference: str) -> bool:
    return not reference.isascii() or not _STARTS.isdisjoint(word_starts(reference))


def compare_in_cycle(texts: Texts) -> bool | None:
    """Return whether the answer names the reference's weekday, month or season; None if that is not certain.

    >>> compare_in_cycle(Texts("Which day?", "on Tuesdays", "Tuesday")), compare_in_cycle(Texts("", "in July", "June"))
    (True, False)
    """
    reference = _only_name(texts.reference)
    if not reference:
        return None
    cycle, places, reference_year = reference
    said, year = _without_year(_LATER_CLAUSE.sub("", texts.answer))
    answer = _find_names(exact_words(said), cycle)
    if len(answer) != 1 or _DENIED.search(said):
        return None
    if answer != places:
        return False
    if _PART.search(said):
        return None
    alternates = [_ALTERNATING.search(text) is not None for text in (texts.reference, texts.answer)]
    if alternates[0] != alternates[1]:
        return False if "every" in texts.answer_words else None
    return True if year == reference_year and texts.length <= _LONGEST_NAME else None


def _only_name(reference: str) -> tuple[Mapping[str, int], set[int], str] | None:
    """Return the cycle of the only word of a reference, the word's number, and the year; None for another reference."""
    text, year = _without_year(reference)
    words = [word for word in exact_words(text) if word not in FILLERS and word != "every"]
    cycle = next((cycle for cycle in _CYCLES if _find_names(words, cycle)), None) if len(words) == 1 else None
    return (cycle, _find_names(words, cycle), year) if cycle else None


def weekdays(text: str, known: Collection[str] = FILLERS) -> frozenset[int]:
    """Return the weekdays that a text lists, from 0 for Monday; nothing for a text with words that are not `known`.

    >>> sorted(weekdays("Mon–Wed and Sunday")), sorted(weekdays("on weekdays")), sorted(weekdays("not on Monday"))
    ([0, 1, 2, 6], [0, 1, 2, 3, 4], [])
    """
    days, to = list[int](), False
    for match in _DAY_OR_MARK.finditer(plain(text).lower()):
        word = match[0]
        if word in _TO:
            to = bool(days)
        elif word in _GROUPS:
            days += _GROUPS[word]
        elif found := _find_names([word], WEEKDAYS):
            day = found.pop()
            if to:  # also from Friday to Monday
                days += [place % 7 for place in range(days[-1], day if days[-1] < day else day + 7)]
            days.append(day)
            to = False
        elif word not in known:
            return frozenset()
    return frozenset(days)


def has_weekdays(reference: str) -> bool:
    """Return whether a reference is a list of weekdays."""
    return _may_have_name(reference) and len(weekdays(reference)) > 1


def compare_weekdays(texts: Texts) -> bool | None:
    """Return whether an answer lists the reference's weekdays; None if it has other words."""
    days = weekdays(texts.answer, FILLERS | texts.question_words)
    return weekdays(texts.reference) == days if days else None


def _without_year(text: str) -> tuple[str, str]:
    """Return a plain text without its year and "every other", and the year; `""` without one."""
    text = _ALTERNATING.sub("", plain(text))
    year = _YEAR.search(text)
    return (_YEAR.sub("", text, count=1), year[0]) if year else (text, "")


def keys_in_cycle(name: str) -> frozenset[str]:
    """Return what the name of a weekday, season or month stands for; nothing for another text.

    >>> keys_in_cycle("Sat") == keys_in_cycle("Saturday"), keys_in_cycle("sat down")
    (True, frozenset())
    """
    words = exact_words(plain(name))
    cycles = enumerate(_CYCLES if len(words) == 1 else ())
    return frozenset(f"{cycle}/{place}" for cycle, names in cycles for place in _find_names(words, names))


def _find_names(words: Sequence[str], cycle: Mapping[str, int]) -> set[int]:
    """Return the numbers of a cycle's names among words, which may be plurals."""
    return {cycle[form] for word in words for form in (word, singular(word)) if form in cycle}
