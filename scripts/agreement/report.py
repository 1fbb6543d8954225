"""Print agreement tables."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from evaluate_qa.metrics._shared.messages import pluralize

from ..terminal import new_table, open_console
from ..uncertainty.intervals import BootstrapEstimate
from .benchmark import Benchmark
from .bootstrap import Bootstrap
from .run import Agreement, Plan
from .tables import AgreementTable

if TYPE_CHECKING:
    from rich.console import Console

BOARD = {
    "mcc": "Matthews correlation with people's verdicts",
    "auc": "Area under the ROC curve",
    "calibration_error": "Expected calibration error (10 bins of equal width)",
}
"""The board's statistics, in the order in which they are shown."""


def show(plan: Plan, agreement: Agreement, groups: Collection[str] = ()) -> None:
    """Print what was compared and a table for each group (or only for the given groups)."""
    console = open_console()
    data = agreement.data
    _show_data(console, data, plan.bootstrap)
    for name, signature in agreement.signatures.items():
        console.print(f"{name}: {signature}", markup=False, highlight=False)
    tables = [table for table in agreement.tables if not groups or table.group in groups]
    if data.means:
        for table in tables:
            if table.group not in data.means:
                console.print(_title(data, table), markup=False, highlight=False)
        for statistic, title in BOARD.items():
            for mean, of_mean in data.means.items():
                if chosen := [table for table in tables if table.group in (*of_mean, mean)]:
                    _show_side_by_side(console, title, chosen, statistic)
    else:
        for table in tables:
            _show_group(console, _title(data, table), table)


def _cell(estimate: BootstrapEstimate) -> str:
    """Return a statistic with its interval below, such as `.816` above `.809 .823`; "–" for an undefined statistic."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return short(estimate.value)
    return f"{short(estimate.value)}\n[dim]{short(estimate.low)} {short(estimate.high)}[/dim]"


def short(value: float) -> str:
    """Return 0.8162 as `.816` and -0.05 as `−.050`, as papers print shares and correlations."""
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _show_data(console: "Console", data: Benchmark, bootstrap: Bootstrap) -> None:
    questions = len({row.question_id for row in data.rows})
    rows = _rows(len(data.rows), data, "labeled ")
    console.print(f"[bold]{data.name}[/bold]: {rows} to {pluralize(questions, 'question')}")
    for name, reasons in data.dropped.items():
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common()) or "0"
        console.print(f"Rows dropped from {name}: {counts}")
    if bootstrap.resamples:
        console.print(
            f"Below each figure is its {bootstrap.confidence:.0%} interval: percentile bootstrap over questions, "
            f"{bootstrap.resamples:,} resamples, seed {bootstrap.seed}"
        )


def _show_group(console: "Console", title: str, table: AgreementTable) -> None:
    """Print a row for each metric, a column for each statistic; below, published statistics by paper."""
    statistics = list(next(iter(table.estimates.values())))
    grid = new_table(title, [statistic.replace("_", " ") for statistic in statistics])
    for metric, estimates in table.estimates.items():
        grid.add_row(metric, *(_cell(estimates[statistic]) for statistic in statistics))
    source = ""
    for entry in table.published:
        if entry.source != source:
            source = entry.source
            grid.add_section()
            grid.add_row(f"[dim]{source}[/dim]")
        values = [BootstrapEstimate(entry.figures.get(statistic)) for statistic in statistics]
        grid.add_row(f"  {entry.name}", *map(_cell, values), style="italic")
    console.print(grid)


def _show_side_by_side(console: "Console", title: str, tables: Sequence[AgreementTable], statistic: str) -> None:
    """Print a row for each metric, a column for each group; below, published statistics and their papers."""
    grid = new_table(title, [table.group.replace(" ", "\n") for table in tables])
    for metric in tables[0].estimates:
        grid.add_row(metric, *(_cell(table.estimates[metric][statistic]) for table in tables))
    entries = [(table.group, entry) for table in tables for entry in table.published if statistic in entry.figures]
    if entries:
        grid.add_section()
    for name in dict.fromkeys(entry.name for _, entry in entries):
        values = {group: entry.figures[statistic] for group, entry in entries if entry.name == name}
        cells = [_cell(BootstrapEstimate(values.get(table.group))) for table in tables]
        grid.add_row(f"  {name}", *cells, style="italic")
    console.print(grid)
    for name, source in dict.fromkeys((entry.name, entry.source) for _, entry in entries):
        console.print(f"[dim]{name}: {source}[/dim]", highlight=False)


def _title(data: Benchmark, table: AgreementTable) -> str:
    label = f"{table.mean_label:.1%} correct"
    if data.rated:
        label = f"mean {'preference' if data.has_pairs else 'rating'} {table.mean_label:.2f}"
    return f"{table.group}: {_rows(table.rows, data)} to {pluralize(table.questions, 'question')}, {label}"


def _rows(count: int, data: Benchmark, kind: str = "") -> str:
    return f"{pluralize(count, f'{kind}pair')} of answers" if data.has_pairs else pluralize(count, f"{kind}answer")
