"""Long references by the sentence: each sentence of either text is looked for in the other one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Floats, Indices
from .lexical import normalised_words, token_f1

# Words of a short reference, if it is one sentence. Scores of the two ways of reading do not compare: where long
# references of one sentence were read as a whole, nli_lex's Pearson correlation on RAGChecker fell from .62 to .57.
_SHORT = 10


@dataclass(frozen=True)
class Claims:
    """What is looked for in each pair of an answer with one of its references.

    Of most pairs that is one claim, the reference, which is looked for in the answer. If a pair is read by the
    sentence, each sentence of the reference is such a claim, and each sentence of the answer is looked for in the
    reference.

    Args:
        starts: Number of the first claim of each pair, shape (pairs,); the claims of a pair stand together.
        of_answer: Whether a claim is a sentence of the answer, shape (claims,).
        token_f1: Of a pair that is read by the sentence; NaN of others. Shape (pairs,).
    """

    starts: Indices
    of_answer: NDArray[np.bool_]
    token_f1: Floats

    def recall(self, values: Floats) -> Floats:
        """Return the mean over the reference's claims, shape (pairs,); of a single claim it is the value itself."""
        return self._mean(values, ~self.of_answer)

    def precision(self, values: Floats) -> Floats:
        """Return the mean over the answer's claims, shape (pairs,); NaN for a pair without any."""
        return self._mean(values, self.of_answer)

    def score(self, probabilities: Floats, lexical: bool = True) -> Floats:
        """Return F1 = 2·recall·precision / (recall + precision), and with the words (F1 + token F1) / 2.

        Args:
            probabilities: That each claim is borne out, shape (claims,).
            lexical: Whether the words in common count one half.

        Returns:
            Shape (pairs,); of a pair that is not read by the sentence the probability itself.
        """
        recall, precision = self.recall(probabilities), self.precision(probabilities)
        total = recall + precision
        f1 = np.divide(2 * recall * precision, total, out=np.zeros_like(total), where=total > 0)
        f1 = np.where(np.isnan(precision), recall, f1)
        return np.where(np.isnan(self.token_f1) | (not lexical), f1, (f1 + self.token_f1) / 2)

    def told(self, probabilities: Floats, pairs: Indices, by_sentence: bool) -> dict[str, Any]:
        """Return the parts of the score of some pairs by name; None where there are none, all None if not asked for."""
        read = ~np.isnan(self.token_f1)
        parts = {
            "sentence_recall": np.where(read, self.recall(probabilities), np.nan),
            "sentence_precision": self.precision(probabilities),
            "token_f1": self.token_f1,
        }
        return {
            name: [None if np.isnan(value) else float(value) for value in values[pairs]] if by_sentence else None
            for name, values in parts.items()
        }

    def _mean(self, values: Floats, chosen: NDArray[np.bool_]) -> Floats:
        total = np.add.reduceat(np.where(chosen, values, 0.0), self.starts)
        count = np.add.reduceat(chosen.astype(np.float64), self.starts)
        mean: Floats = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
        return mean


class Search(NamedTuple):
    """Rows for `expansion.expand`: texts, and what is looked for in each."""

    questions: Sequence[str]
    texts: Sequence[str]
    wanted: Sequence[Sequence[str]]


def search(
    questions: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], by_sentence: bool
) -> tuple[Search, Claims]:
    """Return what is to be looked for where, and how it belongs to the pairs.

    Args:
        questions: One a row.
        predictions: One a row.
        references: At least one a row.
        by_sentence: Whether long references are read by the sentence: those of several, or of more than ten words.
    """
    if not by_sentence:
        count = sum(map(len, references))
        claims = Claims(np.arange(count), np.zeros(count, dtype=bool), np.full(count, np.nan))
        return Search(questions, predictions, references), claims
    pairs = [
        _Pair.of(question, answer, reference)
        for question, answer, listed in zip(questions, predictions, references, strict=True)
        for reference in listed
    ]
    counts = [len(pair.wanted) + len(pair.given) for pair in pairs]
    claims = Claims(
        starts=np.cumsum([0, *counts[:-1]], dtype=np.intp),
        of_answer=np.array([given for pair in pairs for given in pair.sides()]),
        token_f1=np.array([pair.token_f1 for pair in pairs]),
    )
    rows = [row for pair in pairs for row in pair.rows()]
    return Search(*zip(*rows, strict=True)), claims


class _Pair(NamedTuple):
    """An answer and a reference with the claims of both."""

    question: str
    answer: str
    reference: str
    wanted: list[str]
    given: list[str]
    token_f1: float

    @classmethod
    def of(cls, question: str, answer: str, reference: str) -> "_Pair":
        wanted = sentences(reference)
        if not wanted or (len(wanted) == 1 and len(normalised_words(reference)) <= _SHORT):
            return cls(question, answer, reference, [reference], [], np.nan)
        return cls(question, answer, reference, wanted, sentences(answer), new_words_f1(question, answer, reference))

    def rows(self) -> Iterator[tuple[str, str, list[str]]]:
        yield self.question, self.answer, self.wanted
        if self.given:
            yield self.question, self.reference, self.given

    def sides(self) -> list[bool]:
        return [False] * len(self.wanted) + [True] * len(self.given)


def new_words_f1(question: str, answer: str, reference: str) -> float:
    """Return token F1 of an answer and a reference without the question's words: to repeat these says nothing.

    >>> new_words_f1("Is it wet?", "It is wet and cold.", "It is cold.")
    0.6666666666666666
    """
    asked = frozenset(normalised_words(question))
    given, wanted = ([word for word in normalised_words(text) if word not in asked] for text in (answer, reference))
    return token_f1(given, wanted)


def sentences(text: str) -> list[str]:
    """Return a text's sentences, items of its lists among them; what has neither letter nor digit is left out."""
    from sentencex import segment

    # Its English rules know the full stops of other scripts, too; of other languages they lack abbreviations.
    return [piece.strip() for piece in segment("en", text) if any(map(str.isalnum, piece))]


def check_splitter(metric: str) -> None:
    """Raise ImportError where the package that finds sentences is missing."""
    if find_spec("sentencex") is None:
        raise ImportError(f"{metric}: long_references='sentences' needs sentencex: pip install sentencex")
