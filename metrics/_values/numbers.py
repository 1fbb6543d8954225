"""Find numbers in a text, and compare them within the precision in which they are written.

9.8 equals 9.81, because it is written with one decimal, but 9.7 does not.
"""

import re
from dataclasses import dataclass
from math import isclose

_ROUNDED = 0.03  # Largest relative difference of numbers that are equal when rounded.
_SCALES = frozenset({0, 6, 9, 12})  # Exponents of one, million, …, whose digits are exact.
_APPROXIMATE = 0.015  # Largest relative difference of converted and approximate numbers.
_EXACT = 100  # Largest factor of a conversion that people compute exactly.
_LARGEST_POWER = 300  # Largest number of digits, and largest power of ten.
_THOUSANDS = 3  # Digits between separators.


@dataclass(frozen=True)
class WrittenNumber:
    """A number, or a range of numbers.

    Attributes:
        value: The number, or the lower bound of a range.
        high: The upper bound; equal to `value` unless it is a range.
        step: The value of one unit in its last digit; 0 for a fraction.
        approximate: Whether it is written as a power of ten or comes after a word like "about".
        integer: Whether it is written as an integer.
    """

    value: float
    high: float
    step: float
    approximate: bool = False
    integer: bool = False

    @property
    def is_range(self) -> bool:
        """Whether it is a range."""
        return self.high != self.value

    def scaled(self, factor: float, offset: float = 0.0) -> "WrittenNumber":
        """Return the number times a factor, plus an offset. Whole factors up to 100, and their inverses, are exact."""
        if (factor, offset) == (1, 0):
            return self
        value, high = self.value * factor + offset, self.high * factor + offset
        ratio = max(abs(factor), 1 / abs(factor))
        exact = not offset and ratio <= _EXACT and isclose(ratio, round(ratio))
        return WrittenNumber(value, high, self.step * abs(factor), self.approximate or not exact)


def equal(answer: WrittenNumber, reference: WrittenNumber, tolerance: float | None = None) -> bool:
    """Return whether two numbers are equal within the precision of the less precise one.

    They may differ by half a unit of its last digit, but by at most 3%. Converted and approximate numbers may differ by
    1.5%. Ranges are equal if both bounds are; a number equals a range if it lies in it. With `tolerance`, only the
    relative difference counts.

    >>> nine = WrittenNumber(9.81, 9.81, 0.01)
    >>> equal(WrittenNumber(9.8, 9.8, 0.1), nine), equal(WrittenNumber(9.7, 9.7, 0.1), nine)
    (True, False)
    """
    if reference.is_range and not answer.is_range:
        return reference.value <= answer.value <= reference.high
    approximate = answer.approximate or reference.approximate
    exact = answer.integer and reference.integer and not approximate
    approximate = approximate and not 0 < answer.step == reference.step < 1  # "about 13.4%" for 13.5%
    for left, right in ((answer.value, reference.value), (answer.high, reference.high)):
        size = abs(right)
        if tolerance is not None:
            allowed = tolerance * size
        elif exact:
            allowed = 0.0
        else:
            allowed = min(max(answer.step, reference.step) / 2, _ROUNDED * size)
            allowed = max(allowed, _APPROXIMATE * size) if approximate else allowed
        rounding = 0.0 if exact and tolerance is None else 1e-12 * max(size, abs(left))
        if abs(left - right) > allowed + rounding:
            return False
    return True


_ABOUT = (
    r"about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|closer?\ to|just\ (?:over|under)|"
    r"c\.|over|more\ than|ungefähr|etwa|rund|knapp|gut|environ|unos|unas|около|примерно"
)
NUMBER = re.compile(
    rf"""
    (?P<about>\b(?i:{_ABOUT})\s+ | [~≈]\s?)?
    (?P<currency>US\$|[ACR]\$|[$€£¥₹])?\s?
    (?<![\w.])(?<![a-zA-Z]-)(?P<sign>(?<![\w)\]%])[-+](?=[\d.($€£]))?\s?(?P<currency2>[$€£¥₹])?
    (?:
        (?P<whole>\d+)\s+(?:and\s+)?(?P<top>\d+)/(?P<bottom>\d+)(?![\d/])
        | \(?(?P<over>\d+(?:\.\d+)?)\)?\s?/\s?\(?(?P<under>\d+(?:\.\d+)?)\)?(?![\d/])
        | (?P<base>\d{{1,4}})\s?\^\s?\(?(?P<of_base>[-+]?\d{{1,2}})(?!\d)\)?
        | (?P<digits>
            \d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?
            | \d{{1,2}}(?:,\d\d)+,\d{{3}}(?:\.\d+)?  # 1,25,000 in India
            | \d{{1,3}}(?:\.\d{{3}})+(?:,\d+)?
            | \d{{1,3}}(?:'\d{{3}})+(?!\d)(?:[.,]\d+)?
            | \d+(?:[.,]\d+)?
            | \.\d+
        )(?![.,]?\d)
    )
    (?:\s?[×x*]\s?10\s?\^\s?\(?(?P<power>[-+]?\d{{1,3}})\)? | [eE](?P<exponent>[-+]?\d{{1,3}})(?!\w))?
    (?P<ordinal>(?:st|nd|rd|th)\b)?
    """,
    re.VERBOSE,
)
"""A number in digits, with its sign, currency, fraction, power of ten and ordinal ending."""


def number(match: re.Match[str], decimal_comma: bool) -> WrittenNumber | None:
    """Return the number of a match of `NUMBER`; None for a division by zero or a number that is too large.

    With `decimal_comma`, a single comma before three digits is a decimal comma.
    """
    sign = -1 if match["sign"] == "-" else 1
    approximate = bool(match["about"])
    if match["base"] is not None:
        return _power(int(match["base"]), int(match["of_base"]), sign)
    power = int(match["power"] or match["exponent"] or 0)
    if max(len(match["digits"] or ""), abs(power)) > _LARGEST_POWER:
        return None
    if match["digits"] is None:
        top, bottom = float(match["top"] or match["over"]), float(match["bottom"] or match["under"])
        if not bottom:
            return None
        value = sign * (float(match["whole"] or 0) + top / bottom) * 10.0**power
        return WrittenNumber(value, value, 0.0, approximate)
    digits = _decimal(match["digits"], decimal_comma)
    value = sign * float(f"{digits}e{power}")
    step = 10.0 ** (power - len(digits.partition(".")[2]))
    if approximate and "." not in digits:
        step *= 10.0 ** (len(digits) - len(digits.rstrip("0")))  # "about 190"
    return WrittenNumber(
        value, value, step, approximate or power not in _SCALES, integer="." not in digits and not power
    )


def _power(base: int, exponent: int, sign: int) -> WrittenNumber | None:
    """Return a power; None if it is too large. Large powers of ten are approximate, as in "about 10^5"."""
    if abs(exponent) * len(str(base)) > _LARGEST_POWER or not base:
        return None
    value = sign * float(base) ** exponent
    rounded = base == 10 and abs(exponent) > _THOUSANDS  # noqa: PLR2004
    return WrittenNumber(value, value, value if rounded else 0.0, rounded, integer=not rounded and exponent >= 0)


def _decimal(digits: str, decimal_comma: bool) -> str:
    """Return digits with a decimal point and without separators of thousands."""
    digits = digits.replace("'", "")
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        whole, fraction = digits.rsplit("." if digits.rfind(".") > digits.rfind(",") else ",", 1)
        return f"{whole.replace('.', '').replace(',', '')}.{fraction}"
    mark = "." if points else ","
    if points + commas > 1:
        return digits.replace(mark, "")
    before, _, after = digits.partition(mark)
    thousands = len(after) == _THOUSANDS and before not in {"", "0"} and (mark == ",") != decimal_comma
    return before + after if thousands else digits.replace(",", ".")
