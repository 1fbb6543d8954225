"""What a metric is to a Space: what its app.py states with the names below, and the metric itself, found and loaded."""

from .declared import metric_folder, module
from .evidence import evidence_bars, evidence_marks, find_each, find_run, words
from .outcome import Bar, Kind, Mark, Outcome, Picture, bars
from .scorer import Row, Scorer
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
    "Kind",
    "Mark",
    "Outcome",
    "Picture",
    "Row",
    "Scorer",
    "Specification",
    "VideoReader",
    "bars",
    "boxes",
    "evidence_bars",
    "evidence_marks",
    "find_each",
    "find_run",
    "metric_folder",
    "module",
    "words",
    "worked",
]
