"""What a metric declares, read before its model is loaded: its card, and its options as controls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from huggingface_hub import RepoCard

from evaluate_qa.loading import METRICS
from evaluate_qa.metrics._shared.arguments import Number, Options, Whole, declarations

from ..visitors.limits import Refusal, shown

_LINK_TO_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


@dataclass(frozen=True)
class Card:
    """What the page shows of itself.

    Args:
        title: Name of the Space.
        emoji: Its picture.
        description: A sentence.
        body: The metric's card, Markdown.
    """

    title: str
    emoji: str
    description: str
    body: str


def read_card(metric: str) -> Card:
    """Read the card of a metric; links to files that are not on the page become text."""
    card = RepoCard.load(METRICS / metric / "README.md")
    data: dict[str, Any] = card.data.to_dict()
    return Card(data["title"], data["emoji"], data["description"], _LINK_TO_FILE.sub(r"\1", card.text))


@dataclass(frozen=True)
class SliderControl:
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

    def given(self, value: float) -> float:
        """Return what a program hands over for a value."""
        return value


@dataclass(frozen=True)
class ChoiceControl:
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

    def given(self, value: Any) -> str:
        """Return what a program hands over for a value: its text, for JSON would make a list of a tuple."""
        return str(value)


def controls(options: type[Options]) -> list[SliderControl | ChoiceControl]:
    """Return the controls that a metric's options declare, in their order."""
    found: list[SliderControl | ChoiceControl] = []
    for name, declared in declarations(options).items():
        control, kind = declared.control, declared.kind
        if control is None:
            continue
        info = declared.help if control.info is None else control.info
        shown = (name, control.label, info, declared.default)
        if isinstance(kind, (Number, Whole)):
            low, high = kind.low, getattr(kind, "high", None) if control.most is None else control.most
            if low is None or high is None:
                raise ValueError(f"the option {name} has a slider, but no bounds; give its control the right end: most")
            found.append(SliderControl(*shown, low, high, 1 if isinstance(kind, Whole) else 0.01))
        else:
            values = getattr(kind, "values", ())
            found.append(ChoiceControl(*shown, control.values or {value: str(value) for value in values}))
    return found
