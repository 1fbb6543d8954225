"""Compare formulas by their values at random points, which equal formulas share.

A formula is parsed by Python's own parser and evaluated over complex numbers, with few operators and functions. Two
polynomials that differ have different values almost everywhere (Schwartz 1980, Zippel 1979). Unlike a computer algebra
system, this has no cases that take minutes.
"""

import ast
import cmath
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

from .text import plain

_SIGNS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "−": "-", "θ": "t", "√": "√", "±": "?"})
_LONGEST, _POINTS, _CLOSE, _POWER = 200, 6, 1e-7, 60
_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt, "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "exp": cmath.exp, "log": cmath.log,
    "ln": cmath.log, "abs": abs,
}  # fmt: skip
_CONSTANTS = {"pi": cmath.pi, "e": cmath.e}
_FUNCTION = "sqrt|sin|cos|tan|exp|log|ln|abs|pi"
_TOKEN = re.compile(rf"{_FUNCTION}|[a-zA-Z]|\d+(?:\.\d+)?|\.\d+|\*\*|[-+*/(),=^|]")
# Numbers, operators, and at most two variables in a row.
_PART = rf"(?:(?<![a-zA-Z])(?:{_FUNCTION})(?![a-zA-Z])|(?<![a-zA-Z])[a-zA-Z]{{1,2}}(?![a-zA-Z'])|[\d.+*/^()|=√-]|\s)"
_FORMULA = re.compile(rf"{_PART}+")
_OPERATOR = re.compile(r"[+*/^=√|(]|(?<![a-zA-Z]{2})\s?-\s?(?![a-zA-Z]{2})|\d[a-z](?![a-z])|sqrt")
_WORD = re.compile(
    r"\b(?:[Ii]s|[Ii]t|[Ss]o|[Ww]e|to|of|in|as|at|by|or|an|be|on|if|do|no|he|my|up|us|am|the|I|a(?!\s?[-+*/^=)\d]))\b(?!\s?[\^*/])"
)
_SENTENCE = re.compile(r"\b(?:it|is)\b(?!\s?[\^*/])", re.IGNORECASE)
_CALLS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(ln|log|sqrt)\s?\|([^|]+)\|", r"\1(abs(\2))"),
        (r"\|([^|]+)\|", r"abs(\1)"),
        ("√", "sqrt"),
        (r"sqrt\s*(\d+(?:\.\d+)?|[a-z])(?!\w*\()", r"sqrt(\1)"),
        (r"\b(sin|cos|tan|ln|log|exp)\s+(\d*[a-z])\b", r"\1(\2)"),
    )
)
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th|s)\b|\d\d\d\d")


def formula(text: str) -> str | None:
    """Return a formula in Python's notation, with both sides of an equation; None for a text that is no formula.

    >>> formula("2x + 6"), formula("the answer"), formula("y = 3x")
    ('2*x+6', None, 'y-(3*x)')
    """
    text = _plain(text)
    if not _FORMULA.fullmatch(text) or not _OPERATOR.search(text) or _ORDINAL.search(text):
        return None
    sides = text.split("=")
    if len(sides) > 2 or not all(map(str.strip, sides)):  # noqa: PLR2004
        return None
    written = [_python(side) for side in sides]
    return written[0] if len(written) == 1 else f"{written[0]}-({written[1]})"


def _python(text: str) -> str:
    """Return a side of a formula with Python's operators, a call for each function, and no implicit products."""
    for pattern, replacement in _CALLS:
        text = pattern.sub(replacement, text)
    tokens = _TOKEN.findall(text)
    written = []
    for token, following in pairwise([*tokens, ""]):
        written.append("**" if token == "^" else token)
        ends = token == ")" or (token[-1].isalnum() and token not in _FUNCTIONS)
        if ends and (following == "(" or following[:1].isalnum() or following[:1] == "."):
            written.append("*")
    return "".join(written)


def same_formula(answer: str, reference: str) -> bool | None:
    """Return whether two formulas are equal; None if one of the texts is no formula.

    >>> same_formula("2(x+3)", "2x + 6"), same_formula("2x + 3", "2x + 6"), same_formula("y = 2 + 3x", "y = 3x + 2")
    (True, False, True)
    """
    wanted = formula(reference)
    if wanted is None or not re.search(r"[a-z]", wanted):
        return None
    for text in _candidates(answer, "=" in reference):
        given = formula(text)
        if given is None:
            continue
        with suppress(ValueError, SyntaxError, LookupError, ArithmeticError, RecursionError, MemoryError):
            return _same(given, wanted, "=" in reference and "=" in text)
    return None


def _plain(text: str) -> str:
    text = plain(text[:_LONGEST]).translate(_SIGNS).replace("π", " pi ")
    return text.strip().strip("$.,;` ").strip()


def _candidates(answer: str, equation: bool) -> Iterator[str]:
    """Yield the parts of an answer that may be formulas, the longest first."""
    if (equation or "=" not in answer) and not _SENTENCE.search(answer):
        yield answer
    found = [part.strip() for part in _FORMULA.findall(_WORD.sub(";", _plain(answer))) if _OPERATOR.search(part)]
    if not equation:
        found = [part.rpartition("=")[2].strip() for part in found]
    yield from sorted(found, key=len, reverse=True)


def _same(given: str, wanted: str, equations: bool) -> bool | None:
    trees = [ast.parse(text, mode="eval").body for text in (given, wanted)]
    names = [_variables(tree) for tree in trees]
    if names[0] != names[1]:
        if {name.lower() for name in names[0]} != {name.lower() for name in names[1]}:
            return False
        trees = [ast.parse(text.lower(), mode="eval").body for text in (given, wanted)]
        names = [_variables(tree) for tree in trees]
    numbers = random.Random(0)
    ratios = []
    for _ in range(_POINTS):
        point = {name: complex(numbers.uniform(0.5, 2), numbers.uniform(0.1, 1)) for name in sorted(names[1])}
        left, right = (_value(tree, point) for tree in trees)
        if equations:
            # Equations are equal if one is a multiple of the other.
            ratios.append(left / right)
        elif abs(left - right) > _CLOSE * max(abs(left), abs(right), 1):
            return False
    return all(abs(ratio - ratios[0]) < _CLOSE * max(abs(ratio), 1) for ratio in ratios) if equations else True


def _variables(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _FUNCTIONS.keys() - _CONSTANTS.keys()


def _value(node: ast.AST, point: dict[str, complex]) -> complex:
    """Return the value of an expression at a point; raise ValueError for anything but arithmetic."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return complex(number)
        case ast.Name(id=name):
            return point[name] if name in point else complex(_CONSTANTS[name])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, point)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, point)
        case ast.BinOp(left=first, op=operator, right=second):
            return _binary(operator, _value(first, point), _value(second, point))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _FUNCTIONS:
            return complex(_FUNCTIONS[name](_value(inner, point)))
    raise ValueError("not a formula")


def _binary(operator: ast.operator, left: complex, right: complex) -> complex:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow() if abs(right) <= _POWER:
            return left**right
    raise ValueError("not a formula")
