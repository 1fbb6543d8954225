"""Compare dates, times of day, and names of weekdays, months and seasons.

"In July 1969" has the date "1969"; "21:00" is the time "9 pm"; "on Tuesdays" names "Tuesday".
"""

import re
from collections.abc import Mapping, Sequence

from .._shared.words import exact_words
from .comparison import Comparison, Texts
from .dates import LAST_MONTH, MONTH_OF, Date, agrees
from .phrases import FILLERS, affirmed, alternatives, negated, rest, singular
from .text import plain, word_set, word_starts

_WHEN = re.compile(
    r"\b(?:when|(?:what|which) (?:year|date|day|month|decade|century)|year|date|how old|century|decade|born|died|"
    r"wann|jahr|quand|année|cuándo|año|quando|anno|fecha)\b|年|月",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much)\b|\bnumber of\b|\bpopulation\b|wie ?viele?|combien|cu[aá]nt[oa]s?|quant[ieo]\b", re.IGNORECASE
)
_VAGUE = re.compile(
    r"\b(?:circa|ca?\.|around|about|by|early|mid|late|before|after|since|approximately|roughly)\b(?!,)", re.IGNORECASE
)
# Words that deny a weekday or month, or name only a part of it.
_LIMITED = re.compile(
    r"\d|\b(?:first|second|third|fourth|last|about|early|mid|late|before|after|not|never|nicht|kein\w*|pas|non?|nie|niet|"
    r"não|не|değil\w*|ليس|δεν|नहीं)\b|n['’]t\b|第|ない|ません|な[くか]|以外|不|[没沒]有|非|아[니닌닙]|않|말고",
    re.IGNORECASE,
)
_LATER_CLAUSE = re.compile(r",\s(?:before|after|once|when|as soon as)\b[^,.;]*", re.IGNORECASE)
_FROM = re.compile(r"\b(?:from|after|starting|onwards?|at the earliest|(?:no|not) (?:earlier|before))\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|by|before|at the latest|no later than)\b", re.IGNORECASE)
_TO = re.compile(r"\s?(?:[-–—~]|to|until|till|bis|à|a|al|tot)\s?")
_OUTSIDE = re.compile(r"\b(?:closed?|busy|except|outside|minus|geschlossen|fermé|cerrado|chiuso)\b", re.IGNORECASE)
_ALTERNATING = re.compile(r"(?<=\bevery )(?:other|second|2nd)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b[12]\d{3}\b")
_CENTURY = re.compile(r"\bcentury\b", re.IGNORECASE)
_ASKS_PERIOD = re.compile(r"\b(?:century|decade|jahrhundert|jahrzehnt|siècle|décennie|siglo|década)\b", re.IGNORECASE)
_BEFORE = 20  # Characters before a date that may make it vague.
_CHANGES = re.compile(r"\b(?:last|next|latest|current|most recent|now)\b", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:\b(?:between|from|zwischen|von|entre|de|tra|dal) )?\b(?P<first>[12]\d{3})\s?"
    r"(?:[-–—]|\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|\bbis\b|\bund\b|\bet\b|\by\b|\ba\b|\bà\b|\bal\b)"
    r"\s?(?P<last>[12]\d{3}|\d\d)(?![\d-])",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(r"\bexact(?:ly)?\b|\b(?:what|which) (?:day|date)\b", re.IGNORECASE)
_ASKS_MONTH = re.compile(r"\bmonth\b", re.IGNORECASE)
_DAY_IN_DIGITS = re.compile(r"(?:on )?(\d\d?)[/.-](\d\d?)\.?")
_LONGEST_DATE = 60  # Characters.
_EARLY = 1000  # Earlier years are written like any number.
_SENTENCE, _PARAGRAPH = 8, 20  # Words.
_MOST_DATES = 2  # Dates of an answer that may be wrong.


def is_date(texts: Texts) -> bool:
    """Return whether the reference is a date."""
    dates = texts.reference_values.dates
    if len(dates) != 1 or texts.reference_values.times or len(texts.reference) > _LONGEST_DATE:
        return False
    counted = dates[0].only_year and not _WHEN.search(texts.question) and _HOW_MANY.search(texts.question)
    others = rest(texts.reference_values.text, dates[0].start, dates[0].end)
    return not counted and all(word in WEEKDAYS for word in others)


def asks_when(texts: Texts) -> bool:
    """Return whether the reference is more than a year, or the question asks for a date."""
    return not texts.reference_values.dates[0].only_year or _WHEN.search(texts.question) is not None


def only_date(reference: str) -> Date | None:
    """Return the date that a reference is; None for another reference."""
    texts = Texts("", "", reference)
    return texts.reference_values.dates[0] if is_date(texts) else None


def compare_date(texts: Texts) -> Comparison:
    """Compare the dates in the answer with the reference's date.

    >>> compare_date(Texts("When?", "July 1969", "1969")).equal, compare_date(Texts("When?", "1969", "July 1969")).equal
    (True, None)
    """
    if texts.long:
        return Comparison("date")
    reference, text = texts.reference_values.dates[0], texts.answer_values.text
    days = [
        {WEEKDAYS[word] for word in words if word in WEEKDAYS} for words in map(exact_words, (texts.reference, text))
    ]
    if all(len(named) == 1 for named in days) and days[0] != days[1]:
        return Comparison("date", False)  # "Tuesday, 14 May" for "Thursday, 14 May"
    compared = [(date, agrees(date, reference)) for date in affirmed(text, texts.answer_values.dates)]
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
        compare = _compare_century if _CENTURY.search(texts.reference) else _compare_digits
        return Comparison("date", compare(texts, reference))
    answer, verdicts = "; ".join(text[date.start : date.end] for date, _ in compared), [same for _, same in compared]
    if alternatives(text, [(date.start, date.end) for date, _ in compared], verdicts):
        return Comparison("date", False, answer, hedges=True)
    wrong = set(verdicts) == {False} and _is_sure(texts, [date for date, _ in compared])
    wrong = wrong or (set(verdicts) == {None} and _lacks(texts, compared[0][0], reference))
    right = all(verdicts) and not _names_other_month(texts, reference)
    return Comparison("date", True if right else False if wrong else None, answer)


def _lacks(texts: Texts, answer: Date, reference: Date) -> bool:
    """Return whether an answer's date lacks the day or month that the question asks for."""
    day = reference.day and not answer.day and _ASKS_DAY.search(texts.question)
    return bool(day or (reference.month and not answer.month and _ASKS_MONTH.search(texts.question)))


def _names_other_month(texts: Texts, reference: Date) -> bool:
    """Return whether an answer names a month outside its dates: "I applied in June 2018 and was hired that August"."""
    months = {MONTH_OF[word] for word in texts.answer_words if word in MONTH_OF and word not in _NO_MONTHS}
    return bool(reference.month and months - {date.month for date in texts.answer_values.dates})


def is_period(reference: str) -> bool:
    """Return whether a reference is a period of years."""
    return _PERIOD.fullmatch(reference.strip(" .")) is not None


def compare_period(texts: Texts) -> bool | None:
    """Return whether the answer has the period of years that the reference is; None unless it has a single period.

    >>> compare_period(Texts("", "between 1918 and 1920", "1918-20")), compare_period(Texts("", "1918", "1918-20"))
    (True, None)
    """
    reference, *periods = [_years(*ends) for text in (texts.reference, texts.answer) for ends in _PERIOD.findall(text)]
    dates = texts.answer_values.dates
    if not periods and len(dates) == 2 and (last := dates[1].only_year):  # noqa: PLR2004
        periods = [(dates[0].only_year or 0, last)]  # "It began in 1914 and ended in 1918."
        if reference[0] not in periods[0] and reference[1] not in periods[0]:
            return None
    if len(periods) != 1 or negated(texts.answer):
        return None
    same = periods[0] == reference
    return same if same or len(texts.answer_values.dates) <= _MOST_DATES else None


def _years(first: str, last: str) -> tuple[int, int]:
    return int(first), int(first[: len(first) - len(last)] + last)


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


def _compare_century(texts: Texts, reference: Date) -> bool | None:
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
        same = said in {expected, expected[::-1]}
        return None if reference.years or (same and max(said) <= LAST_MONTH and said != expected) else same
    numbers = [mention for mention in texts.answer_values.numbers if not mention.unit and not mention.ordinal]
    year = abs(reference.only_year or _EARLY)
    if year >= _EARLY or len(numbers) != 1 or texts.length > _SENTENCE:
        return None
    return numbers[0].number.value == year


def is_time(texts: Texts) -> bool:
    """Return whether the reference is a time of day."""
    times = texts.reference_values.times
    return (
        len(times) == 1
        and not texts.reference_values.dates
        and not rest(texts.reference_values.text, times[0].start, times[0].end)
    )


def compare_hours(texts: Texts) -> bool | None:
    """Compare spans of time, such as "9 am to 6 pm"; None for another reference or if that is not certain.

    >>> compare_hours(Texts("", "09:00–18:00", "9 am to 6 pm")), compare_hours(Texts("", "from 9 to 5", "9 am to 6 pm"))
    (True, None)
    """
    text, wanted = texts.reference_values.text, texts.reference_values.times
    if len(wanted) != 2 or not _TO.fullmatch(text[wanted[0].end : wanted[1].start]):  # noqa: PLR2004
        return None
    answer, said = texts.answer_values.text, texts.answer_values.times
    if rest(text, wanted[0].start, wanted[1].end) or len(said) != 2 or _OUTSIDE.search(answer):  # noqa: PLR2004
        return None
    if not _TO.fullmatch(answer[said[0].end : said[1].start]) or negated(answer[: said[0].start]):
        return None
    verdicts = {time.agrees(other) for time, other in zip(said, wanted, strict=True)}
    return False if False in verdicts else None if None in verdicts else True


def compare_time(texts: Texts) -> Comparison:
    """Compare the times in the answer with the reference's time of day.

    >>> compare_time(Texts("", "21:00", "9 pm")).equal, compare_time(Texts("", "9", "9 pm")).equal
    (True, None)
    """
    bounds = [(bool(_FROM.search(text)), bool(_UNTIL.search(text))) for text in (texts.reference, texts.answer)]
    if bounds[0] == bounds[1][::-1] != bounds[1]:
        return Comparison("time", False, hedges=True)  # "3 pm at the latest" for "from 3 pm"
    times = affirmed(texts.answer_values.text, texts.answer_values.times)
    answer = "; ".join(texts.answer_values.text[time.start : time.end] for time in times)
    verdicts = {time.agrees(texts.reference_values.times[0]) for time in times}
    return Comparison("time", verdicts.pop() if len(verdicts) == 1 else None, answer)


_WEEKDAYS = (
    "monday mon montag lundi lunes lunedì maandag segundafeira понедельник poniedziałek pazartesi सोमवार الاثنين",
    "tuesday tue tues dienstag mardi martes martedì dinsdag terçafeira вторник wtorek sali मंगलवार الثلاثاء",
    "wednesday wed mittwoch mercredi miércoles mercoledì woensdag quartafeira среда środa çarşamba बुधवार الأربعاء",
    "thursday thu thur thurs donnerstag jeudi jueves giovedì donderdag "
    "quintafeira четверг czwartek perşembe गुरुवार الخميس",
    "friday fri freitag vendredi viernes venerdì vrijdag sextafeira пятница пятницу piątek cuma शुक्रवार الجمعة",
    "saturday sat samstag samedi sábado sabato zaterdag суббота субботу sobota sobotę cumartesi शनिवार السبت",
    "sunday sun sonntag dimanche domingo domenica zondag воскресенье niedziela niedzielę pazar रविवार الأحد",
)
_SEASONS = (
    "spring springtime frühling printemps primavera", "summer summertime sommer été verano estate",
    "autumn fall herbst automne otoño autunno", "winter wintertime hiver invierno inverno",
)  # fmt: skip
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
"""The number of each weekday's names, from 0 for Monday."""
_NO_MONTHS = word_set("may mar jan set dec mars mart maj maja luty")  # More often, they are other words.
_CYCLES = (
    WEEKDAYS,
    {name: number for number, names in enumerate(_SEASONS) for name in names.split()},
    {name: number for name, number in MONTH_OF.items() if name not in _NO_MONTHS},
)
_STARTS = frozenset(name[:3] for cycle in _CYCLES for name in cycle)


def compare_in_cycle(texts: Texts) -> bool | None:
    """Return whether the answer names the reference's weekday, month or season; None if that is not certain.

    >>> compare_in_cycle(Texts("Which day?", "on Tuesdays", "Tuesday")), compare_in_cycle(Texts("", "in July", "June"))
    (True, False)
    """
    if texts.reference.isascii() and _STARTS.isdisjoint(word_starts(texts.reference)):  # a fast test
        return None
    (text, reference_year), (said, year) = (
        _without_year(_ALTERNATING.sub("", plain(text)))
        for text in (texts.reference, _LATER_CLAUSE.sub("", texts.answer))
    )
    words = [word for word in exact_words(text) if word not in FILLERS and word != "every"]
    for cycle in _CYCLES:
        if len(words) == 1 and (reference := _named(words, cycle)):
            answer = _named(exact_words(said), cycle)
            if len(answer) != 1 or _LIMITED.search(said):
                return None
            if answer != reference:
                return False
            alternates = [_ALTERNATING.search(text) is not None for text in (texts.reference, texts.answer)]
            if alternates[0] != alternates[1]:
                return False if "every" in texts.answer_words else None
            return True if year == reference_year and texts.length <= _SENTENCE else None
    return None


def _without_year(text: str) -> tuple[str, str]:
    """Return a text without its year, and the year; `""` without one."""
    year = _YEAR.search(text)
    return (_YEAR.sub("", text, count=1), year[0]) if year else (text, "")


def keys_in_cycle(name: str) -> frozenset[str]:
    """Return what the name of a weekday, season or month stands for; nothing for another text.

    >>> keys_in_cycle("Sat") == keys_in_cycle("Saturday"), keys_in_cycle("sat down")
    (True, frozenset())
    """
    words = exact_words(plain(name))
    cycles = enumerate(_CYCLES if len(words) == 1 else ())
    return frozenset(f"{cycle}/{place}" for cycle, names in cycles for place in _named(words, names))


def _named(words: Sequence[str], cycle: Mapping[str, int]) -> set[int]:
    """Return the numbers of a cycle's names among words, which may be plurals."""
    return {cycle[form] for word in words for form in (word, singular(word)) if form in cycle}
