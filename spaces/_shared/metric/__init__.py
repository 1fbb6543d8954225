"""The names with which an app.py describes its metric."""

from .evidence import evidence_bars, evidence_marks, find_run, words
from .hosted import HostedScorer, Row
from .outcome import Bar, Kind, Mark, Outcome, Picture, bars
from .specification import ANSWER, QUESTION, RADIUM, REFERENCES, Example, Field, Specification, boxes, worked

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
    "bars",
    "boxes",
    "evidence_bars",
    "evidence_marks",
    "find_run",
    "words",
    "worked",
]
