"""Find dates and times of day in a text, and compare dates field by field.

"March 14, 1879" agrees with "1879", which has fewer fields; whether "1879" agrees with "March 14, 1879" is uncertain.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

_MONTHS = (
    "january jan januar jänner janvier enero gennaio janeiro januari января январь",
    "february feb februar février febrero febbraio fevereiro februari февраля февраль",
    "march mar märz mars marzo março maart марта март",
    "april apr avril abril aprile апреля апрель",
    "may mai mayo maggio maio mei мая май",
    "june jun juni juin junio giugno junho июня июнь",
    "july jul juli juillet julio luglio julho июля июль",
    "august aug août agosto augustus августа август",
    "september sept sep septembre septiembre settembre setembro сентября сентябрь",
    "october oct oktober octobre octubre ottobre outubro октября октябрь",
    "november nov novembre noviembre novembro ноября ноябрь",
    "december dec dezember décembre diciembre dicembre dezembro декабря декабрь",
)
MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""The number of each month's names."""
_LAST_MONTH, _LAST_DAY = 12, 31
_LAST_YEAR = 2100  # Larger numbers are no years.
_LONGEST_PERIOD = 150  # Years of a period such as 1914-18.
_NOON, _DAY = 12 * 60, 24 * 60  # Minutes.

_FIELDS = {
    "D": r"(?P<D{0}>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|º|\.)?",
    "M": rf"(?P<M{{0}}>{'|'.join(sorted(MONTH_OF, key=len, reverse=True))})\b\.?",
    "Y": r"(?P<Y{0}>[12]\d{{3}}|[3-9]\d{{2}})(?!\d|[.,]\d|\s?[%×])",
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
_IN_DIGITS = re.compile(
    r"""
    (?<![\w.,/-])(?:
        (?P<y>[12]\d{3})(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)  # 1879-03-14
        | (?P<first>\d\d?)(?P<mark>[-/.])(?P<second>\d\d?)(?P=mark)(?P<year>[12]\d{3})  # 14.03.1879 or 3/14/1879
    )(?![\w/-]|\.\d)
    | (?P<cjk_year>[12]\d{3})\s?[年년](?:\s?(?P<cjk_month>\d\d?)\s?[月월])?(?:\s?(?P<cjk_day>\d\d?)\s?[日일])?
    | (?<![\d./-])(?P<month>0?[1-9]|1[0-2])/(?P<of>(?:19|20)\d\d)(?![\d/]|[.,]\d)  # 02/2019
    | (?P<only_month>\d\d?)\s?[月월]\s?(?P<only_day>\d\d?)\s?[日일]
    """,
    re.VERBOSE,
)
_CENTURY = re.compile(
    r"\b(?P<n>\d\d?)(?:st|nd|rd|th|\.|e|º)?[ -](?:century|jahrhundert|siècle)\b(?:\s?(?P<bc>BCE?|v\. ?Chr))?",
    re.IGNORECASE,
)
_DECADE = re.compile(r"(?<![\w.])(?P<n>[12]\d\d0)(?:'?s|er)\b")
_YEAR = re.compile(
    r"""
    (?<![\w.,$€£-])(?P<before>\d{1,4})\s?
        (?:BCE?\b|B\.C\.(?:E\.)?|before\ Christ\b|v\.\ ?Chr\.?|av(?:ant)?\.\ J)
    | \bAD\s?(?P<ad>\d{1,4})\b
    | (?<![\w.,$€£-])(?P<after>\d{1,4})\s?(?:AD|A\.D\.|CE|C\.E\.|after\ Christ|n\.\ ?Chr\.?)(?!\w)
    | (?<![\w.,/$€£'’-])(?P<alone>[12]\d{3})(?:\s?[-–]\s?(?P<to>\d\d(?:\d\d)?))?(?![\w/%]|[.,]\d|\s?[°%×$€])
    """,
    re.VERBOSE,
)
_TIME = re.compile(
    r"""
    (?<![\w.,:])(?P<h>[01]?\d|2[0-4])(?:[:.h](?P<min>[0-5]\d))?(?::[0-5]\d)?\s?
    (?P<half>
        [ap]\.?\s?m\b\.? | Uhr\b | o'clock\b | heures\b | (?:in\ the\ )?(?:morning|afternoon|evening)\b | at\ night\b
    )?(?![:\w]|[.,]\d)
    | \b(?P<word>noon|midnight|midday)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RELATIVE = re.compile(r"\b(?:to|past|before|after|vor|nach)\s*$")


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
    found = [
        _same_fields((answer.years, *given), (reference.years, *wanted))
        for given in _readings(answer)
        for wanted in _readings(reference)
    ]
    return True if True in found else None if None in found else False


_Fields = tuple[tuple[int, int] | None, int | None, int | None]


def _readings(date: Date) -> list[tuple[int | None, int | None]]:
    """Return month and day in each way in which a date may be read."""
    return [(date.month, date.day), *([date.other] if date.other else [])]


def _same_fields(answer: _Fields, reference: _Fields) -> bool | None:
    pairs = [pair for pair in zip(answer[1:], reference[1:], strict=True) if pair[1] is not None]
    missing = any(given is None for given, _ in pairs)
    if any(given is not None and given != wanted for given, wanted in pairs):
        return False
    given, wanted = answer[0], reference[0]
    if given and wanted and (given[1] < wanted[0] or given[0] > wanted[1]):
        return False
    # A year within the reference's decade may be right or not.
    return None if missing or (wanted and given != wanted) else True


def dates(text: str) -> list[Date]:
    """Return the dates in a text, in their order; a number that may be a year is one.

    >>> [date.fields for date in dates("on March 14, 1879, 1879-03-14 or in 1879")]
    [(1879, 3, 14), (1879, 3, 14), (1879, None, None)]
    """
    found: list[Date] = []
    taken: set[int] = set()
    for date in chain(_with_month(text), _in_digits(text), _centuries(text), _years(text)):
        places = range(date.start, date.end)
        if taken.isdisjoint(places):
            found.append(date)
            taken.update(places)
    return sorted(found, key=lambda date: date.start)


def _with_month(text: str) -> Iterator[Date]:
    for match in _WITH_MONTH.finditer(text):
        fields = {name[0]: value for name, value in match.groupdict().items() if value}
        years = (int(fields["Y"]),) * 2 if "Y" in fields else None
        day = int(fields["D"]) if "D" in fields else None
        if years or day:
            yield Date(years, MONTH_OF[fields["M"].lower()], day, *match.span())


def _in_digits(text: str) -> Iterator[Date]:
    for match in _IN_DIGITS.finditer(text):
        if year := match["cjk_year"]:
            month, day = (int(match[name] or 0) or None for name in ("cjk_month", "cjk_day"))
            yield Date((int(year),) * 2, month, day if month else None, *match.span())
            continue
        if match["month"]:
            yield Date((int(match["of"]),) * 2, int(match["month"]), None, *match.span())
            continue
        year = match["y"] or match["year"]
        if match["first"]:
            first, second = int(match["first"]), int(match["second"])
            readings = [(second, first)] if match["mark"] == "." else [(first, second), (second, first)]
        else:
            readings = [(int(match["m"] or match["only_month"]), int(match["d"] or match["only_day"]))]
        valid = [(month, day) for month, day in readings if 0 < month <= _LAST_MONTH and 0 < day <= _LAST_DAY]
        if valid:
            other = valid[1] if valid[1:] and valid[1] != valid[0] else None
            yield Date((int(year),) * 2 if year else None, *valid[0], *match.span(), other)


def _centuries(text: str) -> Iterator[Date]:
    for match in _CENTURY.finditer(text):
        first = -100 * int(match["n"]) if match["bc"] else 100 * int(match["n"]) - 100
        yield Date((first, first + 99), None, None, *match.span())
    for match in _DECADE.finditer(text):
        first = int(match["n"])
        yield Date((first, first + (9 if first % 100 else 99)), None, None, *match.span())


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


def times(text: str) -> list[Time]:
    """Return the times of day in a text.

    >>> [(time.minutes, time.known) for time in times("at 9 pm or 7:15, not at 9")], times("noon")[0].minutes
    ([(1260, True), (435, False)], 720)
    """
    return [
        Time(*read, *match.span())
        for match in _TIME.finditer(text)
        if not _RELATIVE.search(text[max(0, match.start() - 12) : match.start()]) and (read := _time(match))
    ]


def _time(match: re.Match[str]) -> tuple[int, bool] | None:
    """Return minutes after midnight, and whether the half of the day is known; None if it is no time of day."""
    if word := match["word"]:
        return (0 if word.lower() == "midnight" else _NOON), True
    hours, half = int(match["h"]), (match["half"] or "").lower()
    if not half and (match["min"] is None or ":" not in match[0]):
        return None
    late = half.startswith("p") or half.endswith(("afternoon", "evening", "night"))
    early = not late and (half.startswith("a") or half.endswith("morning"))
    if early or late:
        hours = hours % 12 + 12 * late
    known = early or late or half.startswith("u") or hours * 60 > _NOON or match["h"].startswith("0")
    return (hours * 60 + int(match["min"] or 0)) % _DAY, known
