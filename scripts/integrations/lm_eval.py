"""Metrics for tasks of lm-evaluation-harness, such as sample_qa.yaml; all answers are scored in one call.

The harness calls `process_results` for each answer, and an aggregation with the returned rows, which calls `compute`
once. The aggregation also adds the scores to the rows, so that `--log_samples` writes them. (With several processes,
the harness logs copies without scores; add them with `evaluate-qa score`.)
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
    """Return an answer with its question and references, under the name of each metric."""
    row = {"predictions": results[0].strip(), "references": doc["references"], "questions": doc["question"]}
    return {name: dict(row) for name in METRICS}


@lru_cache
def _loaded(name: str) -> Any:
    return load_metric(name)


def _mean(name: str, rows: list[Row]) -> float:
    """Score all rows in one call, add its scores to each row, and return the mean."""
    columns = {column: [row[column] for row in rows] for column in ("predictions", "references", "questions")}
    result = _loaded(name).compute(**columns)
    for number, row in enumerate(rows):
        row.update({column: values[number] for column, values in result["per_example"].items()})
    return float(result[name])


mean_smile = partial(_mean, "smile")
mean_nli_lex = partial(_mean, "nli_lex")
mean_bem = partial(_mean, "bem")
