"""Declare and check the options of metrics.

A metric's options are the fields of a frozen dataclass that derives from `Options`:

    w: float = option(0.5, Number(0, 1), "Weight of the semantic score.", key="w", control=Control("Weight"))

This line defines the check, the signature, the documentation, the entry in the card and the control of the Space.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeGuard, TypeVar

__tracebackhide__ = True  # pytest shows the message and the caller


def to_python(value: Any) -> Any:
    """Return a scalar of numpy or torch as a number of Python, torch's devices and dtypes as text, others unchanged."""
    if type(value).__module__ == "torch" and type(value).__name__ in ("device", "dtype"):
        return str(value).removeprefix("torch.")
    return value.item() if getattr(value, "shape", None) == () else value


def is_number(value: object, kinds: Any = (int, float)) -> TypeGuard[float]:
    """Return whether a value is a number, which True and False are not."""
    return isinstance(value, kinds) and not isinstance(value, bool)


@dataclass(frozen=True)
class Kind:
    """The values that an option accepts, and their description for messages and documentation."""

    expected: str
    accepts: Callable[[Any], bool]


class Number(Kind):
    """A number from `low` to `high`; without bounds, any number except NaN."""

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        bounds = "" if low is None else f" from {low:g} to {high:g}"
        least, most = (float("-inf"), float("inf")) if low is None or high is None else (low, high)
        super().__init__(f"a number{bounds}", lambda value: is_number(value) and least <= value <= most)
        self.low, self.high = low, high


FLAG = Kind("True or False", lambda value: isinstance(value, bool))


POSITIVE = Kind("a number above 0", lambda value: is_number(value) and 0 < value < float("inf"))


class Whole(Kind):
    """A whole number of at least `low` and at most `high`."""

    def __init__(self, low: int = 1, high: float = float("inf")) -> None:
        expected = "a positive whole number" if low == 1 else f"a whole number of at least {low}"
        most = "" if high == float("inf") else f", at most {high}"
        super().__init__(expected + most, lambda value: is_number(value, int) and low <= value <= high)
        self.low = low


class Choice(Kind):
    """One of several constants."""

    def __init__(self, *values: Any) -> None:
        # Compare types, because 0 equals False, and comparing an array returns an array.
        super().__init__(
            f"one of {', '.join(map(str, values))}",
            lambda value: any(type(value) is type(choice) and value == choice for choice in values),
        )
        self.values = values


class Text(Kind):
    """A text that fully matches a pattern; `expected` describes it."""

    def __init__(self, expected: str, pattern: str = ".+") -> None:
        matches = re.compile(pattern, re.DOTALL).fullmatch
        super().__init__(expected, lambda value: isinstance(value, str) and bool(matches(value)))


class Place(Kind):
    """A folder or file, or the name of something on the Hub."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected, lambda value: isinstance(value, (str, os.PathLike)) and bool(os.fspath(value)))


@dataclass(frozen=True)
class Control:
    """The control of an option in a Space: a slider for a number, else a list of choices."""

    label: str  # the label on the page
    most: int | None = None  # the maximum of the slider, for a number without an upper bound
    # The text for each value, the initial value first (default: the values of a choice).
    values: Mapping[Any, str] | None = None
    info: str | None = None  # the line below the label (default: the option's help)


@dataclass(frozen=True)
class Declaration:
    """The declaration of an option."""

    default: Any
    kind: Kind
    help: str  # one line that starts with a verb
    key: str | None = None  # its name in the signature; None for an option that does not change scores
    always: bool = False  # whether the signature includes its default
    optional: bool = False  # whether it may be None
    default_text: str = ""  # the text of the default in the documentation
    control: Control | None = None  # its control in a Space; None for no control


def option(default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """Declare an option as a field of a dataclass; the arguments are those of `Declaration`.

    By default, an option may be None only if None is its default.
    """
    usual: dict[str, Any] = {"optional": default is None, "default_text": "" if default is None else str(default)}
    return field(default=default, metadata={"option": Declaration(default, kind, help, **(usual | more))})


@dataclass(frozen=True)
class Options:
    """Base class of a metric's options. Raises ValueError for an invalid value, or if options conflict."""

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            value = to_python(getattr(self, name))
            object.__setattr__(self, name, value)  # the dataclass is frozen
            if not (value is None and declared.optional) and not declared.kind.accepts(value):
                listed = isinstance(value, str) and declared.kind.accepts([value])
                hint = f'; write {name}=[{value!r}] (in a shell: "{name}=[{value!r}]")' if listed else ""
                raise ValueError(f"{name} is {value!r}; expected {declared.kind.expected}{hint}")
        self.check()

    def check(self) -> None:
        """Raise ValueError if options conflict."""

    def settings(self) -> dict[str, object]:
        """Return the signature's values by key; None leaves an option out."""
        declared = declarations(type(self)).items()
        return {
            option.key: getattr(self, name) if option.always or getattr(self, name) != option.default else None
            for name, option in declared
            if option.key
        }


O = TypeVar("O", bound=Options)  # noqa: E741


def declarations(options: type[Options]) -> dict[str, Declaration]:
    """Return the options of a class by name, in order of declaration."""
    return {field.name: field.metadata["option"] for field in fields(options)}


def build_options(metric: str, options: type[O], given: Mapping[str, Any]) -> O:
    """Return the options with the values in `given`; errors start with the metric's name."""
    try:
        return options(**{name: given[name] for name in declarations(options) if name in given})
    except (ValueError, FileNotFoundError) as error:
        raise type(error)(f"{metric}: {error}") from error
