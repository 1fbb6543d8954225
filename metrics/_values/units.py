"""Read the unit after a number, and convert quantities between units.

" km/h" is the unit "km/(hour)". The package `pint` defines the units; it is imported for the first conversion.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from .numbers import WrittenNumber
from .text import VOWEL_SIGNS
from .word_tables import WORDS, word_set

# Symbols with the SI prefixes in use.
_PREFIXES = {symbol: prefixes for _, kind, symbol, prefixes in WORDS if kind == "symbol"}
# Names of symbols that mean something else to `pint`.
_NAMES = {"B": "byte", "Ω": "ohm", "l": "L", "b": "bit", "pc": "parsec", "T": "tesla", "C": "coulomb"}
# Letters that are units only with a prefix, and those that are units after a space: "5 T", but "5T" is no quantity.
_NOT_ALONE = frozenset("BbTHFCKA")
_AFTER_SPACE = {"T": "tesla", "C": "degC", "F": "degF", "K": "kelvin", "A": "ampere"}
_OF_CHARGE, _MULTIPLIED = word_set("N J newton joule"), word_set("newton kilogram watt kilowatt ampere pascal volt")
_READABLE = {"year": "yr", "uscent": "¢"}
_DEGREES = {"c": "degC", "f": "degF", "k": "kelvin"}
# The file has a unit and its names, other than those derived here, in each line.
_BY_WORD = {
    word: unit
    for unit, names in re.findall("(.+)\t(.*)", Path(__file__).with_name("unit_names.tsv").read_text(encoding="utf-8"))
    for name in (unit, unit.replace("meter", "metre").replace("liter", "litre"))
    for word in (name, f"{name}s", *names.split())
}
_CURRENCIES = {unit for unit in _BY_WORD.values() if unit.isupper()}
UNIT_NAMES = _BY_WORD.keys()
"""Names of units, in the singular and plural of many languages."""
_BY_SYMBOL = {
    prefix + symbol: prefix.replace("u", "μ") + _NAMES.get(symbol, symbol)
    for symbol, prefixes in _PREFIXES.items()
    for prefix in (*prefixes, *(() if symbol in _NOT_ALONE else ("",)))
} | {"°C": "degC", "°F": "degF", "° C": "degC", "° F": "degF", "Nm": "newton*meter", "kWh": "kWh"}

_OF = re.compile(r"\s(?:of an?|eines?|d'une?|di un|de un)(?=\s)")
_SQUARE = re.compile(
    r"\s?(?:(?P<cubic>cubic|cu(?:\.|(?=[ -]))|kubik)|square|sq\.?|quadrat)[ -]?(?=[a-z])", re.IGNORECASE
)
_TEMPERATURE = re.compile(
    r"\s?(?:°|º|degrees?|deg|grad|degrés|grados|gradi)\s?"
    r"(?:on the )?(C|F|K|celsius|fahrenheit|centigrade|kelvin)\b(?!\.\w)",
    re.IGNORECASE,
)
_ATOM = re.compile(rf"[ -]?((?:US|A|C|R)\$|[^\W\d_]+(?:[{VOWEL_SIGNS}]+[^\W\d_]*)*(?:-[^\W\d_]+)?|[°%$€£¥₹₽₺₪฿৳₫Ω])")
_ENDS = re.compile(r"\s*(?:$|[.,;:)]|and\b|or\b|/)")
_POWER = re.compile(r"\s?\^?\s?\(?([-+]?\d)\)?(?![\d.,]*\d)")
_PER = re.compile(
    r"\s?/\s?|\s(?:per|pro|par|por|al|im|am)\s|\s(?:an|a)\s(?=(?:hour|sec|second|minute|day|year|week|month)\b)|\sp\.?\s?(?=h\b)"
)
_PRODUCT = re.compile(r"\s?[·*×⋅.]\s?|\s(?=[^\W\d_])")


@lru_cache(maxsize=1 << 12)
def unit_at(text: str) -> tuple[str, int]:
    """Return the unit at the start of a text as an expression of pint, and its length; `""` and 0 without one.

    >>> unit_at(" km/h on the road"), unit_at(" m^2 of"), unit_at(" bones")
    (('km/(hour)', 5), ('(m)**(2)', 4), ('', 0))
    """
    if degrees := _TEMPERATURE.match(text):
        return _DEGREES[degrees[1][0].lower()], degrees.end()
    of = _OF.match(text)
    skipped = of.end() if of else 0
    unit, length = _factor(text[skipped:])
    if not unit:
        return "", 0
    length += skipped
    divides = False
    while rest := text[length:]:
        if (per := _PER.match(rest)) and (divisor := _factor(" " + rest[per.end() :]))[0]:
            unit += "/(coulomb)" if unit in _OF_CHARGE and divisor[0] == "degC" else f"/({divisor[0]})"
            length += per.end() + divisor[1] - 1
            divides = True
        elif (
            unit != "degree"
            and (product := _PRODUCT.match(rest))
            and (factor := _factor(f" {rest[product.end() :]}", unit not in _MULTIPLIED))[0]
        ):
            unit += f"/({factor[0]})" if divides and "**(-" not in factor[0] else f"*({factor[0]})"  # J/mol·K
            length += product.end() + factor[1] - 1
        else:
            break
    return unit, length


def _factor(text: str, symbols_only: bool = False) -> tuple[str, int]:
    """Return the unit with its power at the start of a text, such as "square miles" or "m^2"."""
    if square := _SQUARE.match(text):
        name, length = _name(text[square.end() :], symbols_only)
        return (f"({name})**{3 if square['cubic'] else 2}", square.end() + length) if name else ("", 0)
    name, length = _name(text, symbols_only)
    power = _POWER.match(text[length:]) if name else None
    if power and (power[0].strip()[0] in "^-+" or not power[0][0].isspace()):
        return f"({name})**({power[1]})", length + power.end()
    return name, length


def _name(text: str, symbols_only: bool) -> tuple[str, int]:
    """Return the unit without a power at the start of a text."""
    match = _ATOM.match(text)
    if not match:
        return "", 0
    word = match[1]
    spaced = match[0][0].isspace() and _ENDS.match(text[match.end() :])
    if word in _AFTER_SPACE and (word != "K" if symbols_only else not spaced):
        return "", 0
    name = _BY_SYMBOL.get(word) or _AFTER_SPACE.get(word, "")
    if not name and not symbols_only:
        name = _BY_WORD.get(word) or (_BY_WORD.get(word.lower(), "") if len(word) > 1 else "")
    return (name, match.end()) if name else ("", 0)


@cache
def registry() -> Any:
    """Return pint's registry, which takes most of a second to build."""
    import pint

    units: Any = pint.UnitRegistry(cache_folder=None, on_redefinition="ignore")
    for currency in _CURRENCIES:
        units.define(f"{currency} = [{currency}]")
    units.define("pence = 0.01 * GBP")
    units.define("uscent = 0.01 * USD")
    units.define("basis_point = 0.01 * percent = bp")
    units.define("decibel = [level] = dB")
    return units


@lru_cache(maxsize=1 << 12)
def _conversion(unit: str, other: str) -> tuple[float, float] | None:
    """Return factor and offset from one unit to another; None if they measure different things."""
    units = registry()
    try:
        source, target = units.parse_units(unit), units.parse_units(other)
        if units.get_root_units(source)[1] != units.get_root_units(target)[1]:
            return None  # Angles, bits and shares have no dimension.
        zero, one = (float(units.Quantity(value, source).to(target).magnitude) for value in (0.0, 1.0))
    except Exception:  # pint raises many errors, for different dimensions and malformed units.
        return None
    return one - zero, zero


def same_unit(unit: str, other: str) -> bool:
    """Return whether two expressions are the same unit, such as mg and milligram."""
    return unit == other or _conversion(unit, other) == (1.0, 0.0)


def readable(unit: str) -> str:
    """Return a unit's symbol.

    >>> readable("kilometer/(hour)")
    'km/h'
    """
    symbol = _READABLE.get(unit) or f"{registry().parse_units(unit):~}"
    return symbol.replace(" ", "").replace("**", "^").replace("Δ", "")


def convert(number: WrittenNumber, unit: str, other: str) -> WrittenNumber | None:
    """Return a number in another unit; None if the units measure different things.

    >>> convert(WrittenNumber(1.0, 1.0, 1.0), "kilometer", "meter").value
    1000.0
    """
    if unit == other:
        return number
    conversion = _conversion(unit, other)
    return None if conversion is None else number.scaled(*conversion)
