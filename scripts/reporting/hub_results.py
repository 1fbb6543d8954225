"""A model's figures as the Hub shows them, and as a record of Every Eval Ever.

- The Hub's format, one value for each task in an `eval.yaml`: https://huggingface.co/docs/hub/eval-results.
- Every Eval Ever: https://github.com/evaleval/every_eval_ever, schema version 0.3.0.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..estimation.arguments import Names
from ..estimation.signatures import signature_column
from ..uncertainty.intervals import Interval
from .facts import CONFIDENCE, Facts, gather

SCHEMA = "0.3.0"
"""Version of the schema of Every Eval Ever."""


@dataclass(frozen=True)
class Task:
    """What was evaluated.

    Attributes:
        model: Repository of the model on the Hub.
        dataset: Repository of the data set.
        task: Task in the data set's `eval.yaml`.
        revision: Commit of the data set; None if unknown.
    """

    model: str
    dataset: str
    task: str
    revision: str | None = None

    def __post_init__(self) -> None:
        for option, value in (("--model", self.model), ("--dataset", self.dataset)):
            if not re.fullmatch(r"[\w.-]+/[\w.-]+", value):
                raise ValueError(f"{option} is {value!r}. Expected a repository of the Hub, such as org/name.")
        if not re.fullmatch(r"[\w.-]+", self.task):
            raise ValueError(f"--task is {self.task!r}. Expected an id from the data set's eval.yaml, such as default.")
        if self.revision is not None and not re.fullmatch("[0-9a-f]{7,40}", self.revision):
            raise ValueError(f"--revision is {self.revision!r}. Expected the hash of a commit of the data set.")

    @property
    def file(self) -> Path:
        """The file of the results in the model's repository."""
        return Path(".eval_results", f"{self.dataset.rpartition('/')[2]}-{self.task}.yaml")


@dataclass(frozen=True)
class Figures:
    """The figures of one model, with 95% intervals as in `report`.

    Attributes:
        accuracy: Share of correct answers; None without verdicts and labels.
        score: Mean score.
        rows: Number of rows.
        unscored: Number of rows without a score or verdict, which are left out.
        labels: Number of human labels that the accuracy is estimated from; 0 if it is the share judged correct.
        signature: The metric's signature; several with --allow-mixed, and empty if the file has none.
        date: When the file was written.
    """

    accuracy: Interval | None
    score: Interval
    rows: int
    unscored: int
    labels: int
    signature: str
    date: datetime


def read(scored: str, labels: Sequence[str], names: Names) -> tuple[Figures, Facts]:
    """Return the figures of a file, from verdicts or else from labels and scores."""
    if scored == "-":
        raise ValueError("results reads the date of its file. Give a file in place of standard input.")
    facts = gather([scored], labels, names)
    (system,), (file,) = facts.systems, facts.joined.files.values()
    signatures = {str(value) for value in file.values.get(signature_column(names.score), ()) if value}
    figures = Figures(
        accuracy=system.powered.accuracy if system.powered else system.right,
        score=system.score,
        rows=len(facts.joined.rows[system.name]),
        unscored=facts.joined.unscored,
        labels=system.powered.labels if system.powered else 0,
        signature=", ".join(sorted(signatures)),
        date=datetime.fromtimestamp(Path(scored).stat().st_mtime, UTC),
    )
    return figures, facts


def entries(task: Task, figures: Figures) -> list[dict[str, Any]]:
    """Return the content of the file in `.eval_results`: the accuracy, or else the mean score, from 0 to 1."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entry = EvalResultEntry(
        dataset_id=task.dataset,
        task_id=task.task,
        value=round((figures.accuracy or figures.score).value, 4),
        dataset_revision=task.revision,
        date=figures.date.date().isoformat(),
        notes=notes(figures),
    )
    return eval_result_entries_to_yaml([entry])


def notes(figures: Figures) -> str:
    """Return the figures with their intervals as one line.

    >>> notes(Figures(None, Interval(0.5, 0.4, 0.6), 1200, 0, 0, "", datetime(2026, 1, 1)))[:59]
    'mean score 0.5000 [0.4000, 0.6000]; 95% intervals; 1,200 ro'
    """
    parts = [
        f"{name.lower()} {figure.value:.4f} [{figure.low:.4f}, {figure.high:.4f}]" for name, figure in _named(figures)
    ]
    unscored = f"{figures.unscored:,} without a score left out" if figures.unscored else ""
    parts += ["95% intervals", f"{figures.rows:,} rows", unscored, f"evaluate-qa {__version__}", figures.signature]
    return "; ".join(filter(None, parts))


def _named(figures: Figures) -> Iterator[tuple[str, Interval]]:
    if figures.accuracy:
        yield (
            (f"Accuracy from {figures.labels:,} human labels" if figures.labels else "Judged correct"),
            figures.accuracy,
        )
    yield "Mean score", figures.score


def record(task: Task, figures: Figures, organization: str, now: datetime) -> dict[str, Any]:
    """Return the record of Every Eval Ever.

    Args:
        task: What was evaluated.
        figures: The figures.
        organization: Who evaluated the model; the model's own organization is a first party.
        now: When the record is made.
    """
    developer = task.model.partition("/")[0]
    stamp = f"{now.timestamp():.0f}"
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{task.dataset.replace('/', '_')}/{task.model.replace('/', '_')}/{stamp}",
        "evaluation_timestamp": figures.date.isoformat(timespec="seconds"),
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
        "evaluation_results": [_result(task, figures, name, figure) for name, figure in _named(figures)],
    }


def _result(task: Task, figures: Figures, name: str, figure: Interval) -> dict[str, Any]:
    details = {"signature": figures.signature} if figures.signature else {}
    config: dict[str, Any] = {"metric_name": name, "lower_is_better": False, "additional_details": details}
    if name != "Mean score":
        config |= {"metric_kind": "accuracy", "score_type": "continuous", "min_score": 0, "max_score": 1}
    source: dict[str, Any] = {"dataset_name": task.dataset, "source_type": "hf_dataset", "hf_repo": task.dataset}
    if task.revision:
        source["additional_details"] = {"revision": task.revision}
    interval = {"lower": figure.low, "upper": figure.high, "confidence_level": CONFIDENCE}
    return {
        "evaluation_name": task.task,
        "source_data": source,
        "metric_config": config,
        "score_details": {
            "score": figure.value,
            "uncertainty": {"confidence_interval": interval, "num_samples": figures.rows},
        },
    }
