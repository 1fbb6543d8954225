"""The data by which an app.py describes its Space: fields, examples, and how a score is explained."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from evaluate_qa.loading import scorer_class

from ..visitors.endpoints import VisitorEndpoint
from ..visitors.limits import LIMITS
from .declared import Control, controls
from .hosted import HostedScorer, Row
from .outcome import Outcome


@dataclass(frozen=True)
class Field:
    """A box of the form, which is also a column of a file and a parameter of the API."""

    column: str  # the metric's name of the column
    label: str  # text above the box
    # `"text"`; `"lines"` or `"numbers"` for a list with one item per line; `"video"` for a file.
    kind: Literal["text", "lines", "numbers", "video"] = "text"
    info: str = ""
    # True if the box must not be empty. An answer may always be empty.
    required: bool = False
    lines: int = 2

    @property
    def name(self) -> str:
        """The name in files and in the API: `prediction`, `question`, `video`, but `references`."""
        return self.column if self.is_list else self.column.removesuffix("s")

    @property
    def is_list(self) -> bool:
        """True if the field holds several values."""
        return self.kind in ("lines", "numbers")

    @property
    def is_optional(self) -> bool:
        """True if a row need not have the field."""
        return not self.required and self.column != "predictions"


QUESTION = Field("questions", "Question", info="The question.", lines=1)
REFERENCES = Field("references", "References", "lines", "Correct answers.", required=True)
ANSWER = Field("predictions", "Answer", info="The answer to be scored.", lines=3)


VALUES = "Rules compare values such as numbers, units and dates only where they are sure; else the model decides."


def boxes(question: str, required: bool = False, limits: str = VALUES) -> tuple[Field, ...]:
    """Return the fields of a metric that compares answers with references.

    `question` describes the question, and `limits` the metric's limitations, below the answer.
    """
    answer = replace(ANSWER, info=f"{ANSWER.info} {limits}".strip())
    return replace(QUESTION, info=question, required=required), REFERENCES, answer


@dataclass(frozen=True)
class Example:
    """A worked example: a row, and the options that differ from their defaults."""

    row: Row
    options: Mapping[str, Any] = field(default_factory=dict)


def worked(row: Row, *, right: str, wrong: str, verbose: str, negated: str) -> dict[str, Example]:
    """Return four answers to one question, by their titles."""
    answers = {"Right": right, "Wrong": wrong, "Verbose": verbose, "Negated": negated}
    return {title: Example({**row, "predictions": answer}) for title, answer in answers.items()}


RADIUM = worked(
    {"questions": "Who discovered radium?", "references": ["Marie Curie", "Marie Skłodowska-Curie"]},
    right="It was Marie Curie.",
    wrong="It was Rosalind Franklin.",
    verbose="Radium is a radioactive metal of the second group. It was found in 1898 in Paris, in the mineral "
    "pitchblende, by Marie Curie together with her husband Pierre.",
    negated="It was certainly not Marie Curie.",
)
"""Examples that several metrics share, so that a visitor can compare the metrics."""

MONA_LISA = {"questions": "Who painted the Mona Lisa?", "references": ["Leonardo da Vinci"]}
NILE = {"questions": "How long is the Nile?", "references": ["6,650 km", "4,130 miles"]}


@dataclass(frozen=True)
class Specification:
    """A Space."""

    name: str
    fields: Sequence[Field]  # in the order of the form
    # Worked examples by their titles, including those of `worked`. The page opens with the first one.
    examples: Mapping[str, Example]
    # Turns the result of `analyze` into a score. It must be fast.
    explain: Callable[[HostedScorer, Row, Any, Any], Outcome]
    analyze: Callable[[HostedScorer, Row, Any], Any] = HostedScorer.features  # does the slow part for a row
    # The highest score; the lowest is 0. None for a score without bounds.
    most: float | None = 1.0
    configuration: str | None = None  # None for the default
    loading: Callable[[], Mapping[str, Any]] = dict  # returns the options for loading the scorer
    python: Mapping[str, Any] = field(default_factory=dict)  # the options of `load` in the Python code, if they differ
    demo: Callable[[HostedScorer, Any], None] | None = None  # lays out a tab that is shown before the others
    # Returns a scorer that asks a visitor's own endpoint; None if visitors cannot enter one.
    asking: Callable[[HostedScorer, VisitorEndpoint], HostedScorer] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)  # options that `compute` always gets
    file_bytes: int = LIMITS.file_bytes  # size of an uploaded file
    # Number of rows of a file that are scored together; None for all, if their score is not a mean.
    chunk: int | None = 16

    def scorer(self) -> HostedScorer:
        """Return the metric, which is not loaded yet."""
        return HostedScorer(self.name, self.configuration, self.loading)

    def asked_at(self, scorer: HostedScorer, given: VisitorEndpoint | None) -> tuple[HostedScorer, Mapping[str, Any]]:
        """Return the scorer, which asks the visitor's endpoint if there is one, and the options of `load` for code."""
        if given is None or self.asking is None:
            return scorer, self.python
        return self.asking(scorer, given), {**self.python, **given.loading}

    @property
    def first(self) -> Row:
        """The row of the first worked example."""
        return next(iter(self.examples.values())).row

    @cached_property
    def controls(self) -> Sequence[Control]:
        """The options on the page, as the metric declares them."""
        return controls(scorer_class(self.name).options)

    @property
    def video(self) -> Field | None:
        """The field that is a video. A Space that has one does not score files of answers."""
        return next((field for field in self.fields if field.kind == "video"), None)

    def options(self, given: Sequence[Any] | None = None) -> Any:
        """Return the metric's options from the values of the controls (default: the values when the page opens)."""
        values = [control.shown for control in self.controls] if given is None else given
        chosen = {control.name: control.value(value) for control, value in zip(self.controls, values, strict=True)}
        return scorer_class(self.name).options(**self.fixed, **chosen)

    def changed(self, options: Any) -> dict[str, Any]:
        """Return the controls' options that differ from their defaults."""
        values = {control.name: (getattr(options, control.name), control.default) for control in self.controls}
        return {name: value for name, (value, default) in values.items() if value != default}

    def arguments(self, options: Any) -> dict[str, Any]:
        """Return the arguments of `compute`: the fixed options and the changed ones."""
        return {**self.fixed, **self.changed(options)}
