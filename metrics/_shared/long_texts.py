"""Split long texts for a classifier: answers into windows, references into sentences.

A classifier reads each window of an answer with each reference; the best window counts. With
`long_references="sentences"`, each sentence of either text is searched in the other text.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .arguments import Choice, Control, Number, Options, Whole, option
from .arithmetic import Floats, Indices, Pairs, first_best
from .languages import exact_score, unsupported
from .lexical import token_f1
from .words import exact_words

LongAnswers = Literal["window", "truncate"]
LongReferences = Literal["whole", "sentences"]
Spans = Sequence[tuple[int, int]]

# Maximum number of words in a short reference of one sentence. Scores of whole references and of sentences are not
# comparable: reading long single sentences as a whole lowered nli_lex's correlation on RAGChecker from .62 to .57.
_SHORT = 10


@dataclass(frozen=True)
class MatcherOptions(Options):
    """The options of `compute` that both matchers have: how long texts are read, and the threshold."""

    long_answers: LongAnswers = option(
        "window",
        Choice(*get_args(LongAnswers)),
        "Read a long answer in windows and keep the best (`window`), or cut it off (`truncate`).",
        key="long",
    )
    long_references: LongReferences = option(
        "whole",
        Choice(*get_args(LongReferences)),
        "Compare a reference of several sentences, or of more than ten words, `whole` or by `sentences`.",
        key="longref",
    )
    window: int = option(200, Whole(8), "Set the tokens per window; they overlap by a quarter.")
    question_tokens: int = option(96, Whole(), "Read only the last N tokens of a question.", key="q")
    threshold: float = option(
        0.5, Number(0, 1), "Count answers that score above this as correct.", key="thr", control=Control("Threshold")
    )

    @property
    def by_sentence(self) -> bool:
        """Whether long references are split into sentences."""
        return self.long_references == "sentences"

    def settings(self) -> dict[str, object]:
        """Return the signature's values by key."""
        if self.long_answers == "truncate":
            return super().settings() | {"long": "truncate", "q": None}
        return super().settings() | {"long": f"window{self.window}", "q": self.question_tokens}


@dataclass(frozen=True)
class Inputs:
    """The inputs of a classifier. A pair of an answer and a reference has one input per window of the answer."""

    texts: Sequence[tuple[str, str, str]]  # question, window of the answer, and reference of each input
    pair_starts: Indices  # index of the first input of each pair, shape (pairs,)
    answered: NDArray[np.bool_]  # False for a pair with a blank answer, shape (pairs,)
    tokens: Mapping[str, Any]  # the tokens of the texts that were tokenized for this

    def best_window(self, values: Floats) -> Floats:
        """Return the largest value of each pair's inputs, shape (pairs,)."""
        return np.maximum.reduceat(values, self.pair_starts)


def expand(
    questions: Sequence[str],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    options: MatcherOptions,
    classifier: Any,
) -> Inputs:
    """Return the inputs of all rows."""
    pieces = {text: [text] for text in predictions}
    ends = {text: text for text in questions}
    tokens: Mapping[str, Any] = {}
    if options.long_answers == "window":
        tokens = classifier.tokenize(list(pieces | ends))
        pieces = {text: windows(text, tokens[text].spans, options.window, options.window // 4) for text in pieces}
        ends = {text: tail(text, tokens[text].spans, options.question_tokens) for text in ends}
    texts, counts, answered = [], [], []
    for question, prediction, listed in zip(questions, predictions, references, strict=True):
        for reference in listed:
            texts += [(ends[question], piece, reference) for piece in pieces[prediction]]
            counts.append(len(pieces[prediction]))
            answered.append(bool(prediction.strip()))
    return Inputs(texts, _starts(counts), np.array(answered), tokens)


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


def row_starts(references: Sequence[Sequence[str]]) -> Indices:
    """Return the index of the first pair of each row, shape (rows,)."""
    return _starts([len(listed) for listed in references])


def _last_between(numbers: Sequence[int], low: int, high: int) -> int | None:
    """Return the largest of ascending numbers that is above `low` and at most `high`; None without one."""
    position = bisect_right(numbers, high) - 1
    return numbers[position] if position >= 0 and numbers[position] > low else None


def _starts(counts: Sequence[int]) -> Indices:
    return np.array([0, *accumulate(counts)][:-1], dtype=np.intp)


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

    def evidence(self, words: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the features of `lexical.evidence`; a sentence is never `long`, and is `same` if it is repeated."""
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

    def parts(self, probabilities: Floats, pairs: Indices, by_sentence: bool) -> dict[str, Any]:
        """Return the parts of some pairs' scores; None for a pair, or for all, that is not split into sentences."""
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
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


@dataclass(frozen=True)
class Parts(Pairs):
    """The features of each pair of an answer and a reference, from which options make a score."""

    claims: Claims
    # The classifier's output for each claim: BEM's margin, or the probability of entailment. Shape (claims,).
    said: Floats
    evidence: Mapping[str, Floats]  # the features from words and lengths by name, each of shape (claims,)
    weights: Mapping[str, float]  # the weights of the final logistic layer by feature; empty without a layer
    exact: Floats  # scores of pairs in a language that the classifier cannot read, else NaN; shape (pairs,)

    @property
    def unsupported(self) -> NDArray[np.bool_]:
        """Whether exact rules score a pair, shape (pairs,)."""
        return ~np.isnan(self.exact)


def exact_scores(
    questions: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], read: bool
) -> Floats:
    """Return the exact scores of pairs that the matcher cannot read, else NaN; shape (pairs,).

    `read` assumes that the classifier reads all languages, as a user's own checkpoint may.
    """
    rows = zip(questions, predictions, references, strict=True)
    pairs = ((question, answer, reference) for question, answer, listed in rows for reference in listed)
    return np.array([exact_score(*pair[1:]) if not read and unsupported(*pair) else np.nan for pair in pairs])


def best_pairs(
    parts: Parts, probabilities: Floats, options: MatcherOptions, lexical: bool
) -> tuple[Indices, dict[str, Any]]:
    """Return the index of each row's best pair (the first of equals), and the scores that all matchers have, by name.

    Probabilities that a claim is supported have the shape (claims,); those of a blank answer count as 0. `lexical` is
    True if token F1 counts for sentences.
    """
    probabilities = np.where(parts.answered, probabilities, 0.0)
    scores = np.where(parts.unsupported, parts.exact, parts.claims.score(probabilities, lexical))
    best = first_best(scores, parts.starts)
    found = {
        "score": scores[best],
        "verdict": scores[best] > options.threshold,
        "best_reference": best - parts.starts,
        "unsupported_language": np.logical_or.reduceat(parts.unsupported, parts.starts),
    }
    return best, found | parts.claims.parts(probabilities, best, options.by_sentence)


Search = tuple[Sequence[str], Sequence[str], Sequence[Sequence[str]]]
"""Rows for `expand`: questions, texts, and the claims that are searched in each text."""


def search(
    questions: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], by_sentence: bool
) -> tuple[Search, Claims]:
    """Return the texts to search with their claims, and how the claims belong to the pairs."""
    rows: list[tuple[str, str, list[str]]] = []
    of_answer: list[bool] = []
    repeated: list[bool] = []
    starts, token_f1s = [], []
    for question, answer, listed in zip(questions, predictions, references, strict=True):
        for reference in listed:
            wanted, given, f1 = _claims(question, answer, reference, by_sentence)
            rows += [(question, answer, wanted), *([(question, reference, given)] if given else [])]
            starts.append(len(of_answer))
            of_answer += [False] * len(wanted) + [True] * len(given)
            token_f1s.append(f1)
            in_wanted, in_given = ([exact_words(text) for text in texts] for texts in (wanted, given))
            repeated += [words in in_given for words in in_wanted] + [words in in_wanted for words in in_given]
    asked, texts, searched = zip(*rows, strict=True)
    flags = np.array(of_answer), np.array(token_f1s), np.array(repeated)
    return (asked, texts, searched), Claims(np.array(starts, dtype=np.intp), *flags)


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
