"""What a metric says of itself, read from its folder while it is not loaded: its card, and its options as controls."""

import importlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from huggingface_hub import RepoCard

from ..visitors.limits import Refusal, shown

_LINK_TO_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


def metric_folder(app: Path, name: str) -> Path:
    """Return where the metric is: beside app.py in a published Space, else `metrics/<name>` of the checkout."""
    return app if (app / f"{name}.py").is_file() else app.resolve().parents[1] / "metrics" / name


def options_class(folder: Path) -> Any:
    """Return the class of a metric's options that has some with a control.

    To load the metric takes seconds, and evaluate; its options.py needs neither.
    """
    declarations, options = module(folder, "arguments").declarations, module(folder, "options")
    (found,) = (
        one
        for one in vars(options).values()
        if isinstance(one, type)
        and one.__module__ == options.__name__  # not one that it derives from
        and hasattr(one, "settings")
        and any(declared.control for declared in declarations(one).values())
    )
    return found


def module(folder: Path, name: str) -> ModuleType:
    """Import a module of a folder that is made a package for this, without running any other file of it."""
    package = f"declared_by_{folder.name}"
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(folder)]
    return importlib.import_module(f"{package}.{name}")


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


def read_card(metric: Path) -> Card:
    """Read the card of a metric's folder; links to files that are not on the page become text."""
    card = RepoCard.load(metric / "README.md")
    data: dict[str, Any] = card.data.to_dict()
    return Card(data["title"], data["emoji"], data["description"], _LINK_TO_FILE.sub(r"\1", card.text))


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

    def given(self, value: float) -> float:
        """Return what a program hands over for a value."""
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

    def given(self, value: Any) -> str:
        """Return what a program hands over for a value: its text, for JSON would make a list of a tuple."""
        return str(value)


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
