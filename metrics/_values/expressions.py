"""Read a formula in mathematical notation, and evaluate it at points of the complex plane.

Unlike a computer algebra system, this has no cases that take minutes, and no text runs as code.
"""

import cmath
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Point = Mapping[str, complex]
Value = Callable[[Point], complex]
FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt, "√": cmath.sqrt, "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "exp": cmath.exp,
    "log": cmath.log, "ln": cmath.log, "abs": abs, "sec": lambda x: 1 / cmath.cos(x), "csc": lambda x: 1 / cmath.sin(x),
    "cot": lambda x: 1 / cmath.tan(x),
}  # fmt: skip
SIGN = "±"
"""Also the name of the variable that stands for its +1 or -1. Equal formulas are equal for any value of it."""
_CONSTANTS = {"π": cmath.pi, "pi": cmath.pi, "e": cmath.e}
_TOKEN = re.compile(
    rf"\s*({'|'.join((*FUNCTIONS, 'pi'))}|[a-zA-Z\u0370-\u03ff]\d*|\d+(?:\.\d+)?|\.\d+|[-+*/^()|{SIGN}]|\S|$)"
)
_LARGEST_POWER = 60


@dataclass(frozen=True)
class Expression:
    """An expression, such as one side of an equation.

    Attributes:
        text: The expression as it is written.
        names: Its variables. A variable is a letter, which may have a number.
        at: Returns its value at a point, the values of its variables. Raises ArithmeticError or ValueError if it has
            none.
    """

    text: str
    names: frozenset[str]
    at: Value


def read_expression(text: str) -> Expression:
    """Read an expression. A product needs no sign, and √ and other functions need no parentheses.

    Raises:
        ValueError: The text is no expression.

    >>> read_expression("2x sin^2 x").at({"x": cmath.pi / 2}).real == cmath.pi
    True
    """
    reader = _Reader(text)
    return Expression(text.strip(), frozenset(reader.names), reader.expression)


class _Reader:
    """A recursive descent over sums, products, signs, powers and atoms."""

    def __init__(self, text: str) -> None:
        self.names: set[str] = set()
        self._tokens = _TOKEN.findall(text)[::-1]
        self._bars = 0  # "|" that are not yet closed.
        self.expression = self._sum()
        if self._next:
            raise ValueError(f"{text!r} is no expression")

    @property
    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def _take(self, symbols: str) -> str:
        return self._tokens.pop() if self._next and self._next in symbols else ""

    def _sum(self) -> Value:
        total = self._product()
        while symbol := self._take("+-±"):
            total = _combine(operator.sub if symbol == "-" else operator.add, total, self._after(symbol, self._product))
        return total

    def _product(self) -> Value:
        total = self._signed()
        while self._next not in {"", ")", "+", "-", SIGN} and not (self._next == "|" and self._bars):
            divides = self._take("*/") == "/"
            total = _combine(operator.truediv if divides else operator.mul, total, self._signed())
        return total

    def _signed(self) -> Value:
        if symbol := self._take("+-±"):
            inner = self._after(symbol, self._signed)
            return _combine(operator.sub, lambda point: 0, inner) if symbol == "-" else inner
        return self._power()

    def _after(self, symbol: str, part: Callable[[], Value]) -> Value:
        if symbol != SIGN:
            return part()
        self.names.add(SIGN)
        return _combine(operator.mul, lambda point: point[SIGN], part())

    def _power(self) -> Value:
        base = self._atom()
        return _combine(_power, base, self._signed()) if self._take("^") else base

    def _atom(self) -> Value:
        token = self._tokens.pop() if self._tokens else ""
        if token in FUNCTIONS:
            return self._call(token)
        if token in {"(", "|"}:
            self._bars += token == "|"
            inner = self._sum()
            if not self._take(")" if token == "(" else "|"):
                raise ValueError("a bracket is open")
            self._bars -= token == "|"
            return inner if token == "(" else lambda point: complex(abs(inner(point)))
        if token in _CONSTANTS:
            return lambda point: complex(_CONSTANTS[token])
        if token[:1].isalpha():
            self.names.add(token)
            return lambda point: point[token]
        number = complex(float(token))
        return lambda point: number

    def _call(self, name: str) -> Value:
        """Read what follows the name of a function: "(x + 1)", "2x", or "^2 x"."""
        exponent = self._atom() if self._take("^") else None
        argument = self._atom()
        while name not in {"sqrt", "√"} and (self._next[:1].isalnum() and self._next not in FUNCTIONS):
            argument = _combine(operator.mul, argument, self._power())
        value = FUNCTIONS[name]
        called = lambda point: complex(value(argument(point)))  # noqa: E731
        return called if exponent is None else _combine(_power, called, exponent)


def _combine(operation: Callable[[complex, complex], complex], left: Value, right: Value) -> Value:
    return lambda point: operation(left(point), right(point))


def _power(base: complex, exponent: complex) -> complex:
    if abs(exponent) > _LARGEST_POWER:
        raise ValueError(f"the exponent {exponent} is too large")
    return base**exponent
