"""Types of arrays, and arrays of consecutive runs: a row's pairs of answer and reference are a run."""

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def is_correct(scores: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return whether each score reaches the threshold. At a threshold of 0, the score 0 of a blank answer does not."""
    return scores >= threshold if threshold else scores > 0


def run_starts(lengths: Iterable[int]) -> Indices:
    """Return the index at which each run begins, from the lengths of the runs."""
    return np.array([0, *accumulate(lengths)][:-1], dtype=np.intp)


def first_best(values: NDArray[np.floating], starts: Indices) -> Indices:
    """Return the index of the first maximum in each run of `values`; runs begin at `starts` and are not empty.

    >>> first_best(np.array([0.1, 0.7, 0.7, 0.3]), np.array([0, 3])).tolist()
    [1, 3]
    """
    maxima = np.maximum.reduceat(values, starts)
    at_maximum = np.flatnonzero(values == np.repeat(maxima, np.diff(starts, append=len(values))))
    first: Indices = at_maximum[np.searchsorted(at_maximum, starts)]
    return first
