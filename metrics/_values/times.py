"""Find times of day in a text: "half past nine" may be 9:30 or 21:30, and "noon" is 12:00."""

import re
from dataclasses import dataclass

from .dates import without_overlaps
from .word_tables import pattern_of

_NOON, _DAY = 12 * 60, 24 * 60  # Minutes.
_DIGIT = re.compile(r"\d")
_AT = r"\b(?P<at>(?:at|um|gegen|om|(?:a )?las?|alle|le|às|as|à|vers|dès)\s)?(?<![\w.,:/])"
_HOUR, _MINUTES = r"(?P<hour>[01]?\d|2[0-4])", r"(?P<minutes>[0-5]?\d)(?!\w|[.,:]\d|\s?(?:min\b|m\b|%|°))"
_WHOLE = r"(?![\d:]|[.,]\d)"
_UNIT = r"\s?(?:uhr|h|heures?|u|uur|horas?|ore|час\w*|o'clock)(?![^\W\d]|/)"
_BEFORE_HOUR = r"[ -](?P<sure>(?=past|nach|v|para))?(?:past|after|nach|over|(?P<to>to|before|voo?r|para as?))[ -]"
_AFTER_HOUR = r"(?:\s(?:(?(exact)et|[ye])|(?P<to>moins|menos|meno))(?:\s(?:le|un|1))?)?\s"
_IN_HALF_OF_DAY = (
    rf"(?:,?\s?(?:(?P<am>{pattern_of('morning')})|(?P<pm>{pattern_of('afternoon')})|(?P<night>{pattern_of('night')}))"
    r"(?!\w)(?P<known>))"
)
_HALF_OF_DAY = f"{_IN_HALF_OF_DAY}?"
# A number before an hour is a time only at the end of a clause, because "5 to 10" may be a range.
_END = r"(?(known)|(?=\s*(?:$|[.,;!?)])))"
_TIMES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The first two are not English: "half 8" is 8:30 there.
        rf"{_AT}(?:{_MINUTES}{_BEFORE_HOUR})?(?P<half>hal[bf]\s){_HOUR}{_WHOLE}(?:{_UNIT})?{_HALF_OF_DAY}",
        rf"{_AT}{_HOUR}{_WHOLE}(?P<exact>\sheures?|\sh\b)?{_AFTER_HOUR}(?:(?P<word>1/2|quart|4º)|(?=\d\d){_MINUTES})"
        rf"{_HALF_OF_DAY}(?(known)|(?(to)|(?(at)|(?(exact)|(?!))))(?(word)|(?(at){_END}|(?(exact){_END}|(?!)))))",
        rf"{_AT}(?:(?P<word>half|quarter|viertel|kwart)|{_MINUTES}(?P<exact>\sminut\w+)?){_BEFORE_HOUR}"
        rf"(?:{_HOUR}{_WHOLE}|(?P<named>noon|midday|midnight)\b)(?:{_UNIT})?{_HALF_OF_DAY}"
        rf"(?(named)|(?(word)|(?(exact){_END}|(?(at){_END}|(?(sure){_END}|(?!))))))",
        rf"{_AT}{_HOUR}(?:(?P<mark>[:.]|{_UNIT}\s?)(?P<minutes>[0-5]\d)(?::[0-5]\d)?)?(?P<unit>{_UNIT})?{_HALF_OF_DAY}"
        r"(?!:|(?![\u3005-\u9fff])\w|[.,]\d|\s?min)(?(known)|(?!\s\d)(?(mark)|(?(unit)|(?!))))",
        r"\b(?:(?P<noon>noon|midday|midi|mediodía|mezzogiorno|meio-dia|południe|полдень)"
        r"|(?P<midnight>midnight|mitternacht|middernacht|minuit|medianoche|mezzanotte|meia-noite|północ[yą]?|полночь))"
        r"\b(?! (?:et|y|e|moins|menos|meno) | 1/2)",
    )
)
# Fast tests of texts, without which the last but one or two of these patterns do not match.
_NEAR_HOUR = re.compile(rf"{_BEFORE_HOUR}(?:\d|noon|mid)", re.IGNORECASE)
_AFTER_DIGIT = re.compile(rf"\d(?:[:.][0-5]\d|{_UNIT}|{_IN_HALF_OF_DAY})", re.IGNORECASE)
_MINUTES_OF = {"half": 30, "1/2": 30, "quarter": 15, "viertel": 15, "kwart": 15, "quart": 15, "4º": 15}
_HOURS = {"noon": 12, "midday": 12, "midnight": 24}
_UNITS_OF_TIMES, _UNITS_OF_DAYS = frozenset({"uhr", "uur", "heures", "o'clock"}), frozenset({"uhr", "uur", "u", "h"})
_RELATIVE = re.compile(r"(?:(?<![:.]\d)\d|quarter|half|minutes?)\sto\s*$|\b(?:past|before|after|vor|nach|voor)\s*$")


@dataclass(frozen=True)
class Time:
    """A time of day.

    Attributes:
        minutes: Minutes after midnight.
        known: Whether the half of the day is known.
        start: Where it starts in the text.
        end: Where it ends.
    """

    minutes: int
    known: bool
    start: int
    end: int

    def agrees(self, other: "Time") -> bool:
        """Return whether both are the same time, if need be in an unknown half of the day."""
        known = self.known and other.known
        return self.minutes == other.minutes or (not known and self.minutes % _NOON == other.minutes % _NOON)


def times(text: str, language: str = "en") -> list[Time]:
    """Return the times of day in a text whose number words are digits.

    >>> [(time.minutes, time.known) for time in times("at 9 pm or 7:15, not at 9")], times("noon")[0].minutes
    ([(1260, True), (435, False)], 720)
    """
    if not _DIGIT.search(text) and not _TIMES[-1].search(text):  # neither an hour nor noon
        return []
    tests = language != "en", language != "en", _NEAR_HOUR.search(text), _AFTER_DIGIT.search(text), True
    patterns = (pattern for pattern, may_match in zip(_TIMES, tests, strict=True) if may_match)
    matches = (match for pattern in patterns for match in pattern.finditer(text))
    return without_overlaps(
        Time(*read, *match.span())
        for match in matches
        if not _RELATIVE.search(text[max(0, match.start() - 16) : match.start()]) and (read := _time(match))
    )


def _time(match: re.Match[str]) -> tuple[int, bool] | None:
    """Return minutes after midnight, and whether the half of the day is known; None if it is no time of day."""
    groups = {name: value.strip().lower() for name, value in match.groupdict("").items()}
    if "noon" in groups:
        return (_NOON if groups["noon"] else 0), True
    named = _HOURS.get(groups.get("named", ""))
    hour, mark, unit = named or int(groups["hour"]), groups.get("mark"), groups.get("unit")
    minutes = _MINUTES_OF.get(groups.get("word", "")) or int(groups["minutes"] or 0)
    total = 60 * hour + (-minutes if groups.get("to") else minutes) - (30 if groups.get("half") else 0)
    if groups["am"] or groups["pm"] or groups["night"]:
        late = groups["pm"] or (groups["night"] and total % _NOON >= _NOON // 2)
        return total % _NOON + (_NOON if late else 0), True
    if mark is None:  # in words
        return total % _DAY, named is not None or 60 * hour > _NOON
    if mark in {"", "."} and unit not in _UNITS_OF_TIMES:
        return None
    return total % _DAY, total > _NOON or match["hour"].startswith("0") or not {mark, unit}.isdisjoint(_UNITS_OF_DAYS)
