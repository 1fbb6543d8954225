"""What the columns may hold: references, their weights, and a second system's predictions."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from .._shared.arguments import RowValueError, Unexpected, as_list, clean, prediction, texts


def references(value: object) -> list[str]:
    """Check one row of references: a string, or a list of strings of which at least one is not blank.

    A blank one beside others is a reference of length 0, as in sacrebleu: translated answers of real sets are blank
    here and there, and to leave them out would leave out their weights.
    """
    items = as_list(value)
    if items and all(isinstance(item, str) for item in items) and any(item.strip() for item in items):
        return [clean(item) for item in items]
    return texts(value)


def weights(value: object) -> list[float]:
    """Check one row of weights: numbers in [−1, 1], at least one above 0. `None` stands for 1s, comes back as `[]`."""
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
    """Check one prediction of a second system, which comes back in a list; `None`, for no such system, as `[]`."""
    return [] if value is None else [prediction(value)]


def check_agreement(columns: Mapping[str, list[Any]]) -> None:
    """Raise RowValueError where a row has not one weight for each reference, or lacks a second prediction."""
    for row, (given, references) in enumerate(zip(columns["reference_weights"], columns["references"], strict=True)):
        if given and len(given) != len(references):
            raise RowValueError(
                f"deltableu: reference_weights[{row}] has length {len(given)}, references[{row}] {len(references)}; "
                "expected one weight for each reference",
                "reference_weights",
                row,
            )
    against = columns["against"]
    if any(against) and not all(against):
        row = against.index([])
        raise RowValueError(
            f"deltableu: against[{row}] is missing; expected a prediction of the second system for every row, or "
            "for none",
            "against",
            row,
        )
