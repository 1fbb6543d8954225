"""What the words of an answer say of a reference, for the metrics that weigh it beside a classifier."""

from collections.abc import Mapping, Sequence
from typing import Any

from .outcome import Bar, Mark, bars
from .scorer import Row, Scorer
from .spans import find_each, words

_TOLD = {
    "recall": ("Words found", "share of the reference's words that the answer has"),
    "match": ("Exact match", "1 if the reference stands in the answer"),
    "missing_numbers": ("Missing numbers", "share of its numbers that the answer lacks"),
    "negations_differ": ("Negations differ", "1 if only one of the two has a negation"),
}


def evidence_bars(evidence: Mapping[str, Sequence[Any]], reference: int) -> list[Bar]:
    """Return the signals of an answer with one of its references."""
    return bars(_TOLD, {name: values[reference] for name, values in evidence.items()})


def evidence_marks(scorer: Scorer, row: Row, reference: int) -> list[Mark]:
    """Mark the words of an answer that one of its references has."""
    lexical = scorer.sibling("lexical")
    answer = words(row["predictions"], lambda word: lexical.squad_normalise(word).split())
    wanted = lexical.normalised_words(row["references"][reference])
    return [Mark(start, end, "a word of the reference") for start, end in find_each(answer, wanted)]
