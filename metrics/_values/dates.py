"""Find dates and times of day in a text, and compare dates field by field.

"March 14, 1879" agrees with "1879", which has fewer fields; whether "1879" agrees with "March 14, 1879" is uncertain.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from .text import letter_words
from .word_tables import pattern_of

# Each line has "month", "weekday" or "season", a number, and its names in several languages.
_NAMES = [
    line.split("\t") for line in Path(__file__).with_name("calendar.tsv").read_text(encoding="utf-8").splitlines()
]


def numbers_of(cycle: str) -> dict[str, int]:
    """Return the number of each name of a month (from 1), weekday (from 0 for Monday) or season."""
    return {name: int(number) for kind, number, names in _NAMES if kind == cycle for name in names.split()}


MONTH_OF = numbers_of("month")
"""The number of each month's names."""
LAST_MONTH, _LAST_DAY = 12, 31
_LAST_YEAR = 2100  # Larger numbers are no years.
_LATEST = 40  # Larger years of two digits are in the 20th century.
_LONGEST_PERIOD = 150  # Years of a period such as 1914-18.
_NOON, _DAY = 12 * 60, 24 * 60  # Minutes.

ANY_MONTH = "|".join(sorted(MONTH_OF, key=len, reverse=True))
"""A pattern of the months' names, without parentheses around it."""
_FIELDS = {
    "D": r"(?P<D{0}>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|º|\.)?",
    "M": rf"(?=[^\W\d_])(?P<M{{0}}>{ANY_MONTH})(?!\w)\.?",
    "Y": r"(?P<Y{0}>[12]\d{{3}}|[3-9]\d{{2}}|'\d\d)(?!\d|[.,]\d|\s?[%×])",
    "_": r"(?:\s+(?:of|de|del|di|des))?\s*,?\s*",
    ",": r"(?:,|\s|,\s)",
    " ": " ",
}
_ORDERS = ("D_M_Y", "M D,Y", "Y_M D", "M_Y", "D_M", "M D")
_WITH_MONTH = re.compile(
    "|".join(
        rf"\b(?:{''.join(_FIELDS[field].format(number) for field in order)})(?!\w)"
        for number, order in enumerate(_ORDERS)
    ),
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_MAY_BE_IN_DIGITS = re.compile(r"\d\s?[-/.年년月월]|\d{8}")
_IN_DIGITS = re.compile(
    r"""
    (?<![\w.,/-])(?:
        (?P<y1>[12]\d{3})(?P<sign>[-/.])(?P<m1>\d\d?)(?P=sign)(?P<d1>\d\d?)  # 1879-03-14
        | (?P<a>\d\d?)(?P<mark>[-/.])(?P<b>\d\d?)(?P=mark)(?P<y2>[12]\d{3})  # 14.03.1879 or 3/14/1879
    )(?![\w/-]|\.\d)
    | (?P<y3>[12]\d{3})\s?[年년](?:\s?(?P<m3>\d\d?)\s?[月월])?(?:\s?(?P<d3>\d\d?)\s?[日일])?
    | (?<![\d./-])(?P<m4>0?[1-9]|1[0-2])/(?P<y4>(?:19|20)\d\d)(?![\d/]|[.,]\d)  # 02/2019
    | (?P<m5>\d\d?)\s?[月월]\s?(?P<d5>\d\d?)\s?[日일]
    | (?<![\w.,/-])(?:
        (?P<y6>(?:19|20)\d\d)(?P<m6>0[1-9]|1[0-2])(?P<d6>0[1-9]|[12]\d|3[01])  # 18790314
        | (?P<a7>\d\d?)/(?P<b7>\d\d?)/(?P<y7>\d\d)  # 3/14/79
    )(?![\w/-]|\.\d)
    """,
    re.VERBOSE,
)
_CENTURY = re.compile(
    r"\b(?P<n>\d\d?)(?:st|nd|rd|th|\.|e|º)?[ -](?:century|jahrhundert|siècle)\b(?:\s?(?P<bc>BCE?|v\. ?Chr))?",
    re.IGNORECASE,
)
_DECADE = re.compile(r"(?<![\w.])(?P<n>[12]\d\d0|[1-9]00(?='?s BC))(?:'?s|er)\b(?P<bc> BC)?")
_YEAR = re.compile(
    r"""
    (?<![\w.,$€£-])(?P<before>\d{1,4})\s?
        (?:BCE?\b|B\.C\.(?:E\.)?|before\ Christ\b|v\.\ ?Chr\.?|av(?:ant)?\.\ J)
    | \bAD\s?(?P<ad>\d{1,4})\b
    | (?<![\w.,$€£-])(?P<after>\d{1,4})\s?(?:AD|A\.D\.|CE|C\.E\.|after\ Christ|of\ our\ era|n\.\ ?Chr\.?)(?!\w)
    | (?<![\w.,/$€£'’-])(?P<alone>[12]\d{3})(?:\s?[-–]\s?(?P<to>\d\d(?:\d\d)?))?(?![\w/%]|[.,]\d|\s?[°%×$€])
    """,
    re.VERBOSE,
)
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
class Date:
    """A date, whose fields may be unknown.

    Attributes:
        years: First and last year, which are equal except for a decade, century or period; negative for BC.
        month: From 1 to 12.
        day: From 1 to 31.
        start: Where it starts in the text.
        end: Where it ends.
        other: Month and day, if a date in digits may be read in two ways.
    """

    years: tuple[int, int] | None
    month: int | None
    day: int | None
    start: int
    end: int
    other: tuple[int, int] | None = None

    @property
    def fields(self) -> tuple[int | None, int | None, int | None]:
        """The first year, the month and the day."""
        return self.years[0] if self.years else None, self.month, self.day

    @property
    def precision(self) -> int:
        """The number of known fields, 0 for a decade, century or period."""
        period = self.years is not None and self.years[0] != self.years[1]
        return 0 if period else sum(field is not None for field in self.fields)

    @property
    def only_year(self) -> int | None:
        """The year, if it is just a single year."""
        return self.years[0] if self.years and self.precision == 1 else None


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


def agrees(answer: Date, reference: Date) -> bool | None:
    """Return whether an answer's date has all fields of the reference; None if fields are missing and none differs."""
    verdicts = [
        _compare_fields((answer.years, *answer_reading), (reference.years, *reference_reading))
        for answer_reading in _readings(answer)
        for reference_reading in _readings(reference)
    ]
    return True if True in verdicts else None if None in verdicts else False


_Fields = tuple[tuple[int, int] | None, int | None, int | None]


def _readings(date: Date) -> list[tuple[int | None, int | None]]:
    """Return month and day in each way in which a date may be read."""
    return [(date.month, date.day), *([date.other] if date.other else [])]


def _compare_fields(answer: _Fields, reference: _Fields) -> bool | None:
    pairs = [pair for pair in zip(answer[1:], reference[1:], strict=True) if pair[1] is not None]
    missing = any(field is None for field, _ in pairs)
    if any(field is not None and field != reference_field for field, reference_field in pairs):
        return False
    years, reference_years = answer[0], reference[0]
    if years and reference_years and (years[1] < reference_years[0] or years[0] > reference_years[1]):
        return False
    # A year within the reference's decade may be right or not.
    return None if missing or (reference_years and years != reference_years) else True


def dates(text: str) -> list[Date]:
    """Return the dates in a text, in their order; a number that may be a year is one.

    >>> [date.fields for date in dates("on March 14, 1879, 1879-03-14 or in 1879")]
    [(1879, 3, 14), (1879, 3, 14), (1879, None, None)]
    """
    return _apart(chain(_with_month(text), _in_digits(text), _centuries(text), _years(text)))


def _with_month(text: str) -> Iterator[Date]:
    if text.isascii() and MONTH_OF.keys().isdisjoint(letter_words(text)):  # a fast test
        return
    for match in _WITH_MONTH.finditer(text):
        fields = {name[0]: value for name, value in match.groupdict().items() if value}
        years = (_full_year(fields["Y"]),) * 2 if "Y" in fields else None
        day = int(fields["D"]) if "D" in fields else None
        if years or day:
            yield Date(years, MONTH_OF[fields["M"].lower()], day, *match.span())


def _in_digits(text: str) -> Iterator[Date]:
    if not _MAY_BE_IN_DIGITS.search(text):
        return
    for match in _IN_DIGITS.finditer(text):
        digits = {name[0]: value for name, value in match.groupdict().items() if value and value.isdecimal()}
        numbers = {name: int(value) for name, value in digits.items()}
        month, day, year = numbers.get("m"), numbers.get("d"), _full_year(digits["y"]) if "y" in digits else None
        readings: list[tuple[Any, Any]] = [(numbers["b"], numbers["a"]) if "a" in numbers else (month, day)]
        if "a" in numbers and match["mark"] != ".":
            readings.insert(0, (numbers["a"], numbers["b"]))
        valid = [(m, d) for m, d in readings if 0 < (m or 1) <= LAST_MONTH and 0 < (d or 1) <= _LAST_DAY]
        if valid:
            yield Date((year, year) if year else None, *valid[0], *match.span(), *valid[1:])


def _full_year(digits: str) -> int:
    """Return 1879 for "1879", and 1969 for "'69"."""
    year = int(digits.removeprefix("'"))
    return year if year > 99 else year + (1900 if year > _LATEST else 2000)  # noqa: PLR2004


def _centuries(text: str) -> Iterator[Date]:
    for match in _CENTURY.finditer(text):
        first = -100 * int(match["n"]) if match["bc"] else 100 * int(match["n"]) - 100
        yield Date((first, first + 99), None, None, *match.span())
    for match in _DECADE.finditer(text):
        length = 10 if int(match["n"]) % 100 else 100
        first = -int(match["n"]) - length if match["bc"] else int(match["n"])
        yield Date((first, first + length - 1), None, None, *match.span())


def _years(text: str) -> Iterator[Date]:
    for match in _YEAR.finditer(text):
        if match["alone"]:
            first = int(match["alone"])
            to = match["to"] or ""
            last = int(match["alone"][: 4 - len(to)] + to)
            if first > _LAST_YEAR or not first <= last <= first + _LONGEST_PERIOD:
                continue
        else:
            first = last = -int(match["before"]) if match["before"] else int(match["ad"] or match["after"])
        yield Date((first, last), None, None, *match.span())


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
    return _apart(
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


def _apart(moments: Iterable[Any]) -> list[Any]:
    """Return dates or times in the order of the text. Where two overlap, keep the one that is first in `moments`."""
    kept: list[Any] = []
    taken: set[int] = set()
    for moment in moments:
        places = range(moment.start, moment.end)
        if taken.isdisjoint(places):
            kept.append(moment)
            taken.update(places)
    return sorted(kept, key=lambda moment: moment.start)
