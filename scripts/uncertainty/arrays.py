"""What figures are computed on: numbers and the codes of groups, checked and brought to arrays."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def numbers(name: str, values: ArrayLike, rows: int | None = None) -> Floats:
    """Return numbers, in which None is NaN, as an array; raises ValueError if they are none, or not so many."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"{name} is no list of numbers")
    if rows is not None and len(array) != rows:
        raise ValueError(f"there are {rows} scores, but {len(array)} {name}; give one for each row")
    return array


def codes(name: str, values: ArrayLike | None, rows: int) -> tuple[tuple[str, ...], Codes]:
    """Return the different values, as texts in order of their first rows, and the number of each row's."""
    if values is None:
        return (), np.zeros(rows, np.int64)
    found: list[object] = values.tolist() if isinstance(values, np.ndarray) else list(values)  # type: ignore[arg-type]
    if len(found) != rows:
        raise ValueError(f"there are {rows} scores, but {len(found)} {name}; give one for each row")
    texts = list(map(str, found))
    seen = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return tuple(seen), np.fromiter(map(seen.__getitem__, texts), np.int64, rows)
