"""The parts of a Space that its metric declares: the card, and the options as sliders and drop-downs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from huggingface_hub import RepoCard

from evaluate_qa.loading import METRICS
from evaluate_qa.metrics._shared.options import Number, Options, Whole, declarations, is_number

from ..visitors.limits import Refusal, shown

_LINK_TO_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


def read_card(metric: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text of a metric's card, without links to files that the page lacks."""
    card = RepoCard.load(METRICS / metric / "README.md")
    return card.data.to_dict(), _LINK_TO_FILE.sub(r"\1", card.text)


@dataclass(frozen=True)
class SliderControl:
    """A slider for an option that is a number; an integer if the steps are integers."""

    name: str
    label: str
    info: str
    default: float
    low: float
    high: float
    step: float

    @property
    def shown(self) -> float:
        """The default, rounded for the slider: 2/3 as 0.67."""
        opens: float = self.type(round(self.default, 2))
        return opens

    @property
    def type(self) -> type:
        """`int` if the steps are integers, else `float`."""
        return int if self.step == int(self.step) else float

    def value(self, given: Any) -> float:
        """Return the option's value; the exact default if the slider was not moved. Raise Refusal for another value."""
        numeric = is_number(given) and self.low <= given <= self.high
        if not numeric or self.type(given) != given:
            whole = "whole " if self.type is int else ""
            expected = f"a {whole}number from {self.low:g} to {self.high:g}"
            raise Refusal(f"{self.name}: expected {expected}, not {shown(given)}.")
        value: float = self.type(self.default if given == self.shown else given)
        return value


@dataclass(frozen=True)
class ChoiceControl:
    """A drop-down for an option with several values; `labels` maps each value to its text on the page.

    The page passes a value as a string. A program may also pass the value itself, such as False.
    """

    name: str
    label: str
    info: str
    default: Any
    labels: Mapping[Any, str]
    type = str

    @property
    def shown(self) -> str:
        """The first value, which stands for the default."""
        return str(next(iter(self.labels)))

    def value(self, given: Any) -> Any:
        """Return the option's value; raise Refusal if the option does not have it."""
        if given == self.shown:
            return self.default
        for value in self.labels:
            if given == str(value) or (type(given) is type(value) and given == value):
                return value
        raise Refusal(f"{self.name}: expected one of {', '.join(map(str, self.labels))}, not {shown(given)}.")


Control = SliderControl | ChoiceControl


def controls(options: type[Options]) -> list[Control]:
    """Return the controls that a metric's options declare, in their order."""
    found: list[Control] = []
    for name, declared in declarations(options).items():
        control, kind = declared.control, declared.kind
        if control is None:
            continue
        info = declared.help if control.info is None else control.info
        common = (name, control.label, info, declared.default)
        if isinstance(kind, (Number, Whole)):
            low, high = kind.low, getattr(kind, "high", None) if control.most is None else control.most
            if low is None or high is None:
                raise ValueError(f"the option {name} has a slider but no bounds. Set `most` in its control.")
            found.append(SliderControl(*common, low, high, 1 if isinstance(kind, Whole) else 0.01))
        else:
            values = getattr(kind, "values", ())
            found.append(ChoiceControl(*common, control.values or {value: str(value) for value in values}))
    return found
