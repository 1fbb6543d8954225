"""Checks of the columns: references, their weights, and answers of a second system."""

from numbers import Real

from .._shared.arguments import RowValueError, Unexpected, as_list, clean, prediction, texts


def references(value: object) -> list[str]:
    """Check one row of references: a string, or a list of strings, at least one of them not blank.

    A blank reference next to other references has length 0, as in sacrebleu. Some translated references of MORQA are
    blank; leaving them out would leave out their weights.
    """
    items = as_list(value)
    if items and all(isinstance(item, str) for item in items) and any(item.strip() for item in items):
        return [clean(item) for item in items]
    return texts(value)


def weights(value: object) -> list[float]:
    """Check one row of weights: numbers in [−1, 1], at least one above 0; `[]` for None, which means weights of 1."""
    if value is None:
        return []
    expected = "a list of numbers from -1 to 1, at least one of them above 0"
    items = as_list(value)
    if not items or not all(isinstance(item, Real) for item in items):
        raise Unexpected(expected)
    if not all(-1 <= item <= 1 for item in items) or max(items) <= 0:
        raise Unexpected(expected, RowValueError)
    return [float(item) for item in items]


def second_prediction(value: object) -> list[str]:
    """Check one answer of a second system. Return it in a list; `[]` for None, which means no second system."""
    return [] if value is None else [prediction(value)]
