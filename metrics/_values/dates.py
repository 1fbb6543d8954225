"""Find dates in a text, and compare them field by field.

"March 14, 1879" agrees with "1879", which has fewer fields; whether "1879" agrees with "March 14, 1879" is uncertain.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from .text import letter_words

# Each line has "month", "weekday" or "season", a number, and its names in several languages.
_NAMES = Path(__file__).with_name("calendar.tsv").read_text(encoding="utf-8").splitlines()


def numbers_of(cycle: str) -> dict[str, int]:
    """Return the number of each name of a month (from 1), weekday (from 0 for Monday) or season."""
    rows = (line.split("\t") for line in _NAMES)
    return {name: int(number) for kind, number, names in rows if kind == cycle for name in names.split()}


MONTH_OF = numbers_of("month")
"""The number of each month's names."""
LAST_MONTH, _LAST_DAY = 12, 31
_LAST_YEAR = 2100  # Larger numbers are no years.
_LATEST = 40  # Larger years of two digits are in the 20th century.
_LONGEST_PERIOD = 150  # Years of a period such as 1914-18.

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
    return without_overlaps(chain(_with_month(text), _in_digits(text), _centuries(text), _years(text)))


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


def without_overlaps(moments: Iterable[Any]) -> list[Any]:
    """Return dates or times in the order of the text. Where two overlap, keep the one that is first in `moments`."""
    kept: list[Any] = []
    taken: set[int] = set()
    for moment in moments:
        places = range(moment.start, moment.end)
        if taken.isdisjoint(places):
            kept.append(moment)
            taken.update(places)
    return sorted(kept, key=lambda moment: moment.start)
