"""NLI+lex's score (Balamurali and Cheng 2025, section 3.2).

    p = sigmoid(w1 · se + w2 · lm + b)

`se` is the entailment probability, `lm` the lexical signal; an answer is correct if p reaches the threshold of 0.5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats, Indices
from .._shared.lexical import OVERLAPS
from .._shared.logistic import logit, sigmoid
from .._shared.matcher_features import PairFeatures, best_pairs
from .options import NliLexOptions, Weights


@dataclass(frozen=True)
class Scores:
    """The scores of each row, for its best reference; every array has shape (rows,)."""

    score: Floats
    verdict: NDArray[np.bool_]
    best_reference: Indices
    entailment: Floats
    match: Floats
    recall: Floats
    sentence_recall: list[float | None] | None
    sentence_precision: list[float | None] | None
    token_f1: list[float | None] | None
    unsupported_language: NDArray[np.bool_]


def score(features: PairFeatures, options: NliLexOptions) -> Scores:
    """Score every pair, and keep each row's best reference (the first of several equal ones)."""
    values = {"entailment": features.outputs, **features.word_features}
    best, found = best_pairs(features, probability(values, features.weights), options, options.lexical is not False)
    shown: dict[str, Any] = {name: features.claims.recall(values[name])[best] for name in ("entailment", *OVERLAPS)}
    return Scores(**shown, **found)


def class_probability(logits: Floats, number: int) -> Floats:
    """Return the softmax probability of a class, shape (inputs,)."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probability: Floats = shifted[:, number] / shifted.sum(axis=1)
    return probability


def probability(features: Mapping[str, Floats], weights: Weights) -> Floats:
    """Return p = sigmoid(Σ w · feature + b), shape (pairs,); without weights, the entailment probability."""
    if not weights:
        return features["entailment"]
    return sigmoid(logit(features, weights))
