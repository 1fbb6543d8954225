"""From rows to a judge's inputs and back: each window of an answer with each reference of its row; the best counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

LongAnswers = Literal["window", "truncate"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LengthOptions:
    """What is done with texts that are longer than a judge reads well.

    Args:
        long_answers: `"window"`: an answer of more than `window` tokens is judged piece by piece, and the best piece
            counts; of a long question the end is kept. `"truncate"`: what does not fit the model is cut off, the end
            of the longer side first, as in the papers.
        window: Tokens of a piece; neighbours overlap by a quarter.
        question_tokens: Tokens of the longest question.

    Raises:
        ValueError: a value outside its range.
    """

    long_answers: LongAnswers = "window"
    window: int = 200
    question_tokens: int = 96

    def __post_init__(self) -> None:
        if self.long_answers not in get_args(LongAnswers):
            there = ", ".join(get_args(LongAnswers))
            raise ValueError(f"long_answers is {self.long_answers!r}; expected one of {there}")
        for name, least in (("window", 8), ("question_tokens", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is {value!r}; expected a whole number of at least {least}")

    def settings(self) -> Mapping[str, object]:
        """Return the signature's settings."""
        whole = self.long_answers == "truncate"
        return {"long": "truncate" if whole else f"window{self.window}", "q": None if whole else self.question_tokens}


@dataclass(frozen=True)
class Inputs:
    """What a judge reads. A pair is an answer with one of its references; it has an input for each window.

    Args:
        texts: Question, answer or a window of it, and reference of each input.
        pair_starts: Number of the first input of each pair, shape (pairs,).
        row_starts: Number of the first pair of each row, shape (rows,).
        answered: False for a pair whose answer is blank, shape (pairs,).
    """

    texts: Sequence[tuple[str, str, str]]
    pair_starts: NDArray[np.intp]
    row_starts: NDArray[np.intp]
    answered: NDArray[np.bool_]

    def best_window(self, values: Floats) -> Floats:
        """Return the largest value of each pair's inputs, shape (pairs,)."""
        best: Floats = np.maximum.reduceat(values, self.pair_starts)
        return best

    def best_reference(self, values: Floats) -> NDArray[np.intp]:
        """Return for each row the number of the first pair with the largest value, shape (rows,)."""
        maxima = np.repeat(
            np.maximum.reduceat(values, self.row_starts), np.diff(self.row_starts, append=len(self.pair_starts))
        )
        at_maximum = np.flatnonzero(values == maxima)
        first: NDArray[np.intp] = at_maximum[np.searchsorted(at_maximum, self.row_starts)]
        return first


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
        classifier: Whose tokens count: has `windows(text, tokens, overlap)` and `tail(text, tokens)`.
    """
    pieces = {text: [text] for text in predictions}
    ends = {text: text for text in questions}
    if options.long_answers == "window":
        pieces = {text: classifier.windows(text, options.window, options.window // 4) for text in pieces}
        ends = {text: classifier.tail(text, options.question_tokens) for text in ends}
    texts, windows, answered = [], [], []
    for question, prediction, listed in zip(questions, predictions, references, strict=True):
        for reference in listed:
            texts += [(ends[question], piece, reference) for piece in pieces[prediction]]
            windows.append(len(pieces[prediction]))
            answered.append(bool(prediction.strip()))
    return Inputs(
        texts,
        pair_starts=_starts(windows),
        row_starts=_starts([len(listed) for listed in references]),
        answered=np.array(answered),
    )


def _starts(counts: Sequence[int]) -> NDArray[np.intp]:
    return np.array([0, *accumulate(counts)][:-1], dtype=np.intp)
