"""Compare formulas by their values at random points: equal formulas have equal values.

Two polynomials that differ have different values almost everywhere (Schwartz 1980, Zippel 1979). Two equations are
equal if the solutions of one solve the other.
"""

import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

from .expressions import FUNCTIONS, SIGN, Expression, Point, read_expression
from .phrases import only_mentions
from .text import plain
from .word_tables import word_set

_LONGEST, _POINTS, _STEPS, _UNKNOWNS, _CLOSE = 200, 4, 20, 3, 1e-7  # Length is in characters.
_SIGNS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "∙": "*", "−": "-", "÷": "/", "{": "", "}": "", "_": ""})
_SCIENTIFIC = re.compile(r"(?<=\d)[eE]([-+]?\d+)\b|(?<=\d)\s?x(?=\s?10\s?\^)")
_DIVISOR = re.compile(r"(?<=\))\s?/\s?(\d+[a-z])$")  # "(x + 1) / 2a" has the divisor 2a
_FUNCTION = re.compile(r"^\W*(?:[a-zA-Z]\([a-zA-Z]\)|[Σ∑][^\W\d_])\s*=")
_LETTERS = re.compile(r"[a-zA-Z]+|[\u0370-\u03ff]+")
_OPERATOR = re.compile(
    r"[+*/^=√|(±]|(?<![a-zA-Z]{2})\s?-\s?(?![a-zA-Z]{2})|\d[a-z](?![a-z])|\d[\u0370-\u03ff]|π[a-z](?![a-z])|"
    rf"\b(?:{'|'.join(FUNCTIONS)})\b"
)
_CALL = re.compile(rf"[π√]|\b(?:pi|{'|'.join(FUNCTIONS)})")
_BETWEEN = re.compile(r"[^\w\s.+*/^()|=√±-]+|\.(?!\d)")
_NO_FORMULA = re.compile(r"\d(?:st|nd|rd|th|s)\b|\d\d\d\d|^[A-Z]+[/-][A-Z]+$|^0x")  # 14th, 1969, AC/DC, 0xFF
_SMALL_WORDS = word_set("is it so we to of in as at by or an be on if do no he my up us am go")
_ARTICLE = re.compile(r"\s?[-+*/^=)\d]")  # "a" or "I" before it is a variable.
_SYMBOL = re.compile(r"[a-zA-Z\u0370-\u03ff]{1,2}\d?")
_LONGEST_PRODUCT = 4  # Variables.

_DEFINES = re.compile(r"\b(?:where|with)\s+[^\W\d_]\d?\s?=")  # "T = 2π/ω, with ω = √(k/m)"


def compare_formula(answer: str, reference: str) -> bool | None:
    """Return whether two formulas are equal; None if one of the texts is no formula.

    >>> compare_formula("V = nRT/P", "PV = nRT"), compare_formula("2x + 3", "2x + 6"), compare_formula("six", "2x + 6")
    (True, False, None)
    """
    sides = _formula(reference)
    if not sides or _DEFINES.search(answer):
        return None
    letters, whole = {name[0] for name in _names(sides)}, _plain(answer)
    pieces = [piece for piece in _pieces(whole, letters) if letters or piece == whole]
    equations = [piece for piece in pieces if "=" in piece] if len(sides) > 1 else []
    verdicts = [(same, piece) for piece in equations or pieces if (same := _same(piece, sides, whole)) is not None]
    if len({same for same, _ in verdicts}) == 1:
        return verdicts[0][0]
    start = whole.rfind(verdicts[-1][1]) if verdicts else -1
    last = start >= 0 and verdicts[-1][0] and not only_mentions(whole, start, start + len(verdicts[-1][1]))
    return True if last else None


@lru_cache(maxsize=1 << 10)
def _formula(reference: str) -> list[Expression]:
    """Return the sides of a reference that is a formula; nothing for another reference."""
    text = _plain(reference)
    if _NO_FORMULA.search(text) or not _OPERATOR.search(text) or _pieces(text, None) != [text]:
        return []
    sides = _sides(text)
    letters = {name[0] for name in _names(sides)}
    is_formula = len(sides) > 1 or any(map(str.islower, letters)) if letters else _CALL.search(text)
    return sides if is_formula else []


@lru_cache(maxsize=1 << 10)
def may_be_constant(text: str) -> bool:
    """Return whether a text has π, √ or the name of a function."""
    return _CALL.search(_plain(text)) is not None


def constant(text: str) -> float | None:
    """Return the value of a text that is a constant with π or a function, such as 2π or √2; None for another text.

    >>> constant("sqrt(4)"), constant("4"), constant("sqrt(x)")
    (2.0, None, None)
    """
    if not may_be_constant(text):
        return None
    text = _plain(text)
    with suppress(ValueError, ArithmeticError, RecursionError):
        expression = read_expression(text)
        value = complex(0) if expression.names else expression.at({})
        return value.real if not expression.names and abs(value.imag) < _CLOSE else None
    return None


def _plain(text: str) -> str:
    """Return a formula with one form of signs; "2e3" and "2 x 10^3" are no products of variables."""
    text = _SCIENTIFIC.sub(lambda match: f"*10^({match[1]})" if match[1] else "*", plain(text[:_LONGEST]))
    text = _FUNCTION.sub("y =", text).replace("**", "^").translate(_SIGNS).strip(" \n$.,;`")
    return _DIVISOR.sub(r"/(\1)", text)


def _pieces(text: str, letters: set[str] | None) -> list[str]:
    """Return the parts of a text that may be formulas: those without words."""

    def symbols(match: re.Match[str]) -> str:
        return match[0] if _is_symbolic(match, letters) else ";"

    parts = [part.strip() for part in _BETWEEN.split(_LETTERS.sub(symbols, text))]
    return [part for part in parts if _OPERATOR.search(part)]


def _is_symbolic(match: re.Match[str], letters: set[str] | None) -> bool:
    """Return whether letters are a variable, a function, or a product of the other formula's variables."""
    word = match[0]
    if match.string[match.start() - 1 : match.start()] in {"'", "’"}:
        return False
    if word in FUNCTIONS or word == "pi":
        return True
    if len(word) == 1:
        return word not in "aI" or match.end() == len(match.string) or bool(_ARTICLE.match(match.string, match.end()))
    if letters and set(word) <= letters:
        return len(word) <= _LONGEST_PRODUCT
    if len(word) == 2:  # noqa: PLR2004
        return word.lower() not in _SMALL_WORDS or match.string[match.end() :][:1] in {"^", "*", "/"}
    return len(word) == 3 and not letters and not word.istitle() and not set("aeiouy") & set(word)  # noqa: PLR2004


def _sides(text: str) -> list[Expression]:
    """Return an expression, or both sides of an equation; nothing for another text."""
    with suppress(ValueError, RecursionError):
        sides = [read_expression(side) for side in text.split("=")]
        return sides if len(sides) <= 2 else []  # noqa: PLR2004
    return []


def _same(text: str, reference: list[Expression], whole: str) -> bool | None:
    """Compare a part of an answer with the reference; "E = mgh", "U = mgh" and "mgh" are equal."""
    answer = _sides(text)
    named = [len(sides) > 1 and _SYMBOL.fullmatch(sides[0].text) is not None for sides in (answer, reference)]
    if not answer or (len(reference) > len(answer) and not named[1]):
        return None
    left, right = (_names([answer[end], reference[end]]) for end in (0, -1))
    renamed = all(named) and bool(reference[-1].names) and left.isdisjoint(right)
    if len(answer) != len(reference) or renamed:
        answer, reference = answer[-1:], reference[-1:]
    with suppress(ValueError, ArithmeticError, RecursionError):
        if _names(answer) != _names(reference):
            answer, reference = (
                [read_expression(side.text.lower()) for side in sides] for sides in (answer, reference)
            )
        if (names := _names(answer)) != _names(reference):
            letters = [{name[0] for name in group} for group in (names, _names(reference))]  # of "x2", which may be x²
            # If both have letters of their own, these may be other names, or other quantities: C = 2πr and C = πd.
            return False if text == whole and (letters[0] < letters[1] or letters[0] > letters[1]) else None
        if len(reference) > 1:
            return _compare_solutions(answer, reference)
        return all(_gap([*answer, *reference], point)[1] < _CLOSE for point in _points(names))
    return None


def _names(sides: Sequence[Expression]) -> frozenset[str]:
    return frozenset().union(*(side.names for side in sides))


def _points(names: frozenset[str]) -> list[dict[str, complex]]:
    numbers = random.Random(0)
    return [
        {name: complex(numbers.uniform(0.5, 2), numbers.uniform(0.1, 1)) for name in sorted(names)}
        for _ in range(_POINTS)
    ]


def _gap(sides: Sequence[Expression], point: Point) -> tuple[complex, float]:
    """Return the difference of two sides at a point, and its size relative to the larger one."""
    left, right = (side.at(point) for side in sides)
    return left - right, abs(left - right) / max(abs(left), abs(right), 1e-30)


def _compare_solutions(answer: Sequence[Expression], reference: Sequence[Expression]) -> bool | None:
    """Return whether solutions of one equation solve the other; None if none is found."""
    points = _points(_names(reference))
    if any(_gap(sides, points[0])[1] < _CLOSE for sides in (answer, reference)):
        return None  # it holds everywhere
    solved = None
    for sides, others in ((reference, answer), (answer, reference)):
        solutions = [solution for point in points if (solution := _solution(sides, point)) is not None]
        if solutions and all(_gap(others, solution)[1] < _CLOSE for solution in solutions):
            return True
        solved = False if solutions else solved
    return solved


def _solution(sides: Sequence[Expression], point: Point) -> Point | None:
    """Return a solution of an equation that shares all values of a point but one, found by the secant method."""
    for name in sorted(point.keys() - {SIGN})[:_UNKNOWNS]:
        with suppress(ValueError, ArithmeticError):
            if (value := _root(lambda value: _gap(sides, {**point, name: value}), point[name])) is not None:  # noqa: B023
                return {**point, name: value}
    return None


def _root(gap: Callable[[complex], tuple[complex, float]], start: complex) -> complex | None:
    last, value = start, 1.1 * start + 0.1
    before = gap(last)[0]
    for _ in range(_STEPS):
        difference, size = gap(value)
        if size < _CLOSE / 100:
            return value
        if difference == before:
            break
        last, value, before = value, value - difference * (value - last) / (difference - before), difference
    return None
