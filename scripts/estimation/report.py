"""Print estimates and plans."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evaluate_qa.metrics._shared.arguments import counted

from ..terminal import new_table, open_console, print_lines
from ..uncertainty.intervals import BootstrapEstimate, Interval
from .joining import Joined
from .powered import Estimate, Estimates
from .samples import Planned


def show(joined: Joined, estimates: Estimates) -> None:
    """Print the estimates of all rows and of each group, notes and assumptions."""
    from rich.markup import escape

    console = open_console()
    headings = ("rows", "labels", "accuracy", "labels only", "mean score", "equivalent labels")
    grid = new_table(f"accuracy with {estimates.confidence:.0%} intervals", headings)
    grid.add_row("all", *_cells(estimates.all), style="bold")
    for name, found in estimates.groups.items():
        if isinstance(found, Estimate):
            grid.add_row(escape(name), *_cells(found))
    console.print(grid)
    print_lines(console, _notes(joined, estimates))


def _cells(found: Estimate) -> list[str]:
    return [
        f"{found.rows:,}",
        f"{found.labels:,}",
        interval(found.accuracy),
        interval(found.labels_alone),
        f"{found.metric:.3f}",
        f"{found.worth:,.0f}",
    ]


def interval(found: Interval | BootstrapEstimate, sign: str = "") -> str:
    """Return `0.812 [0.770, 0.854]`, or with the sign "+" `+0.021 [−0.004, +0.046]`; "–" if undefined."""
    if found.value is None:
        return "–"
    form = f"{sign}.3f"
    ends = "" if found.low is None else f" [{found.low:{form}}, {found.high:{form}}]"
    return f"{found.value:{form}}{ends}".replace("-", "−")


def grouped(column: str | None, clusters: int | None, rows: int) -> Iterator[str]:
    """Yield a note if fewer clusters than rows have been counted; None if rows stand alone."""
    if clusters is not None and clusters < rows:
        yield f"Rows with the same {column} are treated as one group ({counted(clusters, 'group')})."


def _notes(joined: Joined, estimates: Estimates) -> Iterator[str]:
    yield from estimates.all.notes
    for name, found in estimates.groups.items():
        of_group = found.notes if isinstance(found, Estimate) else [f"no estimate ({found})."]
        yield from (f"{name}: {note}" for note in of_group)
    if joined.unscored:
        yield f"The figures leave out {counted(joined.unscored, 'row')} without a score."
    if joined.unlabeled:
        yield (
            f"The label file has no label for {counted(joined.unlabeled, 'row')}. If rows were skipped because of "
            "their content, the figures are biased."
        )
    yield from grouped(joined.columns.get("clusters"), estimates.clusters, estimates.all.rows)
    weights = "" if joined.weights is None else f" with the weights in {joined.columns['weights']!r}"
    yield f"Assumes that the labeled rows are a random sample{weights} of all rows, and that the labels are correct."


def as_json(joined: Joined, estimates: Estimates) -> dict[str, Any]:
    """Return all figures, unrounded, for a JSON file."""
    return {
        "all": asdict(estimates.all),
        "groups": {
            name: {"none": found} if isinstance(found, str) else asdict(found)
            for name, found in estimates.groups.items()
        },
        "clusters": estimates.clusters,
        "confidence": estimates.confidence,
        "columns": joined.columns,
        "rows_without_score": joined.unscored,
        "rows_without_label": joined.unlabeled,
    }


def show_plan(planned: Sequence[Planned]) -> None:
    """Print the margin of error for several numbers of labels."""
    console = open_console()
    headings = ("labels", "labels only", "with scores", "with --stratified")
    grid = new_table("margin of error at 95% confidence", headings, names=())
    for one in planned:
        grid.add_row(f"{one.labels:,}", *(f"±{value:.3f}" for value in (one.alone, one.alike, one.stratified)))
    console.print(grid)
    print_lines(console, ["Assumes calibrated scores and independent rows."])
