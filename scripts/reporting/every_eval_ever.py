"""A model's figures as a record of Every Eval Ever: https://github.com/evaleval/every_eval_ever, schema 0.3.0."""

from datetime import datetime
from typing import Any

from .. import __version__
from ..uncertainty.intervals import Interval
from .facts import CONFIDENCE, Facts
from .hub_results import MEAN_SCORE, Task, date, named


def record(task: Task, facts: Facts, signature: str, organization: str, now: datetime) -> dict[str, Any]:
    """Return the record of Every Eval Ever."""
    developer = task.model.partition("/")[0]
    stamp = f"{now.timestamp():.0f}"
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{task.dataset.replace('/', '_')}/{task.model.replace('/', '_')}/{stamp}",
        "evaluation_timestamp": date(facts).isoformat(timespec="seconds"),
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "evaluate-qa",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "first_party" if organization == developer else "third_party",
        },
        "eval_library": {"name": "evaluate-qa", "version": __version__},
        "model_info": {
            "name": task.model,
            "id": task.model,
            "developer": developer,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_result(task, facts.rows, signature, name, figure) for name, figure in named(facts)],
    }


def _result(task: Task, rows: int, signature: str, name: str, figure: Interval) -> dict[str, Any]:
    details = {"signature": signature} if signature else {}
    config: dict[str, Any] = {"metric_name": name, "lower_is_better": False, "additional_details": details}
    if name != MEAN_SCORE:
        config |= {"metric_kind": "accuracy", "score_type": "continuous", "min_score": 0, "max_score": 1}
    interval = {"lower": figure.low, "upper": figure.high, "confidence_level": CONFIDENCE}
    return {
        "evaluation_name": task.task,
        "source_data": {"dataset_name": task.dataset, "source_type": "hf_dataset", "hf_repo": task.dataset},
        "metric_config": config,
        "score_details": {"score": figure.value, "uncertainty": {"confidence_interval": interval, "num_samples": rows}},
    }
