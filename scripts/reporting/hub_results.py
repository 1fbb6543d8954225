"""A model's figures as the Hub shows them, one value for each task: https://huggingface.co/docs/hub/eval-results.

They can also be written as a record of Every Eval Ever.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.messages import pluralize

from .. import __version__
from ..joining.column_roles import ColumnNames
from ..joining.signatures import column_beside, merge_signatures
from ..uncertainty.intervals import Interval
from .facts import CONFIDENCE, Facts, gather

MEAN_SCORE = "Mean score"


@dataclass(frozen=True)
class Task:
    """What was evaluated: repositories of model and data set on the Hub, and the task in the data set's `eval.yaml`."""

    model: str
    dataset: str
    task: str

    def __post_init__(self) -> None:
        for option, value in (("--model", self.model), ("--dataset", self.dataset)):
            if not re.fullmatch(r"[\w.-]+/[\w.-]+", value):
                raise ValueError(f"{option} is {value!r}; expected a repository of the Hub, such as org/name")
        if not re.fullmatch(r"[\w.-]+", self.task):
            raise ValueError(f"--task is {self.task!r}; expected an id from the data set's eval.yaml, such as default")

    @property
    def file(self) -> Path:
        """The file of the results in the model's repository."""
        return Path(".eval_results", f"{self.dataset.rpartition('/')[2]}-{self.task}.yaml")


def read(scored: str, labels: Sequence[str], names: ColumnNames) -> Facts:
    """Return the figures of a file, with 95% intervals as in `report`; raise ValueError if they need all rows."""
    if scored == "-":
        raise ValueError("results reads the date of its file. Give a file instead of standard input.")
    facts = gather([scored], labels, names)
    if facts.pooling_metric:
        raise ValueError(
            f"{scored} has scores of {facts.pooling_metric}, whose score of all rows is not the mean of row scores. "
            "Use the 'score of all rows' that `evaluate-qa score` prints, or another metric."
        )
    return facts


def headline(facts: Facts) -> Iterator[tuple[str, Interval]]:
    """Yield the accuracy, from labels or else from verdicts, if it is known, and the mean score, with their names."""
    (system,) = facts.systems
    if system.by_labels:
        yield f"Accuracy from {system.by_labels.labels:,} human labels", system.by_labels.accuracy
    elif system.judged_correct:
        yield "Judged correct", system.judged_correct
    yield MEAN_SCORE, system.mean_score


def date(facts: Facts) -> datetime:
    """Return when the file was written."""
    (file,) = facts.joined.files.values()
    return datetime.fromtimestamp(Path(file.source).stat().st_mtime, UTC)


def signature(facts: Facts, score: str) -> str:
    """Return the metric's signature of a column of scores; empty if the file has none."""
    (file,) = facts.joined.files.values()
    signatures = {str(value) for value in file.values.get(column_beside(score, "signature"), ()) if value}
    return ", ".join(merge_signatures(sorted(signatures)))


def entries(task: Task, facts: Facts, signature: str) -> list[dict[str, Any]]:
    """Return the content of the file in `.eval_results`: the accuracy, or else the mean score, from 0 to 1."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    _, figure = next(headline(facts))
    entry = EvalResultEntry(
        dataset_id=task.dataset,
        task_id=task.task,
        value=round(figure.value, 4),
        date=date(facts).date().isoformat(),
        notes=notes(facts, signature),
    )
    return eval_result_entries_to_yaml([entry])


def notes(facts: Facts, signature: str) -> str:
    """Return the figures with their intervals as one line."""
    parts = [f"{name.lower()} {one.value:.4f} [{one.low:.4f}, {one.high:.4f}]" for name, one in headline(facts)]
    unscored = f"{facts.joined.unscored:,} without a score left out" if facts.joined.unscored else ""
    parts += ["95% intervals", pluralize(facts.rows, "row"), unscored, f"evaluate-qa {__version__}", signature]
    return "; ".join(filter(None, parts))


def record(task: Task, facts: Facts, signature: str, organization: str, now: datetime) -> dict[str, Any]:
    """Return a record of Every Eval Ever: https://github.com/evaleval/every_eval_ever, schema 0.3.0."""
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
        "evaluation_results": [_result(task, facts.rows, signature, name, figure) for name, figure in headline(facts)],
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
