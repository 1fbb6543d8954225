"""Compare dates and periods: "In July 1969" has the date "1969", and "1914 to 1918" is the period "1914-18"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from .._shared.words import exact_words
from .calendar_names import MONTHS, WEEKDAYS, compare_in_cycle, is_in_cycle
from .comparison import Comparison, Texts
from .dates import ANY_MONTH, LAST_MONTH, MONTH_OF, Date, agrees
from .number_selection import affirmed
from .phrases import NEGATION, are_alternatives, ends_in_negation, rest
from .word_tables import pattern_of

_WHEN = re.compile(rf"\b(?:{pattern_of('when')})\b|年|月", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much)\b|\bnumber of\b|\bpopulation\b|wie ?viele?|combien|cu[aá]nt[oa]s?|quant[ieo]\b", re.IGNORECASE
)
_VAGUE = re.compile(rf"\b(?:{pattern_of('vague_date')})\b(?!,)", re.IGNORECASE)
_FROM = re.compile(rf"\b(?:{pattern_of('from')})\b", re.IGNORECASE)
_UNTIL = re.compile(rf"\b(?:{pattern_of('until')})\b", re.IGNORECASE)
_OPEN = re.compile(
    rf"\b(?:(?P<other>{pattern_of('before_date')})|by|since|until|till)\s*(?:(?:{pattern_of('year')})\s+){{0,2}}$",
    re.IGNORECASE,
)
_OPEN_AFTER = re.compile(rf"\s?(?P<other>{pattern_of('after_date')})")
PART = re.compile(
    r"\b(?:in |at )?(?:the )?(?:(?P<early>early|beginning|start|first half)|(?P<mid>mid|middle)|"
    r"(?P<late>late|end|second half))\b[ -]?(?:(?:of|in) )?(?:the )?",
    re.IGNORECASE,
)
"""A part of a period, such as "early"."""
_CENTURY = re.compile(r"\bcentury\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:the |in the )?(\d\d?)(?:st|nd|rd|th)\.?", re.IGNORECASE)
_ASKS_PERIOD = re.compile(r"\b(?:century|decade|jahrhundert|jahrzehnt|siècle|décennie|siglo|década)\b", re.IGNORECASE)
_BEFORE = 20  # Characters before a date that may make it vague.
_CHANGES = re.compile(r"\b(?:last|next|latest|current|most recent|now)\b", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:\b(?:between|from|zwischen|von|entre|de|tra|dal) )?\b(?P<first>[12]\d{3})\s?"
    r"(?:[-–—]|\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|\bbis\b|\bund\b|\bet\b|\by\b|\ba\b|\bà\b|\bal\b)"
    r"\s?(?P<last>[12]\d{3}|\d\d)(?![\d-]| (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_DAY_AND_MONTH = rf"(?:({ANY_MONTH})\.?\s)?([0-3]?\d)(?:st|nd|rd|th|\.)?(?:\s(?:of\s|de\s)?({ANY_MONTH})(?!\w)\.?)?"
_DAYS = re.compile(
    rf"(?<![\w.,/-]){_DAY_AND_MONTH}\s?(?:[-–—]|\b(?:to|until|till|through|and|bis|al?|au)\b)\s?{_DAY_AND_MONTH}"
    r"(?:,?\s(?:de\s)?([12]\d{3}))?(?![\w/%]|[.,:]\d)",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(r"\bexact(?:ly)?\b|\b(?:what|which) (?:day|date)\b", re.IGNORECASE)
_ASKS_MONTH = re.compile(r"\bmonth\b", re.IGNORECASE)
_DAY_IN_DIGITS = re.compile(
    r"(?:(?:on|am|den|le|el|il|(?:n?o )?dia|em|op|dnia|w dniu|dne) )?(\d\d?)[/.-]\s?(\d\d?)\.?", re.IGNORECASE
)
_LONGEST_DATE, _SHORT_DATE = 60, 5  # Characters of a reference, and words of an answer.
_EARLY = 1000  # Earlier years are written like any number.
_SENTENCE, _PARAGRAPH = 8, 20  # Words.
_MOST_DATES = 2  # Dates of an answer that may be wrong.


def only_date(reference: str) -> Date | None:
    """Return the date that a reference is; None for another reference."""
    texts = Texts("", "", reference)
    return texts.reference_values.dates[0] if _is_date(texts) else None


def _is_date(texts: Texts) -> bool:
    """Return whether the reference is a date."""
    dates = texts.reference_values.dates
    if len(dates) != 1 or texts.reference_values.times or len(texts.reference) > _LONGEST_DATE:
        return False
    numbers = texts.reference_values.numbers
    if dates[0].only_year and (any(one.unit or one.bound for one in numbers) or " per " in texts.reference):
        return False  # "1500 W", "at most 1500"
    counted = dates[0].only_year and not _WHEN.search(texts.question) and _HOW_MANY.search(texts.question)
    others = rest(texts.reference_values.text, dates[0].start, dates[0].end)
    return not counted and all(word in WEEKDAYS for word in others)


def compare_date(texts: Texts) -> Comparison | None:
    """Compare the dates in the answer with the reference's date; None for another reference.

    >>> compare_date(Texts("When?", "July 1969", "1969")).equal, compare_date(Texts("When?", "1969", "July 1969")).equal
    (True, None)
    """
    if not _is_date(texts):
        # A number in a range is equal, but not a year in a period.
        return Comparison("date") if _is_period(texts.reference) and not _HOW_MANY.search(texts.question) else None
    comparison = _compare_dates(texts)
    # A year may also be another number, unless the question asks for a date.
    sure = comparison.equal is not None or not texts.reference_values.dates[0].only_year
    return comparison if sure or _WHEN.search(texts.question) else None


def _compare_dates(texts: Texts) -> Comparison:
    reference, text = texts.reference_values.dates[0], texts.answer_values.text
    days = [
        {WEEKDAYS[word] for word in words if word in WEEKDAYS} for words in map(exact_words, (texts.reference, text))
    ]
    if all(len(named) == 1 for named in days) and days[0] != days[1]:
        return Comparison("date", False)  # "Tuesday, 14 May" for "Thursday, 14 May"
    if texts.length <= _SENTENCE and has_other_bound(texts):
        return Comparison("date", False, may_contain_reference=True)  # "after 15 May" for "by 15 May"
    compared = [(date, agrees(date, reference)) for date in affirmed(texts, texts.answer_values.dates)]
    if not reference.precision and _ASKS_PERIOD.search(texts.question):
        compared = [(date, same is not False) for date, same in compared]  # 1973 is in the 1970s
    # The question is read only if an answer's date differs, or has a year that the reference lacks.
    if not all(same for _, same in compared):
        asked_dates = {date.fields for date in texts.question_values.dates}
        compared = [(date, same) for date, same in compared if same or date.fields not in asked_dates]
    new = {date.years for date, same in compared if same and date.years and not reference.years}
    if new and not new <= {date.years for date in texts.question_values.dates}:
        return Comparison("date")  # a year that the reference does not confirm
    if not compared:
        compare = _compare_with_ordinal if _CENTURY.search(texts.reference) else _compare_digits
        return Comparison("date", compare(texts, reference))
    answer, verdicts = "; ".join(text[date.start : date.end] for date, _ in compared), [same for _, same in compared]
    if are_alternatives(text, [(date.start, date.end) for date, _ in compared], verdicts):
        return Comparison("date", False, answer, may_contain_reference=True)
    opened = _match_bound(texts, compared[0][0]) if all(verdicts) else None
    wrong = set(verdicts) == {False} and _is_sure(texts, [date for date, _ in compared])
    wrong = wrong or (set(verdicts) == {None} and _lacks(texts, compared[0][0], reference))
    wrong = wrong or bool(opened and opened["other"] and not NEGATION.search(text))
    right = all(verdicts) and not opened and not _names_other_month(texts, reference)
    return Comparison("date", True if right else False if wrong else None, answer, opened is not None)


def _match_bound(texts: Texts, date: Date) -> re.Match[str] | None:
    """Match the word of a short answer that makes a date a bound, "before 1990", unless the other texts have bounds."""
    others = f"{texts.reference} {texts.question}"
    if texts.length > _SHORT_DATE or _FROM.search(others) or _UNTIL.search(others):
        return None
    text = texts.answer_values.text
    return _OPEN.search(text[: date.start]) or _OPEN_AFTER.match(text, date.end)


def _lacks(texts: Texts, answer: Date, reference: Date) -> bool:
    """Return whether an answer's date lacks the day or month that the question asks for."""
    day = reference.day and not answer.day and _ASKS_DAY.search(texts.question)
    return bool(day or (reference.month and not answer.month and _ASKS_MONTH.search(texts.question)))


def _names_other_month(texts: Texts, reference: Date) -> bool:
    """Return whether an answer names a month outside its dates: "I applied in June 2018 and was hired that August"."""
    months = {MONTHS[word] for word in texts.answer_words if word in MONTHS}
    return bool(reference.month and months - {date.month for date in texts.answer_values.dates})


def _is_sure(texts: Texts, dates: Sequence[Date]) -> bool:
    """Return whether other dates than the reference's show that an answer is wrong."""
    text = texts.answer_values.text
    near = [text[max(0, date.start - _BEFORE) : date.start] for date in dates] if texts.length <= _PARAGRAPH else [text]
    vague = _VAGUE.search("\n".join([texts.reference, *near])) or _CHANGES.search(texts.question)
    return len(dates) <= _MOST_DATES and not vague and not _next_year(dates[0], texts.reference_values.dates[0])


def _next_year(answer: Date, reference: Date) -> bool:
    """Return whether a full date is in the year before or after a year, as where seasons and years are mixed."""
    if reference.month or not answer.month or not answer.years or not reference.years:
        return False
    return abs(answer.years[0] - reference.years[0]) == 1


def _compare_with_ordinal(texts: Texts, reference: Date) -> bool | None:
    """Compare a century with an ordinal alone, such as "the 17th"."""
    numbers = [mention.number.value for mention in texts.answer_values.numbers if mention.ordinal]
    if len(numbers) != 1 or not texts.short or not reference.years or reference.years[0] < 0:
        return None
    return numbers[0] == reference.years[0] // 100 + 1


def _compare_digits(texts: Texts, reference: Date) -> bool | None:
    """Compare a day such as 12/25, and a year before 1000, which are written like any number."""
    if reference.month and reference.day and (match := _DAY_IN_DIGITS.fullmatch(texts.answer.strip(" ."))):
        said = int(match[1]), int(match[2])
        expected = reference.month, reference.day
        if texts.language[0] != "en":
            return None if reference.years else said[::-1] == expected
        same = said in {expected, expected[::-1]}
        return None if reference.years or (same and max(said) <= LAST_MONTH and said != expected) else same
    numbers = [mention for mention in texts.answer_values.numbers if not mention.unit and not mention.ordinal]
    year = abs(reference.only_year or _EARLY)
    if year >= _EARLY or len(numbers) != 1 or texts.length > _SENTENCE:
        return None
    return numbers[0].number.value == year


def has_other_bound(texts: Texts) -> bool:
    """Return whether one text has the first time or date, and the other one the last: "from 3 pm" and "until 3 pm"."""
    bounds = [(bool(_FROM.search(text)), bool(_UNTIL.search(text))) for text in (texts.reference, texts.answer)]
    return bounds[0] == bounds[1][::-1] != bounds[1]


def compare_part(texts: Texts) -> bool | None:
    """Compare parts of a month, season, year or decade, such as "late August"; None for other texts.

    >>> [compare_part(Texts("When?", answer, "early March")) for answer in ("in late June", "start of March", "March")]
    [False, True, None]
    """
    found = [[*PART.finditer(text)] for text in (texts.reference, texts.answer)]
    if [len(matches) for matches in found] != [1, 1]:
        return None
    whole = replace(texts, reference=PART.sub("", texts.reference), answer=PART.sub("", texts.answer))
    same = compare_in_cycle(whole) if is_in_cycle(whole.reference) else None
    if same is None and (compared := compare_date(whole)):
        same = compared.equal
    (reference, answer) = (matches[0].lastgroup for matches in found)
    return same if not same or reference == answer else False if {reference, answer} == {"early", "late"} else None


def compare_period(texts: Texts) -> bool | None:
    """Return whether the answer has the period of years that the reference is; None unless it has a single period.

    >>> compare_period(Texts("", "between 1918 and 1920", "1918-20")), compare_period(Texts("", "1918", "1918-20"))
    (True, None)
    """
    if not _is_period(texts.reference):
        return None
    reference, *periods = [_years(*ends) for text in (texts.reference, texts.answer) for ends in _PERIOD.findall(text)]
    dates = texts.answer_values.dates
    if not periods and len(dates) == 2 and all(date.years for date in dates):  # noqa: PLR2004
        periods = [(dates[0].fields[0] or 0, dates[1].fields[0] or 0)]  # "It began in 1914 and ended in 1918."
        if reference[0] not in periods[0] and reference[1] not in periods[0]:
            return None
    if not periods or ends_in_negation(texts.answer):
        return None
    same = periods[0] == reference
    if len({*periods}) > 1:
        return True if same and " or " not in texts.answer else None
    return same if same or len(texts.answer_values.dates) <= _MOST_DATES else None


def _is_period(reference: str) -> bool:
    """Return whether a reference is a period of years."""
    return _PERIOD.fullmatch(reference.strip(" .")) is not None


def _years(first: str, last: str) -> tuple[int, int]:
    """Return the years of a period: 1914 and 1918 for "1914" and "18"."""
    return int(first), int(first[: len(first) - len(last)] + last)


def compare_century(texts: Texts) -> bool | None:
    """Compare an ordinal with the years of a century that the question asks for: "17th" and "in the 1600s"."""
    match = _ORDINAL.fullmatch(texts.reference) if _CENTURY.search(texts.question) else None
    dates = [date.years for date in texts.answer_values.dates if date.years]
    if not match or len(dates) != 1 or min(dates[0]) < 0 or ends_in_negation(texts.answer):
        return None
    return {year // 100 + 1 for year in dates[0]} == {int(match[1])}


def compare_days(texts: Texts) -> bool | None:
    """Return whether the answer has the reference's period of days; None unless both have a single period.

    >>> [compare_days(Texts("", text, "12–14 May 2024")) for text in ("May 12 to 14, 2024", "12-14 March", "12 May")]
    [True, False, None]
    """
    reference = _periods_of_days(texts.reference)
    whole = reference and _DAYS.sub("", texts.reference).strip(" .").lower() in {"", "from", "the", "from the"}
    answer = _periods_of_days(texts.answer)
    if not whole or len(answer) != 1 or len(reference) != 1 or NEGATION.search(texts.answer):
        return None
    (*days, year), (*other_days, other_year) = answer[0], reference[0]
    if days != other_days or (year and other_year and year != other_year):
        return False
    return None if other_year and not year else True


def _periods_of_days(text: str) -> list[tuple[int, int, int, int, str]]:
    """Return month and day of the start, month and day of the end, and the year, of each period with a month."""
    found = []
    for before, day, after, before_last, last, after_last, year in _DAYS.findall(text):
        months = [before or after, before_last or after_last]
        first_month, last_month = (MONTH_OF.get((month or months[0] or months[1]).lower(), 0) for month in months)
        if not months[0]:
            first_month = last_month
        if first_month:
            found.append((first_month, int(day), last_month, int(last), year))
    return found
