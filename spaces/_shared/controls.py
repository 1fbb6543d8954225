"""The controls of the page, made from what the metric declares of its options."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .declared import module, options_class
from .limits import Refusal, shown


@dataclass(frozen=True)
class Slider:
    """An option that is a number. Whole steps make it a whole number."""

    name: str
    label: str
    info: str
    default: float
    low: float
    high: float
    step: float

    @property
    def shown(self) -> float:
        """The default as the slider shows it: 2/3 as 0.67."""
        opens: float = self.type(round(self.default, 2))
        return opens

    @property
    def type(self) -> type:
        """`int` if the steps are whole, else `float`."""
        return int if self.step == int(self.step) else float

    def value(self, given: Any) -> float:
        """Return the option's value; where the slider was not moved, the exact default.

        Raises:
            Refusal: it is no number, or out of range.
        """
        numeric = isinstance(given, (int, float)) and not isinstance(given, bool) and self.low <= given <= self.high
        if not numeric or self.type(given) != given:
            whole = "whole " if self.type is int else ""
            expected = f"a {whole}number from {self.low:g} to {self.high:g}"
            raise Refusal(f"{self.name}: expected {expected}, not {shown(given)}.")
        value: float = self.type(self.default if given == self.shown else given)
        return value


@dataclass(frozen=True)
class Choice:
    """An option that is one of several values; `labels` says what the page shows for each.

    The page hands over a value as a text; a program may hand over the value itself, such as False.
    """

    name: str
    label: str
    info: str
    default: Any
    labels: Mapping[Any, str]

    @property
    def shown(self) -> str:
        """The first value, which stands for the default."""
        return str(next(iter(self.labels)))

    @property
    def type(self) -> Any:
        """`str`."""
        return str

    def value(self, given: Any) -> Any:
        """Return the option's value; raises Refusal if there is none such."""
        if given == self.shown:
            return self.default
        for value in self.labels:
            if given == str(value) or (type(given) is type(value) and given == value):
                return value
        raise Refusal(f"{self.name}: expected one of {', '.join(map(str, self.labels))}, not {shown(given)}.")


def controls(folder: Path) -> list[Slider | Choice]:
    """Return the controls that a metric's options declare, in their order."""
    kinds = module(folder, "arguments")
    found: list[Slider | Choice] = []
    for name, declared in kinds.declarations(options_class(folder)).items():
        control, kind = declared.control, declared.kind
        if control is None:
            continue
        told = (name, control.label, declared.help if control.info is None else control.info, declared.default)
        if isinstance(kind, (kinds.Number, kinds.Whole)):
            high = kind.high if control.most is None else control.most
            found.append(Slider(*told, kind.low, high, 1 if isinstance(kind, kinds.Whole) else 0.01))
        else:
            found.append(Choice(*told, control.values or {value: str(value) for value in kind.values}))
    return found
