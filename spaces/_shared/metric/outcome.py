"""A score and its explanation, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["for", "half", "against"]
"""Whether a part of the answer earned full credit, partial credit, or counted against the answer."""


@dataclass(frozen=True)
class Bar:
    """A component of the score: its name, value, description, and maximum."""

    label: str
    value: float
    info: str
    most: float = 1.0


def bars(described: Mapping[str, tuple[str, str]], values: Mapping[str, Any]) -> list[Bar]:
    """Return the bars of components; `described` maps a component's name to its label and description."""
    return [Bar(label, float(values[name]), info) for name, (label, info) in described.items()]


@dataclass(frozen=True)
class Mark:
    """A part of the answer that counted, from `start` to `end`, with the reason."""

    start: int
    end: int
    why: str
    kind: Kind = "for"


@dataclass(frozen=True)
class Picture:
    """A frame of a video: a `data:` address, the time, and the key phrases that fit this frame best."""

    address: str
    time: str
    phrases: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """A score and its explanation."""

    score: float | None  # None if there is no verdict
    verdict: bool | None  # True if the answer is correct; None if the metric has no verdicts or there is no score
    threshold: float | None  # the score that separates correct from incorrect; None if there is no verdict
    best_reference: int | None  # index of the reference that gave the score; None if several did
    bars: Sequence[Bar]
    marks: Sequence[Mark]  # the parts of the answer that counted
    why: str  # an explanation of one or two sentences
    pictures: Sequence[Picture] = ()  # the frames of a video that were scored

    @classmethod
    def of(cls, scores: Any, options: Any, bars: Sequence[Bar], marks: Sequence[Mark], why: str) -> "Outcome":
        """Return the outcome of one row from the result of the metric's `scoring.score` and its options."""
        verdict, best = bool(scores.verdict[0]), int(scores.best_reference[0])
        return cls(float(scores.score[0]), verdict, options.threshold, best, bars, marks, why)
