"""What `evaluate-qa fit` prints: figures before and after, set by set."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .figures import Figures, mean
from .layers import DEFAULTS

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = ("mcc", "auc", "accuracy", "calibration_error")
_HEADINGS = {"mcc": "MCC", "auc": "AUC", "accuracy": "accuracy", "calibration_error": "calibration error"}


def tables(
    title: str, before: Mapping[str, Mapping[str, Figures]], after: Mapping[str, Mapping[str, Figures]]
) -> "list[Table]":
    """Return a table for each task's default layer: a row for each set, and their mean.

    Args:
        title: Title of the tables.
        before: By layer, the figures of each set for the old matcher, which may lack layers.
        after: By layer, the figures of each set for the new matcher.
    """
    layers = [f"{task}, {layer}" for task, layer in DEFAULTS.items() if f"{task}, {layer}" in after]
    return [_compared(f"{title}: {layer}", before.get(layer, {}), after[layer]) for layer in layers]


def teacher_table(found: Mapping[str, Figures]) -> "Table":
    """Return the table of a teacher's figures: a row for each set, and their mean."""
    rows = {name: [_rounded(figures[figure]) for figure in _COLUMNS] for name, figures in found.items()}
    return _table("teacher, on held-out questions", found, rows, [_rounded(mean(found, name)) for name in _COLUMNS])


def left_out_tables(record: Mapping[str, Any]) -> "list[Table]":
    """Return the tables of a record of `leave_one_out`."""
    sets = {name: found for run in record["runs"].values() for name, found in run["sets"].items()}
    before, after = (
        {layer: {name: found[which][layer] for name, found in sets.items()} for layer in _layers(sets.values(), which)}
        for which in ("before", "after")
    )
    return tables("on left-out sets, before → after", before, after)


def mean_lines(record: Mapping[str, Any]) -> list[str]:
    """Return a line for each task's default layer: the mean MCC over the sets of a record, with intervals."""
    return [
        f"{layer}: mean MCC {_interval(found['before'])} → {_interval(found['after'])}, "
        f"difference {_interval(found['difference'])}"
        for layer in (f"{task}, {default}" for task, default in DEFAULTS.items())
        if (found := record["means"].get(layer))
    ]


def _interval(found: Sequence[float | None]) -> str:
    value, low, high = map(_rounded, found)
    return f"{value} [{low}, {high}]"


def _layers(sets: Any, which: str) -> Sequence[str]:
    return list(next(iter(sets))[which])


def _compared(title: str, before: Mapping[str, Figures], after: Mapping[str, Figures]) -> "Table":
    rows = {
        name: [_change(before.get(name, {}).get(figure), found[figure]) for figure in _COLUMNS]
        for name, found in after.items()
    }
    same = [before[name] for name in after if name in before]
    means = [_change(mean(same, figure) if same else None, mean(after, figure)) for figure in _COLUMNS]
    return _table(title, after, rows, means)


def _table(title: str, found: Mapping[str, Figures], rows: Mapping[str, list[str]], means: list[str]) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("set")
    for heading in ("answers", "correct", *(_HEADINGS[name] for name in _COLUMNS)):
        table.add_column(heading, justify="right")
    for name, cells in rows.items():
        table.add_row(name, f"{found[name]['answers']:,}", f"{found[name]['correct']:.2f}", *cells)
    if len(rows) > 1:
        table.add_row("mean", "", "", *means)
    return table


def _change(before: float | None, after: float | None) -> str:
    return f"{_rounded(before)} → {_rounded(after)}"


def _rounded(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
