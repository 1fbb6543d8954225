"""A model's figures as the Hub shows them, one value for each task: https://huggingface.co/docs/hub/eval-results."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..estimation.arguments import Names
from ..estimation.signatures import signature_column
from ..files.values import counted
from ..uncertainty.intervals import Interval
from .facts import Facts, gather

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
                raise ValueError(f"{option} is {value!r}. Expected a repository of the Hub, such as org/name.")
        if not re.fullmatch(r"[\w.-]+", self.task):
            raise ValueError(f"--task is {self.task!r}. Expected an id from the data set's eval.yaml, such as default.")

    @property
    def file(self) -> Path:
        """The file of the results in the model's repository."""
        return Path(".eval_results", f"{self.dataset.rpartition('/')[2]}-{self.task}.yaml")


@dataclass(frozen=True)
class Figures:
    """The figures of one model, with 95% intervals as in `report`."""

    accuracy: Interval | None  # share of correct answers; None without verdicts and labels
    score: Interval
    rows: int
    unscored: int  # number of rows without a score or verdict, which are left out
    labels: int  # number of human labels that the accuracy is estimated from; 0 if it is the share judged correct
    signature: str  # the metric's signature; empty if the file has none
    date: datetime  # when the file was written

    def named(self) -> Iterator[tuple[str, Interval]]:
        """Yield the accuracy, if it is known, and the mean score, with their names."""
        if self.accuracy:
            yield (f"Accuracy from {self.labels:,} human labels" if self.labels else "Judged correct"), self.accuracy
        yield MEAN_SCORE, self.score


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
        f"{name.lower()} {figure.value:.4f} [{figure.low:.4f}, {figure.high:.4f}]" for name, figure in figures.named()
    ]
    unscored = f"{figures.unscored:,} without a score left out" if figures.unscored else ""
    parts += ["95% intervals", counted(figures.rows, "row"), unscored, f"evaluate-qa {__version__}", figures.signature]
    return "; ".join(filter(None, parts))
