"""Print agreement tables."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..terminal import open_console
from .bootstrap import Bootstrap, Estimate
from .calibration import BINS
from .labelled import LabelledData
from .run import Agreement, Experiment, Plan
from .tables import Published, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

_SMALL = 0.001
"""p-values below this are not shown."""


def show(plan: Plan, agreement: Agreement, groups: Collection[str] = ()) -> None:
    """Print what was compared, a table for each group (or only for those given), for each sweep and ablation."""
    console = open_console()
    _show_data(console, agreement.data, plan.bootstrap)
    for name, signature in agreement.signatures.items():
        console.print(f"{name}: {signature}", markup=False, highlight=False)
    if plan.calibration:
        _show_calibrations(console, plan, agreement)
    for table in agreement.tables:
        if groups and table.group not in groups:
            continue
        _show_group(console, table)
    for experiment in agreement.experiments:
        for figure in experiment.figures:
            _show_runs(console, experiment, figure)


def cell(estimate: Estimate) -> str:
    """Return a figure, below it its interval, and its p-value unless that is small: `.816`, `.809 .823`, `p .021`.

    "–" stands for what is undefined or was not published.
    """
    if estimate.value is None:
        return "–"
    lines = [short(estimate.value)]
    if estimate.low is not None and estimate.high is not None:
        lines.append(f"[dim]{short(estimate.low)} {short(estimate.high)}[/dim]")
    if estimate.p_value is not None and estimate.p_value >= _SMALL:
        lines.append(f"[dim]p {short(estimate.p_value)}[/dim]")
    return "\n".join(lines)


def short(value: float) -> str:
    """Return 0.8162 as `.816` and -0.05 as `−.050`, as papers print shares and correlations."""
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _show_data(console: "Console", data: LabelledData, bootstrap: Bootstrap) -> None:
    questions = len({row.question_id for row in data.rows})
    console.print(f"[bold]{data.name}[/bold]: {len(data.rows):,} labelled {_rows(data)} to {questions:,} questions")
    for name, reasons in data.dropped.items():
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common()) or "none"
        console.print(f"Rows dropped from {name}: {told}")
    if bootstrap.resamples:
        console.print(
            f"Below each figure its {bootstrap.confidence:.0%} interval: percentile bootstrap over questions, "
            f"{bootstrap.resamples:,} resamples, seed {bootstrap.seed}"
        )


def _show_calibrations(console: "Console", plan: Plan, agreement: Agreement) -> None:
    found = {calibration.metric: calibration.error for calibration in agreement.calibrations}
    for spec in plan.metrics:
        told = (
            f"expected calibration error {short(found[spec.title])} ({BINS} bins of equal width)"
            if spec.title in found
            else "no calibration: its scores are not all from 0 to 1"
        )
        console.print(f"{spec.title}: {told}", markup=False, highlight=False)


def _show_group(console: "Console", table: Table) -> None:
    """Print a row for each metric, a column for each figure; below, what was published."""
    figures = list(next(iter(table.estimates.values())))
    title = f"{table.group}: {table.rows:,} {_rows(table)} to {table.questions:,} questions, {_label(table)}"
    grid = _grid([_named(figure) for figure in figures])
    for metric, estimates in table.estimates.items():
        grid.add_row(metric, *(cell(estimates[figure]) for figure in figures))
    _add_published(grid, [(entry, [entry.figures.get(figure) for figure in figures]) for entry in table.published])
    _print(console, title, grid)


def _show_runs(console: "Console", experiment: Experiment, figure: str) -> None:
    """Print a row for each run of a metric, a column for each group."""
    tables = experiment.tables
    grid = _grid([table.group for table in tables])
    for run in tables[0].estimates:
        grid.add_row(run, *(cell(table.estimates[run][figure]) for table in tables))
    _add_published(
        grid,
        [
            (entry, [entry.figures.get(figure) if other is table else None for other in tables])
            for table in tables
            for entry in table.published
        ],
    )
    _print(console, f"{experiment.kind}, {experiment.title}: {_named(figure)}".capitalize(), grid)


def _add_published(grid: "Grid", published: Sequence[tuple[Published, Sequence[float | None]]]) -> None:
    """Add a row for each published metric, below a line that names the paper."""
    source = ""
    for entry, values in published:
        if entry.source != source:
            source = entry.source
            grid.add_section()
            grid.add_row(f"[dim]{source}[/dim]")
        grid.add_row(f"  {entry.name}", *(cell(Estimate(value)) for value in values), style="italic")


def _rows(data: LabelledData | Table) -> str:
    return "pairs of answers" if data.compared else "answers"


def _label(table: Table) -> str:
    if table.compared:
        return f"mean preference {table.mean_label:.2f}"
    return f"mean rating {table.mean_label:.2f}" if table.rated else f"{table.mean_label:.1%} correct"


def _named(figure: str) -> str:
    return figure.replace("_", " ")


def _print(console: "Console", title: str, grid: "Grid") -> None:
    console.print(f"\n[bold]{title}[/bold]", highlight=False)
    console.print(grid)


def _grid(columns: Sequence[str]) -> "Grid":
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    grid.add_column("")
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True)
    return grid
