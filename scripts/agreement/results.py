"""Read each row's score from what `compute` of any metric returns."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.arguments import as_list

from .row_scores import RowScores


def read_result(
    result: Mapping[str, Any], rows: int, name: str, column: str | None = None, threshold: float | None = None
) -> RowScores:
    """Take the scores of each row from what `compute` returned; NaN for a row that it left without one.

    Args:
        result: A result with the dict `per_example` of lists, as this package's metrics give it, or with lists at
            its top, as other metrics do.
        rows: How many rows were scored.
        name: Name of the metric in tables.
        column: The list to take; None for `score`, `scores` or the only one there is.
        threshold: A score of at least this is a verdict "correct"; None takes the list `verdict`, if there is one
            beside `score`.

    Raises:
        ValueError: there is no such list or several to choose from, or a score is no finite number.
    """
    lists = _lists(result, rows)
    chosen = _choose(lists, rows, name, column)
    scores = np.array(
        [math.nan if value is None else _number(name, row, value) for row, value in enumerate(lists[chosen])]
    )
    verdicts = None
    if threshold is not None:
        verdicts = scores >= threshold
    elif chosen == "score" and "verdict" in lists:
        verdicts = np.array(lists["verdict"], dtype=bool)
    return RowScores(name, scores, verdicts, result.get("signature"))


def gives_row_scores(result: Mapping[str, Any], rows: int, metric: str) -> bool:
    """Whether a result has a score for each row.

    A number under the metric's own name and lists at the same level, as evaluate's bleu gives them, are about all rows
    together, even if a list happens to be as long as there are rows.
    """
    return "per_example" in result or not (isinstance(result.get(metric), Real) or not _lists(result, rows))


def read_number(result: Mapping[str, Any], name: str, column: str) -> float:
    """Take one number from the result for a single row.

    Raises:
        ValueError: it is not there; the message names those that are.
    """
    if column not in result:
        numbers = [key for key, value in result.items() if isinstance(value, Real)]
        cure = f"name one of them, for example {name}:{numbers[0]}" if numbers else "it cannot be compared"
        raise ValueError(f"{name}: its result has the numbers {', '.join(numbers) or 'none'}; {cure}")
    return _number(name, 0, result[column])


def _lists(result: Mapping[str, Any], rows: int) -> dict[str, list[Any]]:
    per_example = result.get("per_example")
    columns = per_example if isinstance(per_example, Mapping) else result
    lists = {name: as_list(values) for name, values in columns.items()}
    return {
        name: values
        for name, values in lists.items()
        if values is not None
        and len(values) == rows
        and isinstance(next((value for value in values if value is not None), None), Real)
    }


def _choose(lists: Mapping[str, list[Any]], rows: int, name: str, column: str | None) -> str:
    wanted = [column] if column else ["score", "scores", *(lists if len(lists) == 1 else ())]
    for candidate in wanted:
        if candidate in lists:
            return candidate
    if not lists:
        raise ValueError(f"{name}: its result has no list of {rows} numbers, a score for each row")
    raise ValueError(
        f"{name}: its result has the per-row scores {', '.join(lists)}; name one of them, for example "
        f"{name.partition(':')[0]}:{next(iter(lists))}"
    )


def _number(name: str, row: int, value: object) -> float:
    if not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name}: the score of row {row} is {value!r}; expected a finite number")
    return float(value)
