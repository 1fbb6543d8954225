"""Rewrite fractions of units, prices and times of day in the words of other languages than English.

"eine halbe Stunde" becomes "1/2 Stunde", "7 euros 50" becomes "7.50 euros", and "wpół do ósmej" becomes "half 8".
"""

import re
from functools import cache

from .numerals import HOURS, ORDINALS
from .text import Replacement
from .units import UNIT_NAMES
from .word_tables import WORDS

_LONG_NAMES = (name for name in UNIT_NAMES if len(name) > 1 and (name.isalpha() or not name.isascii()))
_A_UNIT = rf"(?=(?:{'|'.join(_LONG_NAMES)})(?!\w))"
_LAST_HOUR = 12
# The names of hours, which are ordinals in some languages.
_HOURS = {
    language: {name: hour for name, hour in names.items() if hour <= _LAST_HOUR}
    for language, names in (ORDINALS | HOURS).items()
}


def _price(match: re.Match[str]) -> str:
    """Return "7.50 euros" for "7 euros 50", and 7.05 for "7 euros 5 cents"."""
    whole, unit, part, named = match.groups()
    goes_on = match.string[match.end() :].lstrip()[:1].isalnum()  # "20 euros 15 minutes"
    return f"{whole}.{part:0>2} {unit}" if named or (len(part) > 1 and not goes_on) else match[0]


def _clock(hour: int, minutes: int) -> str:
    total = (60 * hour + minutes) % (12 * 60)
    return f"{total // 60 or 12}:{total % 60:02}"


def _turkish_clock(match: re.Match[str]) -> str:
    hour, minutes, direction = (
        HOURS["tr"][match[2].lower()] + (10 if match[1] else 0),
        match[3].lower(),
        match[4].lower(),
    )
    after = 15 if minutes == "çeyrek" else int(minutes)
    return _clock(hour, after if direction.startswith("g") else -after)


def _portion(language: str, replacement: str, pattern: str) -> tuple[str, str, Replacement]:
    """Return language, pattern and replacement of a row. HOUR is the name of an hour, as in "půl HOUR" for "half 9"."""
    hours = _HOURS.get(language, {})
    pattern = pattern.replace("UNIT", _A_UNIT).replace("HOUR", "|".join(sorted(hours, key=len, reverse=True)))
    if "HOUR" not in replacement:
        return language, pattern, replacement
    return language, pattern, lambda match: replacement.replace("HOUR", str(hours[match[1].lower()]))


_REWRITINGS: tuple[tuple[str, str, Replacement], ...] = (
    *(_portion(language, replacement, words) for language, kind, replacement, words in WORDS if kind == "portion"),
    (
        "-",
        r"\b(\d+) (euros?|franken|francs?|reais|real|złot\w*|zł|рубл\w*|руб|lira|tl)(?: (?:und|et|con|y|e|i|и))? "
        r"(\d\d?)(?: (c[eéê]nt\w*|grosz\w*|копе\w*|kuruş))?\b(?!\.?\w| ?%)",
        _price,
    ),
    ("tr", rf"\b(10 )?({'|'.join(HOURS['tr'])}) (çeyrek|\d\d?) (geç\w*|kala|var)\b", _turkish_clock),
    ("tr", r"\b(\d\d?) 1/2[td][ae]\b", r"\1:30"),
)


@cache
def _rewritings(language: str) -> list[tuple[re.Pattern[str], Replacement]]:
    found = [(pattern, replacement) for of, pattern, replacement in _REWRITINGS if of in {"-", language}]
    return [(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in found]


def with_portions(text: str, language: str) -> str:
    """Return a text with digits for portions. Its language is not English, and its number words are already digits.

    >>> with_portions("1 demi-heure", "fr"), with_portions("7 Euro 50", "de"), with_portions("wpół do ósmej", "pl")
    ('1/2 heure', '7.50 Euro', 'half 8')
    """
    for pattern, replacement in _rewritings(language):
        text = pattern.sub(replacement, text)
    return text
