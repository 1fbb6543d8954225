"""Read each row's score from the result of any metric's `compute`."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..scoring.row_scorer import row_lists
from .row_scores import RowScores


def read_result(
    result: Mapping[str, Any], rows: int, name: str, column: str | None = None, threshold: float | None = None
) -> RowScores:
    """Return the scores of each row; NaN for a row that the metric left without a score.

    Args:
        result: A result with lists in the dict `per_example`, as in this package, or at its top, as in other metrics.
        rows: Number of scored rows.
        name: Name of the metric in tables.
        column: Name of the list; None for `score`, `scores` or the only list.
        threshold: Scores from here on mean "correct"; None for the list `verdict` next to `score`, if there is one.
    """
    metric = name.partition(":")[0]
    if "per_example" not in result and isinstance(result.get(metric), Real):
        # Lists next to it, such as the precisions of BLEU, are about all rows together.
        raise ValueError(f"{name}: its result is one number for all rows. Choose a metric with a score for each row.")
    lists = {name: values for name, values in row_lists(result, rows).items() if _are_numbers(values)}
    wanted = [column] if column else ["score", "scores", *(lists if len(lists) == 1 else ())]
    chosen = next((one for one in wanted if one in lists), None)
    if chosen is None:
        if not lists:
            raise ValueError(f"{name}: its result has no list of {rows} numbers, one score for each row.")
        raise ValueError(
            f"{name}: its result has the row scores {', '.join(lists)}. Name one, such as {metric}:{next(iter(lists))}."
        )
    scores = np.array([_number(name, row, value) for row, value in enumerate(lists[chosen])])
    verdicts = None
    if threshold is not None:
        verdicts = scores >= threshold
    elif chosen == "score" and "verdict" in lists:
        verdicts = np.array(lists["verdict"], dtype=bool)
    cached = sum(map(bool, lists.get("cached", [])))
    return RowScores(name, scores, verdicts, result.get("signature"), cost=result.get("cost"), cached=cached)


def _are_numbers(values: list[Any]) -> bool:
    return isinstance(next((value for value in values if value is not None), None), Real)


def _number(name: str, row: int, value: object) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name}: the score of row {row} is {value!r}; expected a finite number")
    return float(value)
