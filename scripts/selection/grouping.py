"""The column that groups are made by, looked for before anything is scored."""

from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module

from .. import metric_names
from ..files.rows import STANDARD, Broken, read_records, require_columns


def require_group(source: str, column: str, metric: str, prefix: str) -> None:
    """Raise RowsError if there can be no such column among the scored rows; no model is loaded for that.

    It may be one of the input, or one that the metric adds under the prefix. What a pipe will bring is not known, nor
    what the metrics of others add: a name that may be theirs passes.

    Args:
        source: The rows, or `-`.
        column: The column, as the user names it.
        metric: What scores the rows.
        prefix: Put before the names of the columns that it adds.
    """
    added = _added(metric, prefix)
    may_be_added = column.startswith(prefix) if added is None else column in added
    if source == STANDARD or may_be_added:
        return
    present: dict[str, None] = {}
    for _, row in read_records(source, lists=()):
        if not isinstance(row, Broken):
            present |= dict.fromkeys(row)
            if column in present:
                return
    if present:  # else there is nothing to score, as the run says
        require_columns(source, [*present, *(added or [])], [column])


def _added(metric: str, prefix: str) -> Sequence[str] | None:
    """Return the columns that a metric may add, some of them only with its options; None if it is not ours."""
    if metric not in metric_names():
        return None
    scoring = import_module(f"..metrics.{metric}.scoring", __package__)
    names = [field.name for field in fields(scoring.Scores)] + list(getattr(scoring, "EVIDENCE", ()))
    return [f"{prefix}{name}" for name in names]
