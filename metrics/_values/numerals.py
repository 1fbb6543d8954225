"""Rewrite number words with digits in languages that `text_to_num` does not have, such as Russian and Swedish.

"двадцать один" becomes "21", "trzeciego maja" becomes "3 maja", and "beş yüz" becomes "500".
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache

from .text import VOWEL_SIGNS
from .word_tables import WORDS, pattern_of, words_of

# An ordinal is a number of a date: before a month or "year", or after hundreds.
_IN_DATE = {language: words for language, kind, _, words in WORDS if kind == "in_date"}
_FRACTION = re.compile(rf" ?(?:{pattern_of('denominator')})", re.IGNORECASE)
# Words that are also articles, or mean something else, and plurals such as "thousands" are no numbers alone.
_ARTICLES, _PLURALS = words_of("article"), words_of("plural")
_THOUSAND, _HUNDRED = 1000, 100


def _values(kind: str) -> dict[str, dict[str, int]]:
    """Return the value of each numeral of a kind, by language."""
    endings = {language: words.split() for language, is_kind, _, words in WORDS if is_kind == "ending"}
    found = dict[str, dict[str, int]]()
    for language, is_kind, step, words in WORDS:
        if is_kind == kind:
            for number, forms in enumerate(words.split(), 1):
                for ending in endings[language] if kind == "ordinal" else ("",):
                    names = [form.replace("_", " ") for form in forms.split("/") if form != "-"]
                    found.setdefault(language, {}).update({name + ending: int(step) * number for name in names})
    return found


_VALUES = _values("cardinal")
ORDINALS = _values("ordinal")
"""The value of each ordinal by language."""
HOURS = _values("hour")
"""The hours before "past" and "to" by language."""
NUMERALS = _VALUES.keys()
"""The languages of these number words."""


_PARTS = {(language, kind): words for language, kind, _, words in WORDS if kind in {"prefix", "joiner", "suffix"}}
_JOINERS = {language: _PARTS.get((language, "joiner"), " ") for language in NUMERALS}


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for number words. The last word may be an ordinal.

    Words may have a prefix such as "and", joiners between them, and a suffix. Thai has no spaces between words.
    """
    cardinals = "|".join(sorted(_VALUES[language], key=len, reverse=True))
    start = r"(?<!\d )" if language == "th" else rf"(?<![\w{VOWEL_SIGNS}])(?<!\d )"
    end, suffix = rf"(?![\w{VOWEL_SIGNS}])", _PARTS.get((language, "suffix"))
    words = (
        rf"{start}(?P<prefix>{_PARTS.get((language, 'prefix'), '')})"
        rf"(?P<cardinals>(?:{cardinals})(?>(?:{_JOINERS[language]})(?:{cardinals}))*)"
        rf"(?:{f'(?={suffix})|' if suffix else ''}{end})"
    )
    if language not in ORDINALS:
        return re.compile(words, re.IGNORECASE)
    ordinals = "|".join(sorted(ORDINALS[language], key=len, reverse=True))
    last = rf"(?:{ordinals})(?: (?:{ordinals}))?"
    date = rf"\b(?P<ordinals>(?:(?:{cardinals}) )*{last})\b(?P<date> (?:{_IN_DATE[language]})\b)?"
    return re.compile(rf"{date}|{words}", re.IGNORECASE)


_VALUE_OF = {language: _VALUES[language] | ORDINALS.get(language, {}) for language in NUMERALS}


@cache
def _numeral(language: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(_VALUE_OF[language], key=len, reverse=True)))


def with_numerals(text: str, language: str) -> str:
    """Return a text with digits for the number words of a language of `NUMERALS`.

    >>> with_numerals("две тысячи двести пять", "ru"), with_numerals("dwudziestego trzeciego maja", "pl")
    ('2205', '23 maja')
    """
    return _pattern(language).sub(lambda match: _digits(match, language), text)


def _digits(match: re.Match[str], language: str) -> str:
    groups = match.groupdict()
    fraction = _FRACTION.match(match.string, match.end())  # "две трети"
    text = (groups["cardinals"] or groups["ordinals"]).lower()
    after = match.string[match.end() : match.end() + 1].strip()
    if fraction or text in _PLURALS or (text in _ARTICLES and not after.isalpha() and text != match.string.lower()):
        return match[0]
    words = _numeral(language).findall(text)
    if not re.fullmatch(rf"(?:{_JOINERS[language]})*", _numeral(language).sub("", text)):
        return match[0]  # with a letter that has other forms, such as İ
    numbers = list(_numbers([_VALUE_OF[language][word] for word in words], ones_first=language == "ar"))
    if groups["cardinals"]:
        before, after = groups["prefix"] and f"{groups['prefix']} ", " " if after.isalpha() else ""
        return f"{before}{' '.join(map(str, numbers))}{after}"
    in_date = len(numbers) == 1 and (groups["date"] or numbers[0] > _THOUSAND)
    return f"{numbers[0]}{groups['date'] or ''}" if in_date else match[0]


def _numbers(values: Sequence[int], ones_first: bool = False) -> Iterator[int]:
    """Yield the numbers of number words: 366 for 300, 60 and 6, but 5 and 6 for 5 and 6.

    With `ones_first`, 65 is 5 and 60.
    """
    total = part = room = 0  # Only a value smaller than `room` continues the number.
    scale = math.inf  # The last thousand or million; only a smaller one continues the number.
    for value in values:
        step = int("1" + "0" * (len(str(value)) - len(str(value).rstrip("0"))))  # 100 for 300
        if value >= _THOUSAND and step < scale and (not total + part or (part > 0) == (step == value)):
            total, part, scale, room = total + value * (part or 1), 0, step, step
        elif value == _HUNDRED and 0 < part < _HUNDRED:  # "beş yüz"
            part, room = part * _HUNDRED, _HUNDRED
        elif ones_first and 0 < part % _HUNDRED < 10 < value < _HUNDRED and value % 10 == 0:  # noqa: PLR2004
            part, room = part + value, 0
        elif value < room:
            part, room = part + value, step
        else:
            if total + part:
                yield total + part
            total, part, scale, room = 0, value, math.inf, step
    yield total + part
