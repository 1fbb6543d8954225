"""A score and its explanation, as data, and the words of an answer that counted toward the score."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from evaluate_qa.metrics._shared.words import UNSPACED, exact_words

from .hosted import Row

# In scripts without spaces each character is a word; elsewhere spaces separate words.
_WORD = re.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern})\S)+")
# Punctuation at either end of a word is not marked.
_INNER = re.compile(r"\w(?:.*\w)?", re.DOTALL)

MarkKind = Literal["for", "half", "against"]
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
    kind: MarkKind = "for"


@dataclass(frozen=True)
class Picture:
    """A frame of a video: a `data:` address, the time, and the keywords that fit this frame best."""

    address: str
    time: str
    phrases: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """A score and its explanation."""

    score: float | None  # None if there is no verdict
    bars: Sequence[Bar]
    marks: Sequence[Mark]  # the parts of the answer that counted
    why: str  # an explanation of one or two sentences
    verdict: bool | None = None  # True if the answer is correct; None if the metric has no verdicts or no score
    threshold: float | None = None  # the score that separates correct from incorrect; None if there is no verdict
    best_reference: int | None = None  # index of the reference that gave the score; None if several did
    pictures: Sequence[Picture] = ()  # the frames of a video that were scored
    signature: str | None = None  # the settings of the score; None if unknown

    @classmethod
    def of(cls, scores: Any, options: Any, bars: Sequence[Bar], marks: Sequence[Mark], why: str) -> "Outcome":
        """Return the outcome of one row from the result of the metric's `scoring.score` and its options."""
        verdict, best = bool(scores.verdict[0]), int(scores.best_reference[0])
        return cls(float(scores.score[0]), bars, marks, why, verdict, options.threshold, best)


class Word(NamedTuple):
    """A word's place in a text, and the metric's words for it: usually one, none for "-", two for "a/b"."""

    start: int
    end: int
    processed: tuple[str, ...]


def words(text: str, process: Callable[[str], Sequence[str]]) -> list[Word]:
    """Return the words of a text with their places.

    >>> words("Paris, of course!", lambda word: [word.lower().strip(",!")])[0]
    Word(start=0, end=5, processed=('paris',))
    """
    found = []
    for match in _WORD.finditer(text):
        inner = _INNER.search(match.group())
        start, end = inner.span() if inner else (0, len(match.group()))
        found.append(Word(match.start() + start, match.start() + end, tuple(process(match.group()))))
    return found


def find_run(text_words: Sequence[Word], wanted: Sequence[str]) -> tuple[int, int] | None:
    """Return the start and end of the first place where these processed words follow each other."""
    flat = [(processed, word) for word in text_words for processed in word.processed]
    for first in range(len(flat) - len(wanted) + 1):
        run = flat[first : first + len(wanted)]
        if run and [processed for processed, _ in run] == list(wanted):
            return run[0][1].start, run[-1][1].end
    return None


_COMPONENTS = {
    "recall": ("Words found", "share of the reference's words that the answer contains"),
    "match": ("Exact match", "1 if the answer contains the reference"),
}


def evidence_bars(evidence: Mapping[str, Sequence[Any]], reference: int) -> list[Bar]:
    """Return the word-overlap signals of an answer with one of its references."""
    return bars(_COMPONENTS, {name: values[reference] for name, values in evidence.items()})


def evidence_marks(row: Row, reference: int) -> list[Mark]:
    """Mark the words that an answer shares with one of its references."""
    wanted = {*exact_words(row["references"][reference])}
    answer = words(row["predictions"], exact_words)
    return [Mark(word.start, word.end, "also in the reference") for word in answer if wanted & {*word.processed}]
