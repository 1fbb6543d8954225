"""Rewrite number words with digits in languages that `text_to_num` does not have, such as Russian and Swedish.

"двадцать один" becomes "21", "trzeciego maja" becomes "3 maja", and "beş yüz" becomes "500".
"""

import re
from collections.abc import Iterator, Sequence

from .word_tables import WORDS, pattern_of

# An ordinal is a number of a date: before a month or "year", or after hundreds.
_IN_DATE = {language: words for language, kind, _, words in WORDS if kind == "in_date"}
_FRACTION = re.compile(rf" (?:{pattern_of('fraction')})", re.IGNORECASE)
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


def _pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for number words. The last word may be an ordinal."""
    cardinals = "|".join(sorted(_VALUES[language], key=len, reverse=True))
    words = rf"\b(?P<cardinals>(?:{cardinals})(?: (?:{cardinals}))*)\b"
    if language not in ORDINALS:
        return re.compile(words, re.IGNORECASE)
    ordinals = "|".join(sorted(ORDINALS[language], key=len, reverse=True))
    last = rf"(?:{ordinals})(?: (?:{ordinals}))?"
    date = rf"\b(?P<ordinals>(?:(?:{cardinals}) )*{last})\b(?P<date> (?:{_IN_DATE[language]})\b)?"
    return re.compile(rf"{date}|{words}", re.IGNORECASE)


_PATTERNS = {language: _pattern(language) for language in NUMERALS}
_VALUE_OF = {language: _VALUES[language] | ORDINALS.get(language, {}) for language in NUMERALS}
_NUMERAL = {
    language: re.compile("|".join(sorted(numerals, key=len, reverse=True))) for language, numerals in _VALUE_OF.items()
}


def with_numerals(text: str, language: str) -> str:
    """Return a text with digits for the number words of a language of `NUMERALS`.

    >>> with_numerals("две тысячи двести пять", "ru"), with_numerals("dwudziestego trzeciego maja", "pl")
    ('2205', '23 maja')
    """
    return _PATTERNS[language].sub(lambda match: _digits(match, language), text)


def _digits(match: re.Match[str], language: str) -> str:
    groups = match.groupdict()
    fraction = _FRACTION.match(match.string, match.end())  # "две трети"
    if fraction or match[0].lower() == "bir" != match.string.lower():  # the article
        return match[0]
    text = (groups["cardinals"] or groups["ordinals"]).lower()
    words = _NUMERAL[language].findall(text)
    if " ".join(words) != text:
        return match[0]  # with a letter that has other forms, such as İ
    numbers = list(_numbers([_VALUE_OF[language][word] for word in words]))
    if groups["cardinals"]:
        return " ".join(map(str, numbers))
    in_date = len(numbers) == 1 and (groups["date"] or numbers[0] > _THOUSAND)
    return f"{numbers[0]}{groups['date'] or ''}" if in_date else match[0]


def _numbers(values: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of number words: 366 for 300, 60 and 6, but 5 and 6 for 5 and 6."""
    thousands = part = 0
    room = 0  # Only a smaller value continues the number.
    for value in values:
        if value == _THOUSAND and not thousands:
            thousands, part, room = _THOUSAND * (part or 1), 0, _THOUSAND
        elif value == _HUNDRED and 1 < part < 10:  # noqa: PLR2004 - "beş yüz"
            part, room = part * _HUNDRED, _HUNDRED
        elif value < room:
            part += value
            room = _below(value)
        else:
            if thousands + part:
                yield thousands + part
            thousands, part, room = 0, value, _below(value)
    yield thousands + part


def _below(value: int) -> int:
    """Return the limit of values that may follow a value: ones after tens, and tens after hundreds."""
    return next((step for step in (_HUNDRED, 10) if value % step == 0), 0)
