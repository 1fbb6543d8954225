"""BEM's score (Bulian et al. 2022): the probability of the class "equivalent". Pure: numpy and nothing else.

The embedded matcher has a final logistic layer over its own margin and what the words say:

    p = sigmoid(w · [margin, match, recall, missing_numbers, negations_differ] + b)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreOptions:
    """How the model's output becomes a score.

    Args:
        threshold: A score above this is correct.
        lexical: Whether the final layer with the words' evidence is used; by default where the classifier has one.

    Raises:
        ValueError: a value outside its range.
    """

    threshold: float = 0.5
    lexical: bool | None = None

    def __post_init__(self) -> None:
        value = self.threshold
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ValueError(f"bem: threshold is {value!r}; expected a number from 0 to 1")
        if self.lexical is not None and not isinstance(self.lexical, bool):
            raise ValueError(f"bem: lexical is {self.lexical!r}; expected True, False or None")


def margins(logits: Floats, equivalent: int) -> Floats:
    """Return the logit of p(equivalent) under the softmax: its logit less the log-sum-exp of the others'."""
    others = np.delete(logits, equivalent, axis=1)
    highest = others.max(axis=1)
    rest: Floats = highest + np.log(np.exp(others - highest[:, None]).sum(axis=1))
    return logits[:, equivalent] - rest


def combined(margin: Floats, features: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return the final layer's margin: Σ w·feature + b; without weights the classifier's own."""
    if not weights:
        return margin
    total = weights["margin"] * margin + weights["intercept"]
    for name, values in features.items():
        total = total + weights[name] * values
    return total


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    result: Floats = np.exp(-np.logaddexp(0, -values))
    return result
