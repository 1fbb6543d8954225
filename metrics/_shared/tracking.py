"""Log scores to the active run of an experiment tracker: trackio or mlflow."""

import logging
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from .probes import is_installed

Tracker = Literal["trackio", "mlflow"]

# Number of rows in the table of the worst answers.
_WORST = 20

logger = logging.getLogger("evaluate_qa")


def check_tracker(metric: str, log: Any) -> None:
    """Check the option `log` without importing the tracker; raise ImportError if it is not installed."""
    if log not in (None, "trackio", "mlflow"):
        raise ValueError(f"{metric}: log is {log!r}; expected 'trackio', 'mlflow' or None")
    if log is not None and not is_installed(log):
        raise ImportError(f"{metric}: log is {log!r}, but this package is not installed; run: pip install {log}")


def track(log: Tracker, name: str, figures: Mapping[str, float], rows: Sequence[Mapping[str, Any]], state: Any) -> None:
    """Log figures, and a table `<name>/worst` of the rows with the lowest scores, on the first process.

    Without an active run, nothing is logged, and a warning says so once. Rows without a score are left out. `state` is
    the state of the trainer, with its `global_step`; None if unknown.
    """
    if os.environ.get("RANK", "0") != "0":
        return
    step = getattr(state, "global_step", None)
    scored = sorted((row for row in rows if row["score"] is not None), key=lambda row: row["score"])
    worst = [{key: _cell(value) for key, value in row.items()} for row in scored[:_WORST]]
    if not {"trackio": _to_trackio, "mlflow": _to_mlflow}[log](name, figures, worst, step):
        _warn(f"{name}: no run of {log} is active, so its scores are not logged. Start one before the trainer does.")


def _to_trackio(name: str, figures: Mapping[str, float], worst: list[dict[str, Any]], step: int | None) -> bool:
    import trackio

    if trackio.context_vars.current_run.get() is None:
        return False
    # As transformers logs the step to trackio, which numbers the logs of a run itself.
    steps = {} if step is None else {"train/global_step": step}
    trackio.log({**figures, f"{name}/worst": trackio.Table(data=worst), **steps})
    return True


def _to_mlflow(name: str, figures: Mapping[str, float], worst: list[dict[str, Any]], step: int | None) -> bool:
    import mlflow

    if mlflow.active_run() is None:
        return False
    mlflow.log_metrics(dict(figures), step=step)
    if worst:  # a table for each step, because mlflow appends rows to a table that exists
        columns = {key: [row[key] for row in worst] for key in worst[0]}
        mlflow.log_table(columns, f"{name}/worst{'' if step is None else f'-{step}'}.json")
    return True


def _cell(value: Any) -> Any:
    """Return a list as text: several references, or a metric's values per reference."""
    return " · ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


@cache
def _warn(message: str) -> None:
    logger.warning("%s", message)
