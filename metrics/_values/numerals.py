"""Rewrite Russian, Polish and Turkish number words with digits; `text_to_num` does not have these languages.

"двадцать один" becomes "21", "trzeciego maja" becomes "3 maja", and "beş yüz" becomes "500".
"""

import re
from collections.abc import Iterator, Sequence

# Turkish is written without dotless letters, as `plain` returns it. Each line has a step and the words for 1, 2, 3, …
# times this step. "/" separates forms of one word.
_CARDINALS = {
    "ru": """
        1 один/одна/одно/одного/одной два/две/двух/двое три/трёх/трех/трое четыре/четырёх/четверо
        пять/пяти/пятеро шесть/шести/шестеро семь/семи/семеро восемь/восьми девять/девяти десять/десяти
        одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать
        девятнадцать
        10 - двадцать/двадцати тридцать/тридцати сорок/сорока пятьдесят шестьдесят семьдесят восемьдесят девяносто
        100 сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот
        1000 тысяча/тысячи/тысяч""",
    "pl": """
        1 jeden/jedna/jedno/jednego dwa/dwie/dwóch trzy/trzech cztery/czterech pięć/pięciu sześć/sześciu siedem/siedmiu
        osiem/ośmiu dziewięć/dziewięciu dziesięć/dziesięciu jedenaście dwanaście trzynaście czternaście piętnaście
        szesnaście siedemnaście osiemnaście dziewiętnaście
        10 - dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt
        dziewięćdziesiąt
        100 sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset
        1000 tysiąc/tysiące/tysięcy""",
    "tr": """
        1 bir iki üç dört beş alti yedi sekiz dokuz
        10 on yirmi otuz kirk elli altmış yetmiş seksen doksan
        100 yüz
        1000 bin""",
}
# Ordinals without their endings, in the same form.
_ORDINALS = {
    "ru": """
        1 перв втор трет четверт/четвёрт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат
        пятнадцат шестнадцат семнадцат восемнадцат девятнадцат
        10 - двадцат тридцат сороков пятидесят шестидесят семидесят восьмидесят девяност""",
    "pl": """
        1 pierwsz drug trzec czwart piąt szóst siódm ósm dziewiąt dziesiąt jedenast dwunast trzynast czternast
        piętnast szesnast siedemnast osiemnast dziewiętnast
        10 - dwudziest trzydziest czterdziest pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt
        dziewięćdziesiąt""",
}
_ENDINGS = {
    "ru": "ый ий ой ого его ьего ом ем ьем ому ая ья ую ое ье",
    "pl": "y i e ego iego emu iemu ym im a ia ą ią ej iej",
}
# An ordinal is a number of a date: before a month or "year", or after hundreds.
_IN_DATE = {
    "ru": r"января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|год[ауе]?",
    "pl": r"stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|rok\w*",
}
_THOUSAND, _HUNDRED = 1000, 100


def _values(table: str, endings: Sequence[str] = ("",)) -> dict[str, int]:
    values, step, number = dict[str, int](), 1, 0
    for cell in table.split():
        if cell.isdecimal():
            step, number = int(cell), 0
            continue
        number += 1
        values |= {form + ending: step * number for form in cell.split("/") for ending in endings}
    return values


_VALUES = {language: _values(table) for language, table in _CARDINALS.items()}
ORDINALS = {language: _values(table, _ENDINGS[language].split()) for language, table in _ORDINALS.items()}
"""The value of each ordinal by language."""
LANGUAGES = _VALUES.keys()


def _pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for number words, of which the last may be an ordinal."""
    cardinals = "|".join(sorted(_VALUES[language], key=len, reverse=True))
    words = rf"\b(?P<cardinals>(?:{cardinals})(?: (?:{cardinals}))*)\b"
    if language not in _ORDINALS:
        return re.compile(words, re.IGNORECASE)
    ordinals = "|".join(sorted(ORDINALS[language], key=len, reverse=True))
    last = rf"(?:{ordinals})(?: (?:{ordinals}))?"
    date = rf"\b(?P<ordinals>(?:(?:{cardinals}) )*{last})\b(?P<date> (?:{_IN_DATE[language]})\b)?"
    return re.compile(rf"{date}|{words}", re.IGNORECASE)


_PATTERNS = {language: _pattern(language) for language in LANGUAGES}


def with_numerals(text: str, language: str) -> str:
    """Return a text with digits for the number words of a language of `LANGUAGES`.

    >>> with_numerals("две тысячи двести пять", "ru"), with_numerals("dwudziestego trzeciego maja", "pl")
    ('2205', '23 maja')
    """
    return _PATTERNS[language].sub(lambda match: _digits(match, language), text)


def _digits(match: re.Match[str], language: str) -> str:
    groups = match.groupdict()
    if match[0].lower() == "bir" != match.string.lower():
        return match[0]  # the article
    words = (groups["cardinals"] or groups["ordinals"]).lower().split()
    numbers = list(_numbers([_VALUES[language].get(word) or ORDINALS[language][word] for word in words]))
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
