"""Where in an answer the words are that counted, and what they say of a reference."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from evaluate_qa.metrics._shared.words import exact_words

from .hosted import Row
from .outcome import Bar, Mark, bars

# A character of a script without spaces stands for itself; elsewhere a word is what stands between spaces.
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
# Quotes, brackets, commas at either end of a word are not marked with it.
_INNER = re.compile(r"\w(?:.*\w)?", re.DOTALL)


class Word(NamedTuple):
    """A word as it stands in a text, and what the metric makes of it: mostly one word, of "-" none, of "a/b" two."""

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
    """Return where these processed words stand one after the other, from the first to the end of the last."""
    flat = [(processed, word) for word in text_words for processed in word.processed]
    for first in range(len(flat) - len(wanted) + 1):
        run = flat[first : first + len(wanted)]
        if run and [processed for processed, _ in run] == list(wanted):
            return run[0][1].start, run[-1][1].end
    return None


def find_each(text_words: Sequence[Word], wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return where any of these processed words stands."""
    return [(word.start, word.end) for word in text_words if word.processed and set(word.processed) & set(wanted)]


_TOLD = {
    "recall": ("Words found", "share of the reference's words that the answer contains"),
    "match": ("Exact match", "1 if the answer contains the reference"),
}


def evidence_bars(evidence: Mapping[str, Sequence[Any]], reference: int) -> list[Bar]:
    """Return the signals of an answer with one of its references."""
    return bars(_TOLD, {name: values[reference] for name, values in evidence.items()})


def evidence_marks(row: Row, reference: int) -> list[Mark]:
    """Mark the words of an answer that one of its references has."""
    answer = words(row["predictions"], exact_words)
    wanted = exact_words(row["references"][reference])
    return [Mark(start, end, "also in the reference") for start, end in find_each(answer, wanted)]
