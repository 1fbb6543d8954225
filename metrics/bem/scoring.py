"""BEM's score (Bulian et al. 2022): the probability of the class "equivalent".

The embedded matcher has a final logistic layer, which adjusts the classifier's margin:

    p = sigmoid(Σ w · feature + b)

If the reference has at least five words, and the answer at most three times as many, the features also measure lengths
and shared character trigrams (`_shared/lexical.py`). An answer of just the reference's words gets 4 added to the sum.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats, Indices
from .._shared.logistic import logit, sigmoid
from .._shared.matcher_features import PairFeatures, best_pairs
from .options import BemOptions


@dataclass(frozen=True)
class Scores:
    """The scores of each row, for its best reference; every array has shape (rows,)."""

    score: Floats
    verdict: NDArray[np.bool_]
    best_reference: Indices
    margin: Floats
    sentence_recall: list[float | None] | None
    sentence_precision: list[float | None] | None
    token_f1: list[float | None] | None
    unsupported_language: NDArray[np.bool_]


def score(features: PairFeatures, options: BemOptions) -> Scores:
    """Score every pair, and keep each row's best reference (the first of several equal ones)."""
    weights = {} if options.final_layer is False else features.weights
    probability = sigmoid(final_margin(features.outputs, features.word_features, weights))
    best, found = best_pairs(features, probability, options, options.final_layer is not False)
    return Scores(margin=features.claims.recall(features.outputs)[best], **found)


def margins(logits: Floats, equivalent: int) -> Floats:
    """Return the logit of p(equivalent) under the softmax: its logit minus the log-sum-exp of the other logits."""
    others = np.delete(logits, equivalent, axis=1)
    highest = others.max(axis=1)
    rest: Floats = highest + np.log(np.exp(others - highest[:, None]).sum(axis=1))
    return logits[:, equivalent] - rest


def final_margin(margin: Floats, word_features: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return the final layer's margin, Σ w·feature + b; without weights, the classifier's own margin."""
    return logit({"margin": margin, **word_features}, weights) if weights else margin
