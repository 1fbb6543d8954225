"""What an app.py states about its metric: fields, examples, and how a score is explained. Data only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from evaluate_qa.loading import scorer_class

from ..visitors.endpoints import VisitorEndpoint
from ..visitors.limits import LIMITS
from .declared import ChoiceControl, SliderControl, controls
from .hosted import HostedScorer, Row
from .outcome import Outcome


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


QUESTION = Field("questions", "Question", lines=1)
REFERENCES = Field("references", "References", "lines", "Correct answers, one per line.", required=True)
ANSWER = Field("predictions", "Answer", info="The answer to be scored.", lines=3)


VALUES = 'Values, units and dates are not checked as values: "208" can pass for "206".'


def boxes(question: str, required: bool = False, limits: str = VALUES) -> tuple[Field, ...]:
    """Return the boxes of a metric that compares answers with references.

    Args:
        question: The hint of the question's box.
        required: Whether there must be a question.
        limits: What the metric does not check, which the hint of the answer's box says.
    """
    answer = replace(ANSWER, info=f"{ANSWER.info} {limits}".strip())
    return replace(QUESTION, info=question, required=required), REFERENCES, answer


@dataclass(frozen=True)
class Example:
    """A worked example: a row, and options that are not at their default."""

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
"""The same for all metrics that compare with references alone, so that a visitor can compare the metrics."""


@dataclass(frozen=True)
class VideoReader:
    """How a video is read once for all rows of a file that name it.

    Args:
        read: From the video's path to the content of a file that stands for it; raises Refusal.
        column: The metric's column that takes the path of such a file in place of the video's.
        suffix: How the name of such a file ends.
    """

    read: Callable[[HostedScorer, str], bytes]
    column: str
    suffix: str


@dataclass(frozen=True)
class Specification:
    """A Space.

    Args:
        name: The metric's name.
        fields: Boxes of the form, in their order.
        examples: Worked examples by their titles, those of `examples.worked` among them; the page opens with the first.
        explain: Turns what `analyse` made of a row into a score, by the metric's own core; takes no time.
        analyse: Does what takes time for a row; a control may only say that a part of it is not needed.
        most: The highest score; the lowest is 0. None for a score without bounds.
        configuration: The metric's configuration; None for its default.
        loading: Returns the options that the scorer is loaded with.
        python: The options of `load` in the Python lines, if these differ.
        demo: Lays out a tab that is shown before the others.
        asking: Returns a scorer that asks at an endpoint which a visitor has given; None where none may be given.
        fixed: What `compute` is always told.
        file_bytes: Size of an uploaded file.
        chunk: Rows of a file that are scored together; None for all, where a score of all rows is more than a mean.
        reader: How videos are read; None for a metric without.
    """

    name: str
    fields: Sequence[Field]
    examples: Mapping[str, Example]
    explain: Callable[[HostedScorer, Row, Any, Any], Outcome]
    analyse: Callable[[HostedScorer, Row, Any], Any] = HostedScorer.parts
    most: float | None = 1.0
    configuration: str | None = None
    loading: Callable[[], Mapping[str, Any]] = dict
    python: Mapping[str, Any] = field(default_factory=dict)
    demo: Callable[[HostedScorer, Any], None] | None = None
    asking: Callable[[HostedScorer, VisitorEndpoint], HostedScorer] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    file_bytes: int = LIMITS.file_bytes
    chunk: int | None = 16
    reader: VideoReader | None = None

    def scorer(self) -> HostedScorer:
        """Return the metric, which is not loaded yet."""
        return HostedScorer(self.name, self.configuration, self.loading)

    def asked_at(self, scorer: HostedScorer, given: VisitorEndpoint | None) -> tuple[HostedScorer, Mapping[str, Any]]:
        """Return the scorer that asks where the visitor wants, and what the Python lines tell `evaluate.load`."""
        if given is None or self.asking is None:
            return scorer, self.python
        return self.asking(scorer, given), {**self.python, **given.told}

    @cached_property
    def controls(self) -> Sequence[SliderControl | ChoiceControl]:
        """The options on the page, as the metric declares them."""
        return controls(scorer_class(self.name).options)

    @property
    def video(self) -> Field | None:
        """The field that is a video, if there is one."""
        return next((field for field in self.fields if field.kind == "video"), None)

    @property
    def file_fields(self) -> list[Field]:
        """The fields as a file of answers has them: a video by its name."""
        return [replace(field, kind="text") if field.kind == "video" else field for field in self.fields]

    def options(self, given: Sequence[Any] | None = None) -> Any:
        """Return the metric's options from the values of the controls, by default those that the page opens with.

        Raises:
            Refusal: a value is none that the control has.
        """
        values = [control.shown for control in self.controls] if given is None else given
        chosen = {control.name: control.value(value) for control, value in zip(self.controls, values, strict=True)}
        return scorer_class(self.name).options(**self.fixed, **chosen)

    def changed(self, options: Any) -> dict[str, Any]:
        """Return those of the controls' options that are not at their default."""
        values = {control.name: (getattr(options, control.name), control.default) for control in self.controls}
        return {name: value for name, (value, default) in values.items() if value != default}

    def given(self, options: Any) -> dict[str, Any]:
        """Return what the API must be told: those that are not at their default, as a program hands them over."""
        changed = self.changed(options)
        return {
            control.name: control.given(changed[control.name]) for control in self.controls if control.name in changed
        }

    def arguments(self, options: Any) -> dict[str, Any]:
        """Return what `compute` must be told: what is fixed, and what is not at its default."""
        return {**self.fixed, **self.changed(options)}
