"""Weights of NLI+lex's logistic layer: which are used, and how they are learned (paper, section 3.2, appendix B)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Floats, Indices, column, first_best
from .options import SIGNALS, Weights
from .scoring import probability

# For a checkpoint that no weights were fitted for (the paper's were never released): entailment above one half
# decides; where the words match, any entailment at all does.
UNFITTED: Mapping[str, Weights] = {"match": {"entailment": 6.0, "match": 3.0, "intercept": -3.0}}

# Which reference of a row is the best depends on the weights, and they on it: a few turns settle both.
_TURNS = 5


def chosen_weights(lexical: Any, given: Weights | str | Path | None, defaults: Mapping[str, Weights]) -> Weights:
    """Return the weights of the lexical signal, checked; none for plain NLI where none are given.

    Args:
        lexical: The signal, a key of `SIGNALS`.
        given: Weights, or a file with some; None for the defaults.
        defaults: By signal.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there are none, or they are not those of this signal.
    """
    weights = read_weights(given) if isinstance(given, (str, Path)) else given
    if weights is None:
        if lexical is False:
            return {}
        weights = defaults.get(lexical)
    if weights is None:
        raise ValueError(
            f"nli_lex: there are no weights for lexical={lexical!r} with this model; pass weights=, see fit"
        )
    wanted = {"entailment", "intercept", *SIGNALS[lexical]}
    numbers = all(isinstance(w, (int, float)) and np.isfinite(w) for w in weights.values())
    if set(weights) != wanted or not numbers:
        raise ValueError(
            f"nli_lex: weights are {dict(weights)!r}; with lexical={lexical!r} expected finite numbers for "
            f"{', '.join(sorted(wanted))}"
        )
    return weights


def read_weights(file: str | Path) -> Weights:
    """Read weights that `fit` has written.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a JSON object of numbers.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"nli_lex: there is no file {path} with weights; fit(…, path=…) writes one")
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"nli_lex: {path} is not JSON: {error}") from None
    if not isinstance(weights, dict):
        raise ValueError(f"nli_lex: {path} holds {type(weights).__name__}; expected an object of numbers")
    return weights


def check_strength(strength: object) -> None:
    """Raise ValueError for a penalty that is not a number above 0."""
    if isinstance(strength, bool) or not isinstance(strength, (int, float)) or not 0 < strength < np.inf:
        raise ValueError(f"nli_lex: strength is {strength!r}; expected a number above 0")


def fit_weights(
    columns: Mapping[str, Floats],
    names: Sequence[str],
    starts: Indices,
    answered: NDArray[np.bool_],
    labels: NDArray[np.bool_],
    strength: float,
    importance: Floats | None = None,
) -> dict[str, float]:
    """Return the weights of a logistic regression of the labels on the best reference's columns.

    Args:
        columns: Values of every pair, by name.
        names: Those to weigh.
        starts: Number of the first pair of each row, shape (rows,).
        answered: False for a pair whose answer is blank, shape (pairs,).
        labels: Whether people called each row correct, shape (rows,).
        strength: Weight of the ridge penalty, ½ · strength · |w|² beside the sum of the rows' log-losses.
        importance: By which each row's log-loss is multiplied, shape (rows,); by default 1.

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
    matrix = np.column_stack([column(columns, name) for name in names])
    weights = {**dict.fromkeys(names, 1.0), "intercept": 0.0}
    for _ in range(_TURNS):
        best = first_best(np.where(answered, probability(columns, weights), 0.0), starts)
        model = LogisticRegression(C=1 / strength, max_iter=1000, tol=1e-8).fit(matrix[best], labels, importance)
        weights = {**dict(zip(names, model.coef_[0].tolist(), strict=True)), "intercept": float(model.intercept_[0])}
    return weights
