"""Weights of NLI+lex's logistic layer: defaults, and a fit to labels (paper, section 3.2, appendix B)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats, Indices, first_best
from .._shared.logistic import feature
from .options import Weights
from .scoring import probability

# For checkpoints without fitted weights (those of the paper were never released). An answer is correct if the
# entailment probability is above one half, or if it contains the reference and the probability is above 0.
UNFITTED: Mapping[str, Weights] = {"match": {"entailment": 6.0, "match": 3.0, "intercept": -3.0}}

# Minimum number of labels of each kind: two for each weight of the default signal.
FEWEST = 20

# The best reference of a row depends on the weights, and the weights on the best references.
_ROUNDS = 5


def learner() -> Any:
    """Return scikit-learn's logistic regression; raise ImportError if scikit-learn is missing."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise ImportError("nli_lex: fit needs scikit-learn: pip install scikit-learn") from error
    return LogisticRegression


def fit_weights(
    features: Mapping[str, Floats],
    names: Sequence[str],
    starts: Indices,
    answered: NDArray[np.bool_],
    labels: NDArray[np.bool_],
    strength: float = 0.1,
    importance: Floats | None = None,
) -> dict[str, float]:
    """Return the weights of a logistic regression of the labels on the best reference's features.

    Args:
        features: Values of every pair, by name.
        names: Names of the features to use.
        starts: Index of the first pair of each row, shape (rows,).
        answered: False for a pair with a blank answer, shape (pairs,).
        labels: Whether people called each row correct, shape (rows,); not all equal.
        strength: Weight of the ridge penalty ½ · strength · |w|², which only matters for separable data.
        importance: Weight of each row's log-loss, shape (rows,) (default: 1).

    Raises:
        ImportError: scikit-learn is missing.
    """
    regression = learner()
    matrix = np.column_stack([feature(features, name) for name in names])
    weights = {**dict.fromkeys(names, 1.0), "intercept": 0.0}
    for _ in range(_ROUNDS):
        best = first_best(np.where(answered, probability(features, weights), 0.0), starts)
        model = regression(C=1 / strength, max_iter=1000, tol=1e-8).fit(matrix[best], labels, importance)
        weights = {**dict(zip(names, model.coef_[0].tolist(), strict=True)), "intercept": float(model.intercept_[0])}
    return weights
