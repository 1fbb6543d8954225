"""Compare sets of weekdays: "Mon–Fri" is "on weekdays", and "Tue/Thu" is not "Tuesday to Thursday"."""

import re

from .comparison import Texts
from .moments import WEEKDAYS
from .phrases import NEGATION, rest
from .text import plain, word_starts

# Names of up to five letters, such as Sat and Sun, are also other words in lower case.
_LONG, _SHORT = (
    "|".join(name for name in WEEKDAYS if name.isalpha() and (len(name) > len("thurs")) == long)
    for long in (True, False)
)
_DAY = f"(?:(?i:{_LONG})s?|(?:{_SHORT.title()})\\.?)(?!\\w)"
_DAYS = re.compile(
    rf"(?P<but>\b(?:except|but)(?: on)? )?\b(?:(?P<group>(?i:weekday|weekend|daily|every day))s?\b|"
    rf"(?P<first>{_DAY})(?:\s?(?:[-–—]|\b(?:to|until|till|through|bis)\b)\s?(?P<last>{_DAY}))?)"
)
_STARTS = frozenset(name[:3] for name in (*WEEKDAYS, "weekday", "daily", "every day"))
_GROUPS = {"weekday": range(5), "weekend": range(5, 7), "daily": range(7), "every day": range(7)}
# The answer may name days on which something is closed, or not all days of a name.
_LIMITED = re.compile(r"\b(?:closed|shut|or|first|last|second|third|fourth|other|before|after)\b", re.IGNORECASE)
_LONGEST, _SENTENCE = 60, 12  # Characters of a reference, and words of an answer.


def compare_weekdays(texts: Texts) -> bool | None:
    """Return whether the answer has the weekdays of a reference with several; None if that is not certain."""
    if len(texts.reference) > _LONGEST or _STARTS.isdisjoint(word_starts(texts.reference)):  # a fast test
        return None
    if len(_days(texts.reference)) <= 1 or texts.length > _SENTENCE:
        return None
    if any(pattern.search(f"{texts.answer} {texts.reference}") for pattern in (NEGATION, _LIMITED)):
        return None
    days, said = _days(texts.reference), _days(texts.answer)
    others = [word for word in rest(_DAYS.sub("", texts.reference), 0, 0) if word[0].isalnum()]
    return said == days if said and len(days) > 1 and not others else None


def _days(text: str) -> set[int]:
    """Return the weekdays that a text names, from 0 for Monday to 6."""
    days = set[int]()
    for match in _DAYS.finditer(plain(text)):
        if match["group"]:
            named = {*_GROUPS[match["group"].lower()]}
        else:
            first, last = (_number(match[name] or match["first"]) for name in ("first", "last"))
            named = {day % 7 for day in range(first, last + 1 + 7 * (last < first))}
        days = days - named if match["but"] else days | named
    return days


def _number(name: str) -> int:
    name = name.lower().rstrip(".")
    return WEEKDAYS[name] if name in WEEKDAYS else WEEKDAYS[name.removesuffix("s")]
