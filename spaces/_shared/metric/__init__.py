"""What a metric is to a Space: what its app.py states with the names below, and the metric itself, found and loaded."""

from .evidence import evidence_bars, evidence_marks, find_each, find_run, words
from .hosted import HostedScorer, Row
from .outcome import Bar, Kind, Mark, Outcome, Picture, bars
from .specification import (
    ANSWER,
    QUESTION,
    RADIUM,
    REFERENCES,
    Example,
    Field,
    Specification,
    VideoReader,
    boxes,
    worked,
)

__all__ = [
    "ANSWER",
    "QUESTION",
    "RADIUM",
    "REFERENCES",
    "Bar",
    "Example",
    "Field",
    "HostedScorer",
    "Kind",
    "Mark",
    "Outcome",
    "Picture",
    "Row",
    "Specification",
    "VideoReader",
    "bars",
    "boxes",
    "evidence_bars",
    "evidence_marks",
    "find_each",
    "find_run",
    "words",
    "worked",
]
