"""A logistic layer over named features."""

from collections.abc import Mapping

import numpy as np

from .arrays import Floats


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
