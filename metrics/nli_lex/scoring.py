"""NLI+lex's score (Balamurali and Cheng 2025, section 3.2). Pure: numpy and nothing else.

    p = sigmoid(w1 · se + w2 · lm + b)

`se` is the entailment probability, `lm` the lexical signal; an answer is correct if p > 0.5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Floats, Indices, Pairs, first_best, sigmoid, weighed
from .lexical import EVIDENCE
from .long_texts import Claims
from .options import NliLexOptions, Weights


@dataclass(frozen=True)
class Parts(Pairs):
    """What is known of each pair of an answer with one of its references, before options turn it into a score.

    Args:
        claims: What is looked for in each pair: one claim, unless it is read by the sentence.
        entailment: se, shape (claims,).
        evidence: What the words and the lengths say, by name, each of shape (claims,); `match` is the paper's lm.
        weights: Of the logistic layer, by the name of what they weigh; empty for the entailment probability itself.
    """

    claims: Claims
    entailment: Floats
    evidence: Mapping[str, Floats]
    weights: Weights


@dataclass(frozen=True)
class Scores:
    """The scores of each row, with the reference that gave the best; every array has shape (rows,)."""

    score: Floats
    verdict: NDArray[np.bool_]
    best_reference: Indices
    entailment: Floats
    match: Floats
    recall: Floats
    missing_numbers: Floats
    negations_differ: Floats
    sentence_recall: list[float | None] | None
    sentence_precision: list[float | None] | None
    token_f1: list[float | None] | None
    not_attempted: list[bool] | None = None


def score(parts: Parts, options: NliLexOptions) -> Scores:
    """Score every pair and keep each row's best reference (the first of equals)."""
    columns = {"entailment": parts.entailment, **parts.evidence}
    probabilities = np.where(parts.answered, probability(columns, parts.weights), 0.0)
    pair_scores = parts.claims.score(probabilities, options.lexical is not False)
    best = first_best(pair_scores, parts.starts)
    shown: dict[str, Any] = {name: parts.claims.recall(columns[name])[best] for name in ("entailment", *EVIDENCE)}
    return Scores(
        score=pair_scores[best],
        verdict=pair_scores[best] > options.threshold,
        best_reference=best - parts.starts,
        **shown,
        **parts.claims.told(probabilities, best, options.by_sentence),
    )


def class_probability(logits: Floats, number: int) -> Floats:
    """Softmax probability of one class, shape (inputs,)."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probability: Floats = shifted[:, number] / shifted.sum(axis=1)
    return probability


def probability(columns: Mapping[str, Floats], weights: Weights) -> Floats:
    """Return p = sigmoid(Σ w · column + b), shape (pairs,); without weights the entailment probability itself."""
    if not weights:
        return columns["entailment"]
    return sigmoid(weighed(columns, weights))
