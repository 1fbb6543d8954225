"""From rows to a classifier's inputs and back: each window of an answer with each reference; the best window counts."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .arguments import Choice, Options, Whole, option
from .arithmetic import Floats, Indices

LongAnswers = Literal["window", "truncate"]
LongReferences = Literal["whole", "sentences"]
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class LengthOptions(Options):
    """What is done with texts that are longer than a classifier reads well."""

    long_answers: LongAnswers = option(
        "window",
        Choice(*get_args(LongAnswers)),
        "A long answer is read in pieces, of which the best counts (`window`), or cut off (`truncate`).",
        key="long",
    )
    long_references: LongReferences = option(
        "whole",
        Choice(*get_args(LongReferences)),
        "A reference of several sentences or over ten words is compared `whole`, or by `sentences`.",
        key="longref",
    )
    window: int = option(200, Whole(8), "Tokens in a piece; pieces overlap by a quarter.")
    question_tokens: int = option(96, Whole(), "Tokens of a question that are read, up to its end.", key="q")

    @property
    def by_sentence(self) -> bool:
        """Whether long references are read by the sentence."""
        return self.long_references == "sentences"

    def settings(self) -> dict[str, object]:
        """Return what a signature says, by key."""
        whole = self.long_answers == "truncate"
        lengths = {
            "long": "truncate" if whole else f"window{self.window}",
            "q": None if whole else self.question_tokens,
        }
        return super().settings() | lengths


@dataclass(frozen=True)
class Inputs:
    """What a classifier reads. A pair is an answer with one of its references; it has an input for each window.

    Args:
        texts: Question, answer or a window of it, and reference of each input.
        pair_starts: Number of the first input of each pair, shape (pairs,).
        row_starts: Number of the first pair of each row, shape (rows,).
        answered: False for a pair whose answer is blank, shape (pairs,).
        tokens: Of those texts that had to be tokenised for this.
    """

    texts: Sequence[tuple[str, str, str]]
    pair_starts: Indices
    row_starts: Indices
    answered: NDArray[np.bool_]
    tokens: Mapping[str, Any]

    def best_window(self, values: Floats) -> Floats:
        """Return the largest value of each pair's inputs, shape (pairs,)."""
        best: Floats = np.maximum.reduceat(values, self.pair_starts)
        return best


def expand(
    questions: Sequence[str],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    options: LengthOptions,
    classifier: Any,
) -> Inputs:
    """Return the inputs of all rows.

    Args:
        questions: One a row; `""` where there is none.
        predictions: One a row.
        references: At least one a row.
        options: What is done with long texts.
        classifier: Whose tokens count: has `tokenise(texts)`.
    """
    pieces = {text: [text] for text in predictions}
    ends = {text: text for text in questions}
    tokens: Mapping[str, Any] = {}
    if options.long_answers == "window":
        tokens = classifier.tokenise(list(pieces | ends))
        pieces = {text: windows(text, tokens[text].spans, options.window, options.window // 4) for text in pieces}
        ends = {text: tail(text, tokens[text].spans, options.question_tokens) for text in ends}
    texts, counts, answered = [], [], []
    for question, prediction, listed in zip(questions, predictions, references, strict=True):
        for reference in listed:
            texts += [(ends[question], piece, reference) for piece in pieces[prediction]]
            counts.append(len(pieces[prediction]))
            answered.append(bool(prediction.strip()))
    return Inputs(
        texts,
        pair_starts=_starts(counts),
        row_starts=row_starts(references),
        answered=np.array(answered),
        tokens=tokens,
    )


def windows(text: str, spans: Spans, tokens: int, overlap: int) -> list[str]:
    """Split a text that is longer than `tokens` into pieces of at most so many, cut between words where possible.

    Args:
        text: The text.
        spans: Where in it each token begins and ends.
        tokens: Tokens of a window.
        overlap: Tokens that a window has in common with the one before, about.
    """
    if len(spans) <= tokens:
        return [text]
    words = [i for i, (begin, _) in enumerate(spans) if i == 0 or text[begin - 1].isspace()]
    pieces, start = [], 0
    while start + tokens < len(spans):
        end = _last_between(words, start, start + tokens) or start + tokens
        pieces.append(text[spans[start][0] : spans[end][0]])
        start = _last_between(words, start, end - overlap) or end
    return [*pieces, text[spans[start][0] :]]


def tail(text: str, spans: Spans, tokens: int) -> str:
    """Return the end of a text, its last `tokens` tokens; of a long question the end is what is asked."""
    return text if len(spans) <= tokens else text[spans[-tokens][0] :]


def row_starts(references: Sequence[Sequence[str]]) -> Indices:
    """Return the number of the first pair of each row, shape (rows,)."""
    return _starts([len(listed) for listed in references])


def _last_between(numbers: Sequence[int], low: int, high: int) -> int | None:
    """Return the largest of ascending numbers that is above `low` and at most `high`."""
    position = bisect_right(numbers, high) - 1
    return numbers[position] if position >= 0 and numbers[position] > low else None


def _starts(counts: Sequence[int]) -> Indices:
    return np.array([0, *accumulate(counts)][:-1], dtype=np.intp)
