"""A score and what explains it: components, marks in the answer, frames of a video. Data only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["for", "half", "against"]
"""Whether a part of the answer counted in full, in part, or against it."""


@dataclass(frozen=True)
class Bar:
    """A component of the score: its name, its value, and the largest it may have."""

    label: str
    value: float
    info: str
    most: float = 1.0


def bars(told: Mapping[str, tuple[str, str]], values: Mapping[str, Any]) -> list[Bar]:
    """Return the bars of components; `told` has the label and the hint of each by the component's name."""
    return [Bar(label, float(values[name]), info) for name, (label, info) in told.items()]


@dataclass(frozen=True)
class Mark:
    """A part of the answer that counted: from `start` to `end`, with why, and how it counted."""

    start: int
    end: int
    why: str
    kind: Kind = "for"


@dataclass(frozen=True)
class Picture:
    """A frame of a video: a `data:` address, the time as it is shown, and the key phrases that it fits best."""

    address: str
    time: str
    phrases: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """A score and its reasons.

    Args:
        score: The score; None if there is none.
        verdict: Whether the answer is correct; None for a metric that does not say, or for no score.
        threshold: From which score it is; None likewise.
        best_reference: Number of the reference that gave the score; None if several did.
        bars: The components.
        marks: What counted in the answer.
        why: A sentence or two.
        pictures: What was looked at, for a video.
    """

    score: float | None
    verdict: bool | None
    threshold: float | None
    best_reference: int | None
    bars: Sequence[Bar]
    marks: Sequence[Mark]
    why: str
    pictures: Sequence[Picture] = ()

    @classmethod
    def of(cls, scores: Any, options: Any, bars: Sequence[Bar], marks: Sequence[Mark], why: str) -> "Outcome":
        """Return the outcome of one row that was compared with its references.

        Args:
            scores: What the metric's `scoring.score` returned.
            options: The metric's, with the threshold.
            bars: As above.
            marks: As above.
            why: As above.
        """
        verdict, best = bool(scores.verdict[0]), int(scores.best_reference[0])
        return cls(float(scores.score[0]), verdict, options.threshold, best, bars, marks, why)
