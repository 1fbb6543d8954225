"""What a metric or a baseline says of each judged answer, and how it is read from the result of `compute`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..metrics._shared.inputs import as_list
from .baselines import Baseline
from .judged import JudgedRow
from .judgements import Bools, Floats


@dataclass(frozen=True)
class RowScores:
    """What one metric says of each row.

    Attributes:
        name: The metric's name in tables.
        scores: Its score of each row.
        verdicts: Whether it calls the row correct; None if it does not say.
        signature: What the scores depend on, where the metric tells.
    """

    name: str
    scores: Floats
    verdicts: Bools | None
    signature: str | None = None


def score_baseline(baseline: Baseline, rows: Sequence[JudgedRow]) -> RowScores:
    """Score all rows with a baseline."""
    from tqdm.auto import tqdm

    progress = tqdm(rows, desc=baseline.name, unit="row", leave=False, delay=1)
    scores = [baseline.score(row.answer, row.references) for row in progress]
    verdicts = [baseline.is_correct(score) for score in scores]
    return RowScores(baseline.name, np.array(scores, dtype=np.float64), np.array(verdicts))


def read_result(
    result: Mapping[str, Any], rows: int, name: str, column: str | None = None, threshold: float | None = None
) -> RowScores:
    """Take the scores of each row from what `compute` returned.

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
    scores = np.array([_number(name, row, value) for row, value in enumerate(lists[chosen])], dtype=np.float64)
    verdicts = None
    if threshold is not None:
        verdicts = scores >= threshold
    elif chosen == "score" and "verdict" in lists:
        verdicts = np.array(lists["verdict"], dtype=bool)
    return RowScores(name, scores, verdicts, result.get("signature"))


def best_of_runs(found: RowScores, lengths: Sequence[int]) -> RowScores:
    """Reduce the scores of consecutive pairs of answer and reference to the best of each answer.

    Args:
        found: The scores of all pairs.
        lengths: How many references each answer has, none of them 0.
    """
    starts = np.cumsum([0, *lengths[:-1]])
    verdicts = None if found.verdicts is None else np.logical_or.reduceat(found.verdicts, starts)
    return RowScores(found.name, np.maximum.reduceat(found.scores, starts), verdicts, found.signature)


def _lists(result: Mapping[str, Any], rows: int) -> dict[str, list[Any]]:
    per_example = result.get("per_example")
    columns = per_example if isinstance(per_example, Mapping) else result
    lists = {name: as_list(values) for name, values in columns.items()}
    return {
        name: values
        for name, values in lists.items()
        if values is not None and len(values) == rows and isinstance(values[0], Real)
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
