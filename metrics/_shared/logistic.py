"""A logistic layer over named features."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import Floats
from .messages import short_repr
from .options import Kind, is_number
from .probes import is_file

WEIGHTS = Kind("a mapping or the name of a JSON file", lambda value: isinstance(value, (Mapping, str, os.PathLike)))


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    result: Floats = np.exp(-np.logaddexp(0, -values))
    return result


def feature(features: Mapping[str, Floats], name: str) -> Floats:
    """Return the values of a feature; `a*b` is the product of two features.

    >>> feature({"a": np.array([1.0, 0.0]), "b": np.array([3.0, 4.0])}, "a*b").tolist()
    [3.0, 0.0]
    """
    product: Floats = np.prod([features[part] for part in name.split("*")], axis=0)
    return product


def logit(features: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return Σ w · feature + intercept, the logit of the layer, shape (n,)."""
    terms = [weight * feature(features, name) for name, weight in weights.items() if name != "intercept"]
    total: Floats = np.sum(terms, axis=0) + weights["intercept"]
    return total


def read_weights(
    given: Mapping[str, float] | str | os.PathLike[str], names: Iterable[AbstractSet[str]], of: str
) -> Mapping[str, float]:
    """Return the weights of a logistic layer, or those in a JSON file of what `fit` returned, after a check.

    `names` are the sets of names that the weights may have, and `of` describes these weights in the message.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is not JSON, or the weights have other names or are not finite numbers.
    """
    weights: Any = given
    if not isinstance(given, Mapping):
        path = Path(given).expanduser()
        if not is_file(path):
            raise FileNotFoundError(
                f"weights is {short_repr(str(given))}, but there is no such file; expected a JSON file of what fit "
                "returned"
            )
        try:
            weights = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"weights: {path} is not JSON: {error}; expected what fit returned") from None
    expected = [sorted(one) for one in names]
    finite = isinstance(weights, Mapping) and all(is_number(w) and math.isfinite(w) for w in weights.values())
    if not finite or sorted(map(str, weights)) not in expected:
        raise ValueError(
            f"weights are {short_repr(weights)}; expected finite numbers for {'; or '.join(map(', '.join, expected))}, "
            f"as fit returns them{of}"
        )
    found: Mapping[str, float] = weights
    return found
