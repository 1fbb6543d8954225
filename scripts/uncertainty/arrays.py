"""Check numbers and groups, and convert them to arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def number_array(name: str, values: ArrayLike | Sequence[float | None], rows: int | None = None) -> Floats:
    """Return numbers as an array, with NaN for None; raise ValueError for other values or another number of rows."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"{name} is {values!r:.80}; expected a list of numbers")
    if rows is not None and len(array) != rows:
        raise ValueError(f"the length of {name} is {len(array)}; expected {rows}, one value for each row")
    return array


def require(name: str, values: Floats, is_right: Bools, expected: str) -> None:
    """Raise ValueError for the first value that is not right."""
    if not is_right.all():
        row = int(is_right.argmin())
        raise ValueError(f"{name}[{row}] is {values[row]:g}; expected {expected}")


def factorize(name: str, values: ArrayLike | None, rows: int) -> tuple[tuple[str, ...], Ints]:
    """Return the distinct values as texts, in the order of their first rows, and the number of each row's value."""
    if values is None:
        return (), np.zeros(rows, np.int64)
    found: list[object] = values.tolist() if isinstance(values, np.ndarray) else list(values)  # type: ignore[arg-type]
    if len(found) != rows:
        raise ValueError(f"the length of {name} is {len(found)}; expected {rows}, one value for each row")
    texts = list(map(str, found))
    seen = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return tuple(seen), np.fromiter(map(seen.__getitem__, texts), np.int64, rows)


def cluster_codes(clusters: ArrayLike | None, rows: int) -> Ints:
    """Return the number of each row's cluster, from 0; a row without a cluster is one."""
    if clusters is None:
        return np.arange(rows)
    listed: list[Any] = clusters.tolist() if isinstance(clusters, np.ndarray) else list(clusters)  # type: ignore[arg-type]
    own = (f"\0{row}" if value is None or str(value) == "nan" else value for row, value in enumerate(listed))
    return factorize("clusters", [*own], rows)[1]
