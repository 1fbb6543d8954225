"""Print agreement tables."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..terminal import open_console
from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .bootstrap import BootstrapEstimate
from .calibration import BINS
from .means import MEAN
from .run import Agreement, Experiment, Plan
from .tables import FigureTable, Published

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

_SMALL = 0.001
"""p-values below this are not shown."""

_BOARD = {
    "mcc": "Matthews correlation with people's verdicts",
    "rank": "Rank by Matthews correlation",
    "auc": "Area under the ROC curve, whatever the threshold",
    "calibration_error": f"Expected calibration error ({BINS} bins of equal width)",
}
"""The board's figures, in the order in which they are shown."""

_DIGITS = {"rank": 1}


def show(plan: Plan, agreement: Agreement, groups: Collection[str] = ()) -> None:
    """Print what was compared, a table for each group (or only for those given)."""
    console = open_console()
    _show_data(console, agreement.data, plan.bootstrap)
    for name, signature in agreement.signatures.items():
        console.print(f"{name}: {signature}", markup=False, highlight=False)
    tables = [table for table in agreement.tables if not groups or table.group in groups]
    if agreement.data.board:
        _show_board(console, tables)
    else:
        for table in tables:
            _show_group(console, table)
    for experiment in agreement.experiments:
        for figure in experiment.figures:
            _show_runs(console, experiment, figure)


def cell(estimate: BootstrapEstimate, digits: int = 3) -> str:
    """Return a figure, below it its interval, and its p-value unless that is small: `.816`, `.809 .823`, `p .021`.

    "–" stands for what is undefined or was not published.
    """
    if estimate.value is None:
        return "–"
    lines = [short(estimate.value, digits)]
    if estimate.low is not None and estimate.high is not None:
        lines.append(f"[dim]{short(estimate.low)} {short(estimate.high)}[/dim]")
    if estimate.p_value is not None and estimate.p_value >= _SMALL:
        lines.append(f"[dim]p {short(estimate.p_value)}[/dim]")
    return "\n".join(lines)


def short(value: float, digits: int = 3) -> str:
    """Return 0.8162 as `.816` and -0.05 as `−.050`, as papers print shares and correlations."""
    text = f"{value:.{digits}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _show_data(console: "Console", data: Benchmark, bootstrap: Bootstrap) -> None:
    questions = len({row.question_id for row in data.rows})
    console.print(f"[bold]{data.name}[/bold]: {len(data.rows):,} labeled {_rows(data)} to {questions:,} questions")
    for name, reasons in data.dropped.items():
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common()) or "none"
        console.print(f"Rows dropped from {name}: {told}")
    if bootstrap.resamples:
        console.print(
            f"Below each figure its {bootstrap.confidence:.0%} interval: percentile bootstrap over questions, "
            f"{bootstrap.resamples:,} resamples, seed {bootstrap.seed}"
        )


def _show_group(console: "Console", table: FigureTable) -> None:
    """Print a row for each metric, a column for each figure; below, what was published."""
    figures = list(next(iter(table.estimates.values())))
    grid = _grid([_named(figure) for figure in figures])
    for metric, estimates in table.estimates.items():
        grid.add_row(metric, *(cell(estimates[figure]) for figure in figures))
    _add_published(grid, [(entry, [entry.figures.get(figure) for figure in figures]) for entry in table.published])
    _print(console, _title(table), grid)


def _show_board(console: "Console", tables: Sequence[FigureTable]) -> None:
    """Print a row for each metric, a column for each data set: agreement by the metric's threshold, and without any."""
    for table in tables:
        if table.group != MEAN:
            console.print(_title(table), markup=False, highlight=False)
    for figure, title in _BOARD.items():
        if any(estimates[figure].value is not None for table in tables for estimates in table.estimates.values()):
            _show_side_by_side(console, title, tables, figure)


def _show_runs(console: "Console", experiment: Experiment, figure: str) -> None:
    title = f"{experiment.kind}, {experiment.title}: {_named(figure)}".capitalize()
    _show_side_by_side(console, title, experiment.tables, figure)


def _show_side_by_side(console: "Console", title: str, tables: Sequence[FigureTable], figure: str) -> None:
    """Print a row for each metric or run of one, a column for each group; below, what was published, and where."""
    grid = _grid([table.group.replace(" ", "\n") for table in tables])
    for run in tables[0].estimates:
        grid.add_row(run, *(cell(table.estimates[run][figure], _DIGITS.get(figure, 3)) for table in tables))
    entries = [(table.group, entry) for table in tables for entry in table.published if figure in entry.figures]
    if entries:
        grid.add_section()
    for name in dict.fromkeys(entry.name for _, entry in entries):
        values = {group: entry.figures[figure] for group, entry in entries if entry.name == name}
        grid.add_row(
            f"  {name}", *(cell(BootstrapEstimate(values.get(table.group))) for table in tables), style="italic"
        )
    _print(console, title, grid)
    for source in dict.fromkeys(entry.source for _, entry in entries):
        names = dict.fromkeys(entry.name for _, entry in entries if entry.source == source)
        console.print(f"[dim]{', '.join(names)}: {source}[/dim]", highlight=False)


def _add_published(grid: "Grid", published: Sequence[tuple[Published, Sequence[float | None]]]) -> None:
    """Add a row for each published metric, below a line that names the paper."""
    source = ""
    for entry, values in published:
        if entry.source != source:
            source = entry.source
            grid.add_section()
            grid.add_row(f"[dim]{source}[/dim]")
        grid.add_row(f"  {entry.name}", *(cell(BootstrapEstimate(value)) for value in values), style="italic")


def _title(table: FigureTable) -> str:
    return f"{table.group}: {table.rows:,} {_rows(table)} to {table.questions:,} questions, {_label(table)}"


def _rows(data: Benchmark | FigureTable) -> str:
    return "pairs of answers" if data.compared else "answers"


def _label(table: FigureTable) -> str:
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
