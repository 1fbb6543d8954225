"""Arithmetic that several scores share."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Pairs:
    """Pairs of an answer and one of its references; the pairs of a row are consecutive."""

    starts: Indices  # index of the first pair of each row, shape (rows,)
    answered: NDArray[np.bool_]  # False for a pair with a blank answer, which scores 0; shape (pairs,)


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    result: Floats = np.exp(-np.logaddexp(0, -values))
    return result


def column(columns: Mapping[str, Floats], name: str) -> Floats:
    """Return a column; `a*b` is the product of two columns.

    >>> column({"a": np.array([1.0, 0.0]), "b": np.array([3.0, 4.0])}, "a*b").tolist()
    [3.0, 0.0]
    """
    product: Floats = np.prod([columns[part] for part in name.split("*")], axis=0)
    return product


def weighed(columns: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Return Σ w · column + intercept, the logit of a logistic layer, shape (n,)."""
    parts = [weight * column(columns, name) for name, weight in weights.items() if name != "intercept"]
    total: Floats = np.sum(parts, axis=0) + weights["intercept"]
    return total


def first_best(values: NDArray[np.floating], starts: Indices) -> Indices:
    """Return the index of the first maximum in each run of `values`; runs begin at `starts` and are not empty.

    >>> first_best(np.array([0.1, 0.7, 0.7, 0.3]), np.array([0, 3])).tolist()
    [1, 3]
    """
    maxima = np.maximum.reduceat(values, starts)
    at_maximum = np.flatnonzero(values == np.repeat(maxima, np.diff(starts, append=len(values))))
    first: Indices = at_maximum[np.searchsorted(at_maximum, starts)]
    return first
