"""Compare times of day, with their time zones, opening hours and appointments: "21:00" is the time "9 pm"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from .._shared.words import exact_words
from .calendar_names import WEEKDAYS
from .comparison import Comparison, Texts
from .date_rules import has_other_bound
from .dates import agrees
from .directions import opposite
from .number_selection import affirmed
from .phrases import NEGATION, ends_in_negation, rest
from .times import Time
from .word_tables import pattern_of

_HOW_LONG = re.compile(pattern_of("how_long"), re.IGNORECASE)
_TO = re.compile(r"\s*(?:[-–—]|to|until|till|bis|à|a|alle|tot|do|до)\s*")
_UNLIKE = re.compile(rf"{NEGATION.pattern}|\b(?:except|but)\b", re.IGNORECASE)
# Hours from UTC; a zone without "standard" or "daylight" has two.
_OFFSETS = {
    "UTC": (0,), "GMT": (0,), "BST": (1,), "CET": (1,), "CEST": (2,), "EET": (2,), "EEST": (3,), "JST": (9,),
    "EST": (-5,), "EDT": (-4,), "CST": (-6,), "CDT": (-5,), "MST": (-7,), "MDT": (-6,), "PST": (-8,), "PDT": (-7,),
    "Eastern time": (-5, -4), "Central time": (-6, -5), "Mountain time": (-7, -6), "Pacific time": (-8, -7),
}  # fmt: skip
_ZONE = re.compile(rf"\b(?:{'|'.join(_OFFSETS).replace(' time', ' [tT]ime')})\b")
_DAY = 24 * 60  # Minutes.
_IN_24_HOURS = re.compile(r"\b(?:1[3-9]|2[0-3]):[0-5]\d")
_SECONDS = re.compile(r"\d:[0-5]\d:([0-5]\d)\b")
# Words that limit a weekday or a time, so that the day is not certain.
_BOUNDED = re.compile(rf"\b(?:{pattern_of('bound')})\b|\b12\s?am")


def compare_time(texts: Texts) -> Comparison | None:
    """Compare the times in the answer with the reference's time of day; None for another reference.

    >>> compare_time(Texts("", "21:00", "9 pm")).equal, compare_time(Texts("", "9", "9 pm")).equal
    (True, None)
    """
    values = texts.reference_values
    if len(values.times) != 1 or values.dates:
        return None
    reference, asked = values.times[0], texts.question_values.times
    if _IN_24_HOURS.search(texts.question):
        reference = replace(reference, known=True)
    if rest(f"{values.text[: reference.start]} {_ZONE.sub('', values.text[reference.end :])}", 0, 0):
        return None
    if _HOW_LONG.search(texts.question):
        return None  # "5 heures" may be a time or a duration
    zones = [_ZONE.findall(found.text.replace(" Time", " time")) for found in (texts.answer_values, values)]
    if all(zones) and zones[0] != zones[1]:
        said = texts.answer_values.times
        return Comparison("time", _same_moment(said[0], reference, *zones) if len(said) == 1 else None)
    seconds = [_SECONDS.findall(found.text) for found in (texts.answer_values, values)]
    if has_other_bound(texts) or (len(seconds[0]) == len(seconds[1]) and seconds[0] != seconds[1]):
        return Comparison("time", False, may_contain_reference=True)  # "3 pm at the latest" for "from 3 pm"
    times = affirmed(texts, texts.answer_values.times)
    if not any(time.agrees(reference) for time in asked):  # "22:40 plus 2 hours is 0:40."
        times = [time for time in times if not any(time.agrees(other) for other in asked)] or times
    answer = "; ".join(texts.answer_values.text[time.start : time.end] for time in times)
    verdicts = {time.agrees(reference) for time in times}
    return Comparison("time", verdicts.pop() if len(verdicts) == 1 else None, answer)


def _same_moment(time: Time, reference: Time, zones: Sequence[str], reference_zones: Sequence[str]) -> bool | None:
    """Compare times in two zones; None if that is not certain."""
    if len(zones) + len(reference_zones) > 2:  # noqa: PLR2004
        return None
    period = _DAY if time.known and reference.known else _DAY // 2
    verdicts = {
        (time.minutes - reference.minutes - 60 * (offset - other)) % period == 0
        for offset in _OFFSETS[zones[0]]
        for other in _OFFSETS[reference_zones[0]]
    }
    return verdicts.pop() if len(verdicts) == 1 else None


def compare_hours(texts: Texts) -> bool | None:
    """Compare the hours in which something is open, or takes place; None unless both texts have two times.

    >>> [compare_hours(Texts("", answer, "9 am to 5 pm")) for answer in ("9:00-17:00", "5 pm to 9 pm", "until 5 pm")]
    [True, False, None]
    """
    wanted, said = texts.reference_values, texts.answer_values
    if len(wanted.times) != 2 or len(said.times) != 2 or _UNLIKE.search(said.text):  # noqa: PLR2004
        return None
    first, last = wanted.times
    between = wanted.text[first.end : last.start]
    if rest(f"{wanted.text[: first.start]} {wanted.text[last.end :]}", 0, 0) or not _TO.fullmatch(between):
        return None
    reverses = said.times[0].agrees(last) and said.times[1].agrees(first)  # "It closes at 5 pm and opens at 9 am."
    if reverses or opposite("open", texts.answer_words):
        return None
    return all(time.agrees(other) for time, other in zip(said.times, wanted.times, strict=True))


def compare_appointment(texts: Texts) -> bool | None:
    """Compare a date or weekday with a time of day, such as "Monday 14 April, 3 pm"; None for others or if uncertain.

    >>> compare_appointment(Texts("", "15:00 on Mon, April 14", "Monday 14 April, 3 pm"))
    True
    >>> compare_appointment(Texts("", "Tuesday at 9 am", "Thursday 9 am"))
    False
    """
    wanted = texts.reference_values
    if len(wanted.dates) > 1 or len(wanted.times) != 1:
        return None
    said = texts.answer_values
    days = [{WEEKDAYS[word] for word in exact_words(text) if word in WEEKDAYS} for text in (wanted.text, said.text)]
    if len(said.dates) != len(wanted.dates) or len(said.times) != 1:
        return None
    if not wanted.dates and ({*map(len, days)} != {1} or _BOUNDED.search(f"{wanted.text} {said.text}".lower())):
        return None
    spans = [(span.start, span.end) for found in (wanted.dates, wanted.times) for span in found]
    words = rest(wanted.text, min(spans)[0], max(end for _, end in spans))
    if any(word not in WEEKDAYS for word in words) or ends_in_negation(said.text):
        return None
    if all(days) and days[0] != days[1]:
        return False
    dates = zip(said.dates, wanted.dates, strict=True)
    verdicts = said.times[0].agrees(wanted.times[0]), *(agrees(*pair) for pair in dates)
    return False if False in verdicts else None if None in verdicts else True
