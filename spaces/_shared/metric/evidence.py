"""The words of an answer that counted toward its score, and their places."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluate_qa.metrics._shared.words import exact_words

from .hosted import Row
from .outcome import Bar, Mark, bars

# In scripts without spaces each character is a word; elsewhere spaces separate words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
# Punctuation at either end of a word is not marked.
_INNER = re.compile(r"\w(?:.*\w)?", re.DOTALL)


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
