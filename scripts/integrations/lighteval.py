"""Metrics for tasks of lighteval: `metrics=[row_metric("bem")]`; all answers are scored in one call.

The task `sample_qa` below is an example; replace its questions with yours:

    lighteval accelerate "model_name=…" sample_qa --custom-tasks evaluate_qa.lighteval
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from evaluate_qa.loading import LazyMetric


class SampleScores(SampleLevelComputation):
    """Scores of all rows by a metric of evaluate-qa."""

    def __init__(self, metric: LazyMetric) -> None:
        self.metric = metric

    def compute(self, responses: list[ModelResponse], docs: list[Doc], **_: Any) -> list[float]:
        """Score the answers of the model."""
        result = self.metric.compute(
            predictions=[response.final_text[0].strip() for response in responses],
            references=[doc.get_golds() for doc in docs],
            questions=[(doc.specific or {}).get("question", doc.query) for doc in docs],
        )
        return [np.nan if score is None else score for score in result["per_example"]["score"]]


def row_metric(name: str, compute: Mapping[str, Any] | None = None, **options: Any) -> SampleLevelMetric:
    """Return a metric of evaluate-qa for lighteval.

    Golds are the references. The question is the document's `specific["question"]` (default: its whole query).

    Args:
        name: The name or the folder of the metric.
        compute: Options of `compute`, such as `typed` or `tolerance`.
        **options: Options of `load`, such as device and model, or the judge's endpoint.
    """
    return SampleLevelMetric(
        metric_name=name,
        sample_level_fn=SampleScores(LazyMetric(name, options, compute)),
        category=SamplingMethod.GENERATIVE,
        corpus_level_fn=np.nanmean,  # rows that a judge could not score are left out
        higher_is_better=True,
        batched_compute=True,
    )


def prompt(line: dict[str, Any], task_name: str) -> Doc:
    """Ask the model a question; all references are gold, and metrics receive the question alone."""
    return Doc(
        task_name=task_name,
        query=f"Question: {line['question']}\nAnswer:",
        choices=line["references"],
        gold_index=list(range(len(line["references"]))),
        specific={"question": line["question"]},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="sample_qa",
        prompt_function=prompt,
        hf_repo=str(Path(__file__).parent / "questions"),  # or the name of a data set on the Hub
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=32,
        stop_sequence=["\n"],
        metrics=[row_metric(name) for name in ("smile", "nli_lex", "bem")],
    )
]
