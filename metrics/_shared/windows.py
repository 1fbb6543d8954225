"""Split texts into windows that a classifier can read; the best window counts."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from .arrays import Floats, Indices, run_starts
from .claims import Search
from .matcher_options import MatcherOptions

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Windows:
    """The windows of texts, once for each claim that is searched in a text."""

    inputs: Sequence[tuple[str, str, str]]  # question, window, and claim
    starts: Indices  # index of the first window of each claim, shape (claims,)
    tokens: Mapping[str, Any]  # the tokens of the texts that were tokenized for this

    def best(self, values: Floats) -> Floats:
        """Return the largest value of each claim's windows, shape (claims,)."""
        return np.maximum.reduceat(values, self.starts)


def split_into_windows(searches: Sequence[Search], options: MatcherOptions, classifier: Any) -> Windows:
    """Return the windows of all texts, with the last tokens of their questions."""
    pieces = {search.text: [search.text] for search in searches}
    ends = {search.question: search.question for search in searches}
    tokens: Mapping[str, Any] = {}
    if options.long_answers == "window":
        tokens = classifier.tokenize(list(pieces | ends))
        pieces = {text: windows(text, tokens[text].spans, options.window, options.window // 4) for text in pieces}
        ends = {text: tail(text, tokens[text].spans, options.question_tokens) for text in ends}
    inputs = [
        [(ends[question], piece, claim) for piece in pieces[text]]
        for question, text, claims in searches
        for claim in claims
    ]
    return Windows(list(chain.from_iterable(inputs)), run_starts(map(len, inputs)), tokens)


def windows(text: str, spans: Spans, tokens: int, overlap: int) -> list[str]:
    """Split a text into windows of at most `tokens` tokens, between words where possible.

    Spans are the places where tokens begin and end. `overlap` is the approximate number of tokens that two
    neighboring windows share.
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
    """Return the last `tokens` tokens of a text; a long question usually ends with what it asks."""
    return text if len(spans) <= tokens else text[spans[-tokens][0] :]


def _last_between(numbers: Sequence[int], low: int, high: int) -> int | None:
    """Return the largest of ascending numbers that is above `low` and at most `high`; None without one."""
    position = bisect_right(numbers, high) - 1
    return numbers[position] if position >= 0 and numbers[position] > low else None
