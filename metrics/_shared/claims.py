"""Split long references and their answers into claims: sentences that are searched in the other text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Indices
from .lexical import token_f1
from .words import exact_words

# Maximum number of words in a short reference of one sentence. Scores of whole references and of sentences are not
# comparable: reading long single sentences as a whole lowered nli_lex's correlation on RAGChecker from .62 to .57.
_SHORT = 10


class Search(NamedTuple):
    """A text, and the claims that are searched in it."""

    question: str
    text: str
    claims: list[str]


@dataclass(frozen=True)
class Claims:
    """The claims of each pair of an answer and a reference, which are searched in the other text.

    Most pairs have one claim, the reference. If a pair is split, each sentence of the reference is searched in the
    answer, and each sentence of the answer is searched in the reference.
    """

    starts: Indices  # index of the first claim of each pair, shape (pairs,); the claims of a pair are consecutive
    of_answer: NDArray[np.bool_]  # whether a claim is a sentence of the answer, shape (claims,)
    token_f1: Floats  # token F1 of a pair that is split into sentences, else NaN; shape (pairs,)
    repeated: NDArray[np.bool_]  # whether a sentence occurs word for word in the other text, shape (claims,)

    def adapt_word_features(self, words: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return `lexical.word_features`, except that a sentence is never `long`, and is `same` if it is repeated."""
        sentence = np.repeat(~np.isnan(self.token_f1), np.diff(self.starts, append=len(self.of_answer)))
        same, long = np.where(sentence, self.repeated, words["same"]), np.where(sentence, 0.0, words["long"])
        return {**words, "same": same, "long": long}

    def recall(self, values: Floats) -> Floats:
        """Return the mean over the reference's claims, shape (pairs,)."""
        return self._mean(values, ~self.of_answer)

    def precision(self, values: Floats) -> Floats:
        """Return the mean over the answer's claims, shape (pairs,); NaN without claims."""
        return self._mean(values, self.of_answer)

    def score(self, probabilities: Floats, lexical: bool = True) -> Floats:
        """Return the score of each pair from the probability of each claim, shape (claims,); shape (pairs,).

        It is the probability for a single claim, and (F1 + token F1) / 2 for sentences, with F1 = 2 · recall ·
        precision / (recall + precision). If not `lexical`, the score of sentences is F1.
        """
        recall, precision = self.recall(probabilities), self.precision(probabilities)
        total = recall + precision
        f1 = np.divide(2 * recall * precision, total, out=np.zeros_like(total), where=total > 0)
        f1 = np.where(np.isnan(precision), recall, f1)
        return np.where(np.isnan(self.token_f1) | (not lexical), f1, (f1 + self.token_f1) / 2)

    def components(
        self, probabilities: Floats, pairs: Indices, by_sentence: bool
    ) -> dict[str, list[float | None] | None]:
        """Return the components of some pairs' scores; None for a pair, or all pairs, not split into sentences."""
        components = {
            "sentence_recall": np.where(np.isnan(self.token_f1), np.nan, self.recall(probabilities)),
            "sentence_precision": self.precision(probabilities),
            "token_f1": self.token_f1,
        }
        return {
            name: [None if np.isnan(value) else float(value) for value in values[pairs]] if by_sentence else None
            for name, values in components.items()
        }

    def _mean(self, values: Floats, selected: NDArray[np.bool_]) -> Floats:
        total = np.add.reduceat(np.where(selected, values, 0.0), self.starts)
        count = np.add.reduceat(selected.astype(np.float64), self.starts)
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def pair_claims(
    questions: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], by_sentence: bool
) -> tuple[list[Search], Claims]:
    """Return the texts to search with their claims, and how the claims belong to the pairs."""
    searches: list[Search] = []
    of_answer: list[bool] = []
    repeated: list[bool] = []
    starts, token_f1s = [], []
    for question, answer, listed in zip(questions, predictions, references, strict=True):
        for reference in listed:
            wanted, given, f1 = _claims(question, answer, reference, by_sentence)
            searches += [Search(question, answer, wanted), *([Search(question, reference, given)] if given else [])]
            starts.append(len(of_answer))
            of_answer += [False] * len(wanted) + [True] * len(given)
            token_f1s.append(f1)
            in_wanted, in_given = ([exact_words(text) for text in texts] for texts in (wanted, given))
            repeated += [words in in_given for words in in_wanted] + [words in in_wanted for words in in_given]
    flags = np.array(of_answer), np.array(token_f1s), np.array(repeated)
    return searches, Claims(np.array(starts, dtype=np.intp), *flags)


def _claims(question: str, answer: str, reference: str, by_sentence: bool) -> tuple[list[str], list[str], float]:
    """Return the claims of the reference and those of the answer, and token F1 if they are sentences, else NaN."""
    wanted = sentences(reference) if by_sentence else []
    if not wanted or (len(wanted) == 1 and len(exact_words(reference)) <= _SHORT):
        return [reference], [], np.nan
    return wanted, sentences(answer), new_words_f1(question, answer, reference)


def new_words_f1(question: str, answer: str, reference: str) -> float:
    """Return token F1 of an answer and a reference without the question's words, which carry no information.

    All words count if the reference has no others, such as "Tea is hotter." for "Is tea or ice hotter?".

    >>> new_words_f1("Is it wet?", "It is wet and cold.", "It is cold.")
    0.6666666666666666
    """
    asked = frozenset(exact_words(question))
    texts = exact_words(answer), exact_words(reference)
    given, wanted = ([word for word in words if word not in asked] for words in texts)
    return token_f1(given, wanted) if wanted else token_f1(*texts)


def sentences(text: str) -> list[str]:
    """Return the sentences and list items of a text, without those that have neither letters nor digits."""
    from sentencex import segment

    # The English rules also know the full stops of other scripts, but not the abbreviations of other languages.
    return [piece.strip() for piece in segment("en", text) if any(map(str.isalnum, piece))]
