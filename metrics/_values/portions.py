"""Rewrite fractions of units, prices and times of day in the words of other languages than English.

"eine halbe Stunde" becomes "1/2 Stunde", "7 euros 50" becomes "7.50 euros", and "wpół do ósmej" becomes "7:30".
"""

import re
from collections.abc import Callable

from .numerals import HOURS, ORDINALS
from .text import Replacement
from .units import UNIT_NAMES
from .word_tables import WORDS

_A_UNIT = rf"(?=(?:{'|'.join(name for name in UNIT_NAMES if name.isalpha() and len(name) > 1)})\b)"
_ORDINALS = {language: "|".join(sorted(words, key=len, reverse=True)) for language, words in ORDINALS.items()}
_LAST_HOUR, _RELATIVE = 12, re.compile(r"\bza \S+ $|\bpo $")


def _price(match: re.Match[str]) -> str:
    """Return "7.50 euros" for "7 euros 50", and 7.05 for "7 euros 5 cents"."""
    whole, unit, part, named = match.groups()
    goes_on = match.string[match.end() :].lstrip()[:1].isalnum()  # "20 euros 15 minutes"
    return f"{whole}.{part:0>2} {unit}" if named or (len(part) > 1 and not goes_on) else match[0]


def _clock(hour: int, minutes: int) -> str:
    total = (60 * hour + minutes) % (12 * 60)
    return f"{total // 60 or 12}:{total % 60:02}"


def _at_ordinal(language: str, minutes: int) -> Callable[[re.Match[str]], str]:
    """Return a function that gives the time in minutes after the hour that an ordinal names."""

    def clock(match: re.Match[str]) -> str:
        hour, before = ORDINALS[language][match[1].lower()], match.string[: match.start()].lower()
        relative = hour > _LAST_HOUR or _RELATIVE.search(before)  # "za pięć wpół do ósmej"
        return match[0] if relative else _clock(hour, minutes)

    return clock


def _turkish_clock(match: re.Match[str]) -> str:
    hour, minutes, direction = (
        HOURS["tr"][match[2].lower()] + (10 if match[1] else 0),
        match[3].lower(),
        match[4].lower(),
    )
    after = 15 if minutes == "çeyrek" else int(minutes)
    return _clock(hour, after if direction.startswith("g") else -after)


_PORTIONS: list[tuple[str, Replacement]] = [
    (pattern.replace("UNIT", _A_UNIT), replacement) for _, kind, replacement, pattern in WORDS if kind == "portion"
]
_REWRITINGS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        *_PORTIONS,
        (
            r"\b(\d+) (euros?|franken|francs?|reais|real|złot\w*|zł|рубл\w*|руб|lira|tl)(?: (?:und|et|con|y|e|i|и))? "
            r"(\d\d?)(?: (c[eéê]nt\w*|grosz\w*|копе\w*|kuruş))?\b(?!\.?\w| ?%)",
            _price,
        ),
        (rf"\bwpół do ({_ORDINALS['pl']})\b", _at_ordinal("pl", -30)),
        (rf"\bkwadrans po ({_ORDINALS['pl']})\b", _at_ordinal("pl", 15)),
        (rf"\bza kwadrans ({_ORDINALS['pl']})\b", _at_ordinal("pl", -15)),
        (rf"\bполовин[аеу] ({_ORDINALS['ru']})\b", _at_ordinal("ru", -30)),
        (rf"\bчетверть ({_ORDINALS['ru']})\b", _at_ordinal("ru", -45)),
        (r"\bбез четверти (\d\d?)\b", lambda match: _clock(int(match[1]), -15)),
        (rf"\b(10 )?({'|'.join(HOURS['tr'])}) (çeyrek|\d\d?) (geç\w*|kala|var)\b", _turkish_clock),
        (r"\b(\d\d?) 1/2[td][ae]\b", r"\1:30"),
    )
)


def with_portions(text: str) -> str:
    """Return a text with digits for portions. Its language is not English, and its number words are already digits.

    >>> with_portions("1 demi-heure"), with_portions("7 Euro 50"), with_portions("wpół do ósmej")
    ('1/2 heure', '7.50 Euro', '7:30')
    """
    for pattern, replacement in _REWRITINGS:
        text = pattern.sub(replacement, text)
    return text
