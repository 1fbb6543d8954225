"""Print agreement tables."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from .bootstrap import Bootstrap, Estimate
from .judged import JudgedData
from .run import Agreement, Plan
from .tables import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

_WIDTH = 132
"""Columns where the output is no terminal: room for seven figures with intervals."""


def show(plan: Plan, agreement: Agreement, groups: Collection[str] = ()) -> None:
    """Print what was judged, a table for each group (or only for those given), for each sweep and ablation."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    _show_data(console, agreement.data, plan.bootstrap)
    for name, signature in agreement.signatures.items():
        console.print(f"{name}: {signature or 'no signature'}", markup=False, highlight=False)
    for table in agreement.tables:
        if groups and table.group not in groups:
            continue
        _show_group(console, table)
    for title, tables in agreement.sweeps.items():
        _show_runs(console, f"Sweep of {title}", tables)
    for title, tables in agreement.ablations.items():
        _show_runs(console, f"Ablation of {title}", tables)


def cell(estimate: Estimate) -> str:
    """Return a figure and below it its interval, `.816` and `.809 .823`; "–" where undefined or not published."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return short(estimate.value)
    return f"{short(estimate.value)}\n[dim]{short(estimate.low)} {short(estimate.high)}[/dim]"


def short(value: float) -> str:
    """Return 0.8162 as `.816` and -0.05 as `−.050`, as papers print shares and correlations."""
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _show_data(console: "Console", data: JudgedData, bootstrap: Bootstrap) -> None:
    questions = len({row.question_id for row in data.rows})
    console.print(f"[bold]{data.name}[/bold]: {len(data.rows):,} judged answers to {questions:,} questions")
    for name, reasons in data.dropped.items():
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common()) or "none"
        console.print(f"Rows dropped from {name}: {told}")
    if bootstrap.resamples:
        console.print(
            f"Below each figure its {bootstrap.confidence:.0%} interval: percentile bootstrap over questions, "
            f"{bootstrap.resamples:,} resamples, seed {bootstrap.seed}"
        )


def _show_group(console: "Console", table: Table) -> None:
    """Print a row for each metric, a column for each figure; below, what was published."""
    figures = list(next(iter(table.estimates.values())))
    title = f"{table.group}: {table.rows:,} answers to {table.questions:,} questions, {table.mean_label:.1%} correct"
    grid = _grid([figure.replace("_", " ") for figure in figures])
    for metric, estimates in table.estimates.items():
        grid.add_row(metric, *(cell(estimates[figure]) for figure in figures))
    grid.add_section()
    for anchor in table.anchors:
        published = [cell(Estimate(anchor.figures.get(figure))) for figure in figures]
        grid.add_row(f"{anchor.name}\n[dim]{anchor.source}[/dim]", *published, style="italic")
    _print(console, title, grid)


def _show_runs(console: "Console", title: str, tables: Sequence[Table]) -> None:
    """Print a row for each run of a metric, a column for each group."""
    grid = _grid([table.group for table in tables])
    for run in tables[0].estimates:
        grid.add_row(run, *(cell(table.estimates[run]["pearson"]) for table in tables))
    grid.add_section()
    for anchor in tables[0].anchors:
        published = cell(Estimate(anchor.figures["pearson"]))
        grid.add_row(f"{anchor.name}\n[dim]{anchor.source}[/dim]", published, style="italic")
    _print(console, f"{title}, Pearson's r", grid)


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
