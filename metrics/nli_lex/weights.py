"""Weights of NLI+lex's logistic layer: which are used, and how they are learned (paper, section 3.2, appendix B)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.arguments import is_file, is_folder, shown
from .._shared.arithmetic import Floats, Indices, column, first_best
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
    weights = given_weights(lexical, given)
    if weights is None and lexical is False:
        return {}
    weights = defaults.get(lexical) if weights is None else weights
    if weights is None:
        raise ValueError(
            f"nli_lex: there are no weights for lexical={lexical!r} with this model; pass weights=, see fit"
        )
    _check(lexical, weights)
    return weights


def given_weights(lexical: Any, given: Weights | str | Path | None) -> Weights | None:
    """Return the weights that are given, checked as far as that is possible without a model; None if there are none.

    Args:
        lexical: The signal that they are for; None where the model has yet to say which.
        given: Weights, or a file with some.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: they are not those of the signal, of any signal where it is None.
    """
    if given is None:
        return None
    weights = _read(given) if isinstance(given, (str, Path)) else given
    _check(lexical, weights)
    return weights


def _check(lexical: Any, weights: Weights) -> None:
    signals = SIGNALS.values() if lexical is None else [SIGNALS[lexical]]
    wanted = [sorted({"entailment", "intercept", *names}) for names in signals]
    numbers = all(isinstance(w, (int, float)) and np.isfinite(w) for w in weights.values())
    if not numbers or set(weights) not in map(set, wanted):
        signal = "" if lexical is None else f"with lexical={lexical!r} "
        told = "; or ".join(map(", ".join, wanted))
        raise ValueError(f"nli_lex: weights are {shown(dict(weights))}; {signal}expected finite numbers for {told}")


def _read(file: str | Path) -> Weights:
    path = Path(file).expanduser()
    if not is_file(path):
        raise FileNotFoundError(
            f"nli_lex: weights is {shown(str(file))}, and there is no such file; fit(…, path=…) writes one"
        )
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


def check_labels(labels: Sequence[bool]) -> None:
    """Raise ValueError for labels that are all the same."""
    if len(set(labels)) == 1:
        raise ValueError("nli_lex: labels are all the same; expected correct and incorrect answers to learn from")


def check_target(path: str | Path) -> None:
    """Raise FileNotFoundError or ValueError for a path where no file can be written."""
    target = Path(path).expanduser()
    if not is_folder(target.parent):
        raise FileNotFoundError(f"nli_lex: path is {shown(str(path))}, and there is no folder {target.parent}; make it")
    if is_folder(target):
        raise ValueError(f"nli_lex: path is {shown(str(path))}, which is a folder; expected a file for the weights")


def learner() -> Any:
    """Return scikit-learn's logistic regression; raises ImportError where it is missing."""
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
        names: Those to weigh.
        starts: Number of the first pair of each row, shape (rows,).
        answered: False for a pair whose answer is blank, shape (pairs,).
        labels: Whether people called each row correct, shape (rows,); not all the same.
        strength: Weight of the ridge penalty, ½ · strength · |w|² beside the sum of the rows' log-losses.
        importance: By which each row's log-loss is multiplied, shape (rows,); by default 1.

    Raises:
        ImportError: scikit-learn is missing.
    """
    regression = learner()
    matrix = np.column_stack([column(columns, name) for name in names])
    weights = {**dict.fromkeys(names, 1.0), "intercept": 0.0}
    for _ in range(_TURNS):
        best = first_best(np.where(answered, probability(columns, weights), 0.0), starts)
        model = regression(C=1 / strength, max_iter=1000, tol=1e-8).fit(matrix[best], labels, importance)
        weights = {**dict(zip(names, model.coef_[0].tolist(), strict=True)), "intercept": float(model.intercept_[0])}
    return weights
