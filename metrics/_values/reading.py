"""Read all values in a text: dates, times of day, numbers and quantities, each with the words around it.

"5 ft 11 in on July 20, 1969" has the quantity 5.92 ft and a date.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from .dates import Date, dates
from .number_words import with_digits
from .numbers import NUMBER, WrittenNumber, number
from .portions import with_portions
from .text import plain
from .times import Time, times
from .units import convert, unit_at
from .word_tables import words_of

# Limits on the running time: only the start of a longer text is read, and no more numbers than these.
_LONGEST, _MOST_NUMBERS = 2000, 200  # Characters; numbers.
LONGEST_UNIT = 60  # Characters.
_LONGEST_IN_WORDS = 8  # Words of a reference whose only value is in words; longer ones are sentences.
_FIRST_YEAR = 1  # An earlier year, such as 44 BC, is a date but no number.
IDEOGRAPHS = "\u2e80"  # Scripts from here on write units and nouns without a space.
# What precedes or follows a number in a formula or an open interval: "f(", "e^(", "√", "π", ", ∞)".
_BEFORE_IN_FORMULA = re.compile(r"\w\($|[^\W\d]\^\(?$|[±√]\s?$|(?:π|pi)\s?[*×·]?\s?$")
_AFTER_IN_FORMULA = re.compile(r"[!'′]|\s?[*×]?\s?(?:π|pi\b)|\s?,\s?\\?(?:∞|inf)")
_SCALE = re.compile(r"×10\^(\d\d?)(?!\d)")
_TO = re.compile(r"\s?(?:-|–|—|~|\b(?:up )?to\b|\bbis\b|\bthrough\b|\band\b)\s?")
_BETWEEN = re.compile(r"\b(?:between|from|zwischen|von|entre|de|tra|da)\s?$", re.IGNORECASE)
_JOIN = re.compile(r"[\s,]*(?:(?:and|und|et|y|e|en|i|и|ve|och|og|ja|és|și|και|na|và|और|এবং|และ)\s|[وו]\s?)?")
_NEXT = re.compile(r"[\s-]*([^\W\d_]+)")
_LESS = "(?:less|fewer|shorter|smaller|lower|slower|lighter|younger) than"
_MORE = "(?:more|longer|larger|higher|greater|faster|heavier|older) than"
_BOUND = re.compile(
    rf"(?:(?P<less>\b(?:(?<!no )(?<!not ){_LESS}|(?:no|not) {_MORE}|(?:not|n['’]t)(?: to)? exceed|"
    r"(?<!not )(?:under|below)|at most|(?<!add )(?<!adds )up to|weniger als|moins de|menos de)|[<≤])"
    rf"|\b(?:(?<!no )(?<!not ){_MORE}|(?:no|not) {_LESS}|not (?:under|below)|(?<!not )(?<!n't )(?<!not to )exceeds?|"
    r"over|above|at least|mehr als|plus de|más de)|[>≥])\s*$"
)
_BOUND_AFTER = re.compile(
    r"(?: [a-z]{1,12}\b)?\s?(?:(?P<less>or (?:less|fewer|younger|shorter|below|under|lower)|at (?:the )?most)|"
    r"at (?:the )?least|or (?:more|taller|older|higher|above|over|longer|greater|up))\b"
)
_DIGIT = re.compile(r"\d")
_SHARE = re.compile(r"\b(\d+) (?:(?:\w+ )?sur|(?:out of|in)(?: every)?|von|su|van de) (\d+)\b(?!\d|[.,]\d)")
_ROMAN = re.compile(r"(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
# A single letter, such as I, is more often a word or name. It is a numeral only after a word such as "Type".
_ROMAN_IN_NAME = re.compile(rf"(?<![\w-])(?=[IVXLCDM]{{2}}){_ROMAN.pattern}(?![\w'-]|\.\w)")
_ROMAN_LETTER = re.compile(
    r"\b((?:[Tt]ype|[Cc]lass|[Pp]art|[Pp]hase|[Ss]tage|[Gg]rade|[Ww]ar|[Vv]olume|[Vv]ol\.?|[Aa]ct|[Cc]hapter|[Bb]ook|"
    r"[Ll]evel)) ([IVX])\b(?!')"
)
SIGN_OF_VALUE = re.compile(
    r"[\d²³½¼¾√^=±|+〇零一二两三四五六七八九十百千万萬亿億]|\w\(|\b(?:onc|twic|thric)e (?:an?|per|every|each)\b"
)
# The first four letters of words that occur in values.
_STEMS = words_of("stem")
_VALUE_OF_LETTER = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ROMAN_LETTERS = frozenset(_VALUE_OF_LETTER)
_NUMBER_STARTS = ("currency", "sign", "currency2", "whole", "over", "base", "digits")


@lru_cache(maxsize=1 << 10)
def has_value(reference: str) -> bool:
    """Return whether a reference may have a number: a digit, a Roman numeral, or a word that occurs in values."""
    if SIGN_OF_VALUE.search(reference):
        return True
    words = reference.replace("-", " ").split()
    if len(words) > _LONGEST_IN_WORDS:
        return False
    if any(word[:1] > "\u0370" for word in words):
        return True  # in a script without a list of the letters that start number words
    return not _STEMS.isdisjoint([word[:4].lower() for word in words]) or any(map(_ROMAN_LETTERS.issuperset, words))


@dataclass(frozen=True)
class Mention:
    """A number or quantity in a text.

    Attributes:
        number: The number.
        unit: Its unit, as an expression of pint; `""` without one.
        start: Where it starts in the rewritten text.
        end: Where it ends, with its unit.
        noun: The word after it, in lower case; `""` without one.
        ordinal: Whether it is an ordinal, such as 14th.
        bound: `less` or `more` after words such as "at most"; `""` otherwise.
        year: Whether it may be a year.
    """

    number: WrittenNumber
    unit: str = ""
    start: int = 0
    end: int = 0
    noun: str = ""
    ordinal: bool = False
    bound: str = ""
    year: bool = False

    @property
    def kind(self) -> str:
        """Its kind of value."""
        return "quantity" if self.unit else "number"


@dataclass(frozen=True)
class Values:
    """The values in a text.

    Attributes:
        text: The text with digits for number words.
        numbers: Numbers and quantities; a year is both a number and a date.
        dates: Dates.
        times: Times of day.
    """

    text: str
    numbers: tuple[Mention, ...]
    dates: tuple[Date, ...]
    times: tuple[Time, ...]

    @property
    def is_range(self) -> bool:
        """Whether the only number is a range."""
        return len(self.numbers) == 1 and self.numbers[0].number.is_range


@lru_cache(maxsize=1 << 12)
def read(text: str, language: str = "en", decimal_comma: bool = False, shares: bool = False) -> Values:
    """Return the values in a text with number words of a language, a key of `_FUNCTION_WORDS`.

    With `decimal_comma`, 1,234 is a decimal fraction. With `shares`, "1 in 5" is a fraction.

    >>> values = read("six feet, in 1969")
    >>> values.numbers[0].unit, values.numbers[1].number.value, values.dates[0].fields
    ('foot', 1969.0, (1969, None, None))
    """
    text = with_digits(_without_roman(plain(text[:_LONGEST])), language)
    text = text if language == "en" else with_portions(text, language)
    if not _DIGIT.search(text):  # noon and midnight need none
        return Values(text, (), (), tuple(times(text, language)))
    text = _SHARE.sub(r"\1/\2", text) if shares else text
    found_dates, found_times = dates(text), times(text, language)
    years = {date.start for date in found_dates if (date.only_year or 0) >= _FIRST_YEAR}
    spans = [(date.start, date.end) for date in found_dates if date.start not in years]
    spans += [(time.start, time.end) for time in found_times]
    taken = {place for span in spans for place in range(*span)}
    mentions = _join(text, islice(_mentions(text, taken, years, decimal_comma), _MOST_NUMBERS))
    return Values(text, tuple(mentions), tuple(found_dates), tuple(found_times))


def value_of_roman(text: str) -> int | None:
    """Return the value of a text that is a Roman numeral, else None.

    >>> value_of_roman("XIV"), value_of_roman("XIVI")
    (14, None)
    """
    if not _ROMAN.fullmatch(text):
        return None
    values = [_VALUE_OF_LETTER[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


def _without_roman(text: str) -> str:
    """Return a text with digits for the Roman numerals in names, such as Apollo XI."""
    if " I" in text or " V" in text or " X" in text:
        text = _ROMAN_LETTER.sub(lambda match: f"{match[1]} {value_of_roman(match[2])}", text)
    return _ROMAN_IN_NAME.sub(lambda match: str(value_of_roman(match[0])), text)


def _mentions(text: str, taken: set[int], years: set[int], decimal_comma: bool) -> Iterator[Mention]:
    """Yield numbers with their units, except at places that are taken by dates and times."""
    end = 0
    for match in NUMBER.finditer(text):
        start = min(match.start(name) for name in _NUMBER_STARTS if match[name])
        if start < end or not taken.isdisjoint(range(start, match.end())):
            continue  # the exponent of a unit, such as m2, or part of a date
        value = number(match, decimal_comma)
        if value is None:
            continue
        currency = match["currency"] or match["currency2"] or ""
        if _AFTER_IN_FORMULA.match(text, match.end()) or _BEFORE_IN_FORMULA.search(text[max(0, start - 5) : start]):
            continue
        unit, length = unit_at(currency + text[match.end() : match.end() + LONGEST_UNIT])
        after = text[match.end() : match.end() + 1]
        if not unit and (after.isalpha() or after == "_") and after < IDEOGRAPHS:
            continue  # an identifier, such as 3D
        end = match.end() + length - len(currency)
        if unit and text[end : end + 1].isdigit():
            continue  # such as 2h15
        following = _NEXT.match(text[end : end + 40])
        bound = _BOUND.search(text[max(0, start - 30) : start].lower()) or _BOUND_AFTER.match(text[end : end + 32])
        yield Mention(
            value,
            unit,
            start,
            end,
            noun=following[1].lower() if following else "",
            ordinal=bool(match["ordinal"]),
            bound="" if bound is None else "less" if bound["less"] else "more",
            year=start in years and not unit and not currency and text[:start].rstrip()[-1:] != "=",
        )


def _join(text: str, mentions: Iterator[Mention]) -> Iterator[Mention]:
    """Yield mentions, with ranges and quantities in several units, such as 5 ft 11 in, as one."""
    waiting = next(mentions, None)
    if waiting is None:
        return
    for mention in mentions:
        between = text[waiting.end : mention.start]
        joined = _range(text, waiting, mention) if _TO.fullmatch(between) else None
        if joined is None and _JOIN.fullmatch(between):
            joined = _sum(waiting, mention)
        if joined is None:
            yield waiting
        waiting = joined or mention
    yield waiting


def _range(text: str, first: Mention, second: Mention) -> Mention | None:
    """Return the range of two numbers, such as "70-85 million"; None if they are none."""
    before = text[max(0, first.start - 12) : first.start]
    opened = "and" not in text[first.end : second.start] or _BETWEEN.search(before)
    if not opened or second.number.value < 0 or first.number.is_range or first.ordinal != second.ordinal:
        return None
    low, unit = first.number, first.unit or second.unit
    scale = _SCALE.search(text[second.start : second.end])
    if scale and not _SCALE.search(text[first.start : first.end]):
        low = low.scaled(10.0 ** int(scale[1]))
    high = convert(second.number, second.unit or unit, unit)
    if high is None or low.value >= high.value:
        return None
    return replace(second, number=replace(low, high=high.value), unit=unit, start=first.start, year=False, bound="")


def _sum(first: Mention, second: Mention) -> Mention | None:
    """Return the sum of two quantities, such as "5 ft 11 in"; None if the second is no part of the first's unit."""
    if first.unit == "foot" and second.noun in {"in", "inches"} and not second.unit:
        second = replace(second, unit="inch", end=second.end + len(" in"), noun="")
    if not first.unit or not second.unit or first.unit == second.unit:
        return None
    cents = second.unit == "uscent" and first.unit.isupper()  # of any currency
    part = second.number.scaled(0.01) if cents else convert(second.number, second.unit, first.unit)
    # "2 h 1 min 9 s", but not "5.5 ft 11 in"
    if part is None or not 0 <= part.value < min(first.number.step, 1):
        return None
    value = first.number.value + (part.value if first.number.value >= 0 else -part.value)
    total = replace(first.number, value=value, high=value, step=part.step, integer=False)
    return replace(second, number=total, unit=first.unit, start=first.start)
