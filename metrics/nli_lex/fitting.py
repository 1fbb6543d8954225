"""Weights of NLI+lex's logistic layer, learned from judged answers (paper, section 3.2 and appendix B)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .expansion import Inputs
from .scoring import Floats, probability

# Which reference of a row is the best depends on the weights, and they on it: a few turns settle both.
_TURNS = 5


def fit_weights(
    columns: Mapping[str, Floats], names: Sequence[str], inputs: Inputs, labels: NDArray[np.bool_], strength: float
) -> dict[str, float]:
    """Return the weights of a logistic regression of the labels on the best reference's columns.

    Args:
        columns: Values of every pair, by name.
        names: Those to weigh.
        inputs: Which pairs belong to which row.
        labels: Whether people judged each row correct, shape (rows,).
        strength: Weight of the ridge penalty, ½ · strength · |w|² beside the sum of the rows' log-losses.

    Raises:
        ImportError: scikit-learn is missing.
        ValueError: the labels are all the same.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise ImportError("nli_lex: fit needs scikit-learn: pip install scikit-learn") from error
    if labels.all() or not labels.any():
        raise ValueError("nli_lex: labels are all the same; expected correct and incorrect answers to learn from")
    matrix = np.column_stack([columns[name] for name in names])
    weights = {**dict.fromkeys(names, 1.0), "intercept": 0.0}
    for _ in range(_TURNS):
        best = inputs.best_reference(np.where(inputs.answered, probability(columns, weights), 0.0))
        model = LogisticRegression(C=1 / strength, max_iter=1000, tol=1e-8).fit(matrix[best], labels)
        weights = {**dict(zip(names, model.coef_[0].tolist(), strict=True)), "intercept": float(model.intercept_[0])}
    return weights
