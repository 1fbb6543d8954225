"""Weights of NLI+lex's logistic layer: checks, and a fit to labels (paper, section 3.2, appendix B)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.arguments import is_file, shown
from .._shared.arithmetic import Floats, Indices, column, first_best
from .options import SIGNALS, Weights
from .scoring import probability

# For checkpoints without fitted weights (those of the paper were never released). An answer is correct if the
# entailment probability is above one half, or if it contains the reference and the probability is above 0.
UNFITTED: Mapping[str, Weights] = {"match": {"entailment": 6.0, "match": 3.0, "intercept": -3.0}}

# The best reference of a row depends on the weights, and the weights on the best references.
_ROUNDS = 5


def chosen_weights(lexical: Any, given: Weights | str | Path | None, defaults: Mapping[str, Weights]) -> Weights:
    """Return the given weights, or the default weights of a lexical signal; plain NLI has no default weights.

    Args:
        lexical: The signal, a key of `SIGNALS`.
        given: Weights, or a file of weights.
        defaults: Weights by signal.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There are no weights, or weights of another signal.
    """
    if given is not None:
        return given_weights(lexical, given)
    if lexical is False:
        return {}
    if lexical not in defaults:
        raise ValueError(f"nli_lex: this model has no weights for lexical={lexical!r}; pass weights=, see fit")
    return defaults[lexical]


def given_weights(lexical: Any, given: Weights | str | Path) -> Weights:
    """Return given weights after a check; `lexical` is None if the signal depends on a model that is not loaded yet.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The weights do not belong to the signal, or to any signal if `lexical` is None.
    """
    weights = _read(given) if isinstance(given, (str, Path)) else given
    signals = SIGNALS.values() if lexical is None else [SIGNALS[lexical]]
    expected = [sorted({"entailment", "intercept", *names}) for names in signals]
    numbers = all(isinstance(w, (int, float)) and np.isfinite(w) for w in weights.values())
    if not numbers or sorted(map(str, weights)) not in expected:
        signal = "" if lexical is None else f"with lexical={lexical!r} "
        names = "; or ".join(map(", ".join, expected))
        raise ValueError(f"nli_lex: weights are {shown(dict(weights))}; {signal}expected finite numbers for {names}")
    return weights


def _read(file: str | Path) -> Weights:
    path = Path(file).expanduser()
    if not is_file(path):
        raise FileNotFoundError(f"nli_lex: weights is {shown(str(file))}, but there is no such file; expected JSON")
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"nli_lex: {path} is not JSON: {error}") from None
    if not isinstance(weights, dict):
        raise ValueError(f"nli_lex: {path} contains {type(weights).__name__}; expected an object of numbers")
    return weights


def learner() -> Any:
    """Return scikit-learn's logistic regression; raise ImportError if scikit-learn is missing."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise ImportError("nli_lex: fit needs scikit-learn: pip install scikit-learn") from error
    return LogisticRegression


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
        names: Names of the columns to use.
        starts: Index of the first pair of each row, shape (rows,).
        answered: False for a pair with a blank answer, shape (pairs,).
        labels: Whether people called each row correct, shape (rows,); not all equal.
        strength: Weight of the ridge penalty ½ · strength · |w|², which is added to the sum of the rows' log-losses.
        importance: Weight of each row's log-loss, shape (rows,) (default: 1).

    Raises:
        ImportError: scikit-learn is missing.
    """
    regression = learner()
    matrix = np.column_stack([column(columns, name) for name in names])
    weights = {**dict.fromkeys(names, 1.0), "intercept": 0.0}
    for _ in range(_ROUNDS):
        best = first_best(np.where(answered, probability(columns, weights), 0.0), starts)
        model = regression(C=1 / strength, max_iter=1000, tol=1e-8).fit(matrix[best], labels, importance)
        weights = {**dict(zip(names, model.coef_[0].tolist(), strict=True)), "intercept": float(model.intercept_[0])}
    return weights
