"""Metrics for tasks of lm-evaluation-harness, such as sample_qa.yaml; all answers are scored in one call.

The harness calls `process_results` for each answer, and an aggregation with the returned rows, which calls `compute`
once. The aggregation also adds the scores to the rows, so that `--log_samples` writes them. (With several processes,
the harness logs copies without scores; add them with `evaluate-qa score`.)

For other metrics or options, write a module next to the task's file and name its functions there:

    process_results = results_of("judge")
    mean_judge = MeanScore("judge", {"endpoint": "http://localhost:8000/v1", "model": "my-model"})
"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import datasets

from evaluate_qa.loading import LazyMetric

METRICS = ("smile", "nli_lex", "bem", "deltableu", "judge")
"""The metrics that score texts."""

Row = dict[str, Any]


def dataset(**_: Any) -> datasets.DatasetDict:
    """Return the questions of the task `sample_qa`, with their references."""
    return datasets.load_dataset(str(Path(__file__).parent / "questions"))


class MeanScore(LazyMetric):
    """An aggregation for `metric_list`: scores all rows in one call and adds its scores to each row.

    Args:
        name: The metric, one of `METRICS`.
        load: Options of `load`, such as the judge's endpoint.
        compute: Options of `compute`, such as `typed` or `tolerance`.
    """

    def __call__(self, rows: list[Row]) -> float:
        """Return the mean score; NaN if no row could be scored."""
        columns = {column: [row[column] for row in rows] for column in ("predictions", "references", "questions")}
        result = self.compute(**columns)
        for number, row in enumerate(rows):
            row.update({column: values[number] for column, values in result["per_example"].items()})
        mean = result[self.name]
        return math.nan if mean is None else float(mean)


def results_of(*names: str) -> Callable[[Row, list[str]], dict[str, Row]]:
    """Return a function `process_results` for a task with these metrics; its documents have question and references."""
    return partial(_results, names)


def _results(names: tuple[str, ...], doc: Row, results: list[str]) -> dict[str, Row]:
    """Return an answer with its question and references, under the name of each metric."""
    row = {"predictions": results[0].strip(), "references": doc["references"], "questions": doc["question"]}
    return {name: dict(row) for name in names}


process_results = results_of("smile", "nli_lex", "bem")
mean_smile, mean_nli_lex, mean_bem = map(MeanScore, ("smile", "nli_lex", "bem"))
