"""Compare how often something happens: "once every six months" is "twice a year", but "every two years" is not."""

import re

from .comparison import Texts
from .phrases import NEGATION, rest
from .reading import Values

_PERIOD = "hour|day|week|month|year|decade|century"
_FREQUENCY = re.compile(
    r"(?<![\w.,-])(?:(?P<times>\d+) ?(?:times?|x) )?(?:"
    rf"(?:every|each|per) (?:(?P<count>\d+) |(?P<other>other |second ))?(?P<each>{_PERIOD})s?"
    rf"|(?(times)an? (?P<per>{_PERIOD})|(?!))"
    r"|(?P<adverb>hourly|daily|weekly|monthly|yearly|annually))\b",
    re.IGNORECASE,
)
MAY_BE_FREQUENCY = re.compile(
    r"\b(?:every|each|once|twice|times|hourly|daily|weekly|monthly|yearly|annually)\b", re.IGNORECASE
)
"""A word of frequencies."""
_UNSURE = re.compile(rf"{NEGATION.pattern}|\b(?:except|only|or|but|less|more|least|most|than|i\.e)\b|-", re.IGNORECASE)
_HOURS = {"hour": 1, "day": 24, "week": 24 * 7, "month": 24 * 365.25 / 12, "year": 24 * 365.25}
_HOURS |= {"decade": 10 * _HOURS["year"], "century": 100 * _HOURS["year"]}
_PERIODS = {"daily": "day", "annually": "year"}
_SAME, _DIFFERENT = 1.03, 1.2  # Ratio of two frequencies; 52 times a year is weekly.


def compare_frequency(texts: Texts) -> bool | None:
    """Compare frequencies; None without a frequency, with several that differ, or if both are close.

    >>> compare_frequency(Texts("", "once every six months", "twice a year"))
    True
    >>> compare_frequency(Texts("", "every two years", "twice a year"))
    False
    """
    found = [[*_FREQUENCY.finditer(values.text)] for values in (texts.reference_values, texts.answer_values)]
    if len(found[0]) != 1 or not found[1] or _UNSURE.search(texts.answer):
        return None
    frequencies = sorted(_per_hour(match) for matches in found for match in matches)
    ratio = frequencies[-1] / frequencies[0] if frequencies[0] else _DIFFERENT
    differs = ratio >= _DIFFERENT and len(found[1]) == 1
    wanted, others = (_others(*pair) for pair in zip((texts.reference_values, texts.answer_values), found, strict=True))
    if others or rest(texts.reference_values.text, *found[0][0].span()):
        return False if differs and others == wanted else None  # "30 mg once daily"
    return True if ratio < _SAME else False if differs else None


def _others(values: Values, frequencies: list[re.Match[str]]) -> list[float]:
    """Return the numbers that belong to no frequency."""
    spans = [match.span() for match in frequencies]
    mentions = [mention for mention in values.numbers if all(not a <= mention.start < b for a, b in spans)]
    return [mention.number.value for mention in mentions]


def _per_hour(match: re.Match[str]) -> float:
    adverb = (match["adverb"] or "").lower()
    period = match["each"] or match["per"] or _PERIODS.get(adverb) or adverb.removesuffix("ly")
    count = 2 if match["other"] else int(match["count"] or 1) or 1
    return int(match["times"] or 1) / (_HOURS[period.lower()] * count)
