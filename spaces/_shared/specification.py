"""What an app.py states about its metric: fields, options, examples, and how a score is found. Data only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from .limits import LIMITS, Refusal, shown
from .outcome import Outcome

if TYPE_CHECKING:
    from .scorer import Scorer

Row = dict[str, Any]
"""One answer with all that belongs to it, by the metric's names of its columns (`predictions`, `references`, …)."""
Parts = dict[str, Any]
"""What is known of a row before options turn it into a score; plain lists, numbers and strings."""
Options = dict[str, Any]
"""Values of a Space's options, by name."""


@dataclass(frozen=True)
class Field:
    """A box of the form, which is a column of a file and an argument of the API too.

    Args:
        column: The metric's name of the column.
        label: What is above the box.
        kind: `"text"`; `"lines"`, a text on each line; `"numbers"`, a number on each line; `"video"`, a file.
        info: A hint below the label.
        required: Whether it may be empty; an answer may always be.
        lines: Height of the box.
    """

    column: str
    label: str
    kind: Literal["text", "lines", "numbers", "video"] = "text"
    info: str = ""
    required: bool = False
    lines: int = 2

    @property
    def name(self) -> str:
        """The name in files and in the API: `prediction`, `question`, `video`, but `references`."""
        return self.column if self.is_list else self.column.removesuffix("s")

    @property
    def is_list(self) -> bool:
        """Whether it holds several values."""
        return self.kind in ("lines", "numbers")


@dataclass(frozen=True)
class Slider:
    """An option that is a number. Whole steps make it a whole number."""

    name: str
    label: str
    default: float
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    info: str = ""

    @property
    def shown(self) -> float:
        """The default as the slider shows it: 2/3 as 0.67."""
        shown: float = self.type(round(self.default, 2))
        return shown

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
    """An option that is one of several words; `choices` maps them to what the page shows."""

    name: str
    label: str
    choices: Mapping[str, str]
    info: str = ""

    @property
    def shown(self) -> str:
        """The default, which is the first."""
        return next(iter(self.choices))

    @property
    def type(self) -> type:
        """`str`."""
        return str

    def value(self, given: Any) -> str:
        """Return the option's value; raises Refusal if there is none such."""
        if not isinstance(given, str) or given not in self.choices:
            raise Refusal(f"{self.name}: expected one of {', '.join(self.choices)}, not {shown(given)}.")
        return given


@dataclass(frozen=True)
class Example:
    """A worked example: a row, and options that are not at their default."""

    row: Row
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class VideoReader:
    """How a video is read once for all rows of a file that name it.

    Args:
        read: From the video's path to the content of a file that stands for it; raises Refusal.
        column: The metric's column that takes the path of such a file in place of the video's.
        suffix: How the name of such a file ends.
    """

    read: Callable[["Scorer", str], bytes]
    column: str
    suffix: str


@dataclass(frozen=True)
class Specification:
    """A Space.

    Args:
        name: The metric's name.
        fields: Boxes of the form, in their order.
        options: Options on the page.
        examples: Worked examples by their titles; the page opens with the first.
        analyse: Scores a row as far as the options have no say; this is what takes time.
        explain: Turns that into a score by the metric's own core; takes no time.
        arguments: From options to what `compute` takes.
        most: The highest score; the lowest is 0. None for a score without bounds.
        configuration: The metric's configuration; None for its default.
        fixed: What `compute` is always told.
        file_bytes: Size of an uploaded file.
        chunk: Rows of a file that are scored together; None for all, where a score of all rows is more than a mean.
        reader: How videos are read; None for a metric without.
    """

    name: str
    fields: Sequence[Field]
    options: Sequence[Slider | Choice]
    examples: Mapping[str, Example]
    analyse: Callable[["Scorer", Row], Parts]
    explain: Callable[["Scorer", Row, Parts, Options], Outcome]
    arguments: Callable[[Options], Options] = dict
    most: float | None = 1.0
    configuration: str | None = None
    fixed: Options = field(default_factory=dict)
    file_bytes: int = LIMITS.file_bytes
    chunk: int | None = 16
    reader: VideoReader | None = None

    @property
    def video(self) -> Field | None:
        """The field that is a video, if there is one."""
        return next((field for field in self.fields if field.kind == "video"), None)

    @property
    def file_fields(self) -> list[Field]:
        """The fields as a file of answers has them: a video by its name."""
        return [replace(field, kind="text") if field.kind == "video" else field for field in self.fields]

    def values(self, given: Sequence[Any]) -> Options:
        """Return the options from what the page or the API gave, in their order; raises Refusal."""
        return {option.name: option.value(value) for option, value in zip(self.options, given, strict=True)}

    def changed(self, options: Options) -> Options:
        """Return what `compute` must be told: what is fixed, and the options that are not at their default."""
        defaults = self.arguments(self.values([option.shown for option in self.options]))
        moved = {name: value for name, value in self.arguments(options).items() if value != defaults[name]}
        return {**self.fixed, **moved}
