"""Metrics for tasks of lm-evaluation-harness: all answers are scored in one call. sample_qa.yaml shows such a task.

The harness calls `process_results` for each answer as soon as it is there, and an aggregation with all that these calls
returned. Here the former only gathers and the latter calls `compute` once. It then puts the scores of each row where
the harness keeps what was gathered, so that `--log_samples` writes them. (With several processes the harness keeps a
copy, which has no scores; `evaluate-qa score` adds them to it.)
"""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import datasets

from evaluate_qa.loading import load_metric

METRICS = ("smile", "nli_lex", "bem")

Row = dict[str, Any]


def dataset(**_: Any) -> datasets.DatasetDict:
    """Return the questions of the task `sample_qa`, with their references."""
    return datasets.load_dataset(str(Path(__file__).parent / "questions"))


def process_results(doc: Row, results: list[str]) -> dict[str, Row]:
    """Gather one answer with its question and references, under the name of each metric."""
    row = {"predictions": results[0].strip(), "references": doc["references"], "questions": doc["question"]}
    return {name: dict(row) for name in METRICS}


@lru_cache
def _loaded(name: str) -> Any:
    return load_metric(name)


def _mean(name: str, rows: list[Row]) -> float:
    """Score all rows in one call; return the mean, and leave each row its own scores."""
    columns = {column: [row[column] for row in rows] for column in ("predictions", "references", "questions")}
    result = _loaded(name).compute(**columns)
    for number, row in enumerate(rows):
        row.update({column: values[number] for column, values in result["per_example"].items()})
    return float(result[name])


mean_smile = partial(_mean, "smile")
mean_nli_lex = partial(_mean, "nli_lex")
mean_bem = partial(_mean, "bem")
