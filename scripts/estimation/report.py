"""Print estimates and plans."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..terminal import open_console
from ..uncertainty.intervals import Interval
from .joining import Joined
from .plan import Planned, enough
from .powered import Estimate, Estimates

if TYPE_CHECKING:
    from rich.table import Table


def show(joined: Joined, estimates: Estimates) -> None:
    """Print the estimate of all rows and of each group, the differences, what to know, and what is assumed."""
    console = open_console()
    console.print(_table(estimates))
    for (one, other), difference in estimates.differences.items():
        told = "" if difference.low <= 0 <= difference.high else ": not by chance"
        console.print(f"{one} − {other}: {interval(difference, '+')}{told}", markup=False, highlight=False)
    for note in told_notes(joined, estimates):
        console.print(note, markup=False, highlight=False)


def _table(estimates: Estimates) -> "Table":
    from rich.markup import escape

    headings = ("", "rows", "labels", "accuracy", "labels alone", "mean score", "λ", "worth so many labels")
    grid = table(f"accuracy, {estimates.confidence:.0%} intervals", headings)
    grid.add_row("all", *_cells(estimates.all), style="bold")
    for name, found in estimates.groups.items():
        if isinstance(found, Estimate):
            grid.add_row(escape(name), *_cells(found))
    return grid


def table(title: str, headings: Sequence[str]) -> "Table":
    """Return an empty table: names on the left, figures, unbroken, on the right."""
    from rich import box
    from rich.table import Table

    grid = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in headings:
        grid.add_column(heading, justify="right" if heading else "left", no_wrap=bool(heading))
    return grid


def _cells(found: Estimate) -> list[str]:
    return [
        f"{found.rows:,}",
        f"{found.labels:,}",
        interval(found.accuracy),
        interval(found.labels_alone),
        f"{found.metric:.3f}",
        f"{found.tuning:.2f}",
        f"{found.worth:,.0f}",
    ]


def interval(found: Interval, sign: str = "") -> str:
    """Return `0.812 [0.770, 0.854]`, or with the sign "+" `+0.021 [−0.004, +0.046]`."""
    form = f"{sign}.3f"
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]".replace("-", "−")


def told_notes(joined: Joined, estimates: Estimates) -> list[str]:
    """Return, a line each, what to know of the figures, and what they rest on."""
    notes = list(estimates.all.notes)
    for name, found in estimates.groups.items():
        notes += [f"{name}: {note}" for note in (found.notes if isinstance(found, Estimate) else [f"none: {found}"])]
    if joined.unscored:
        notes.append(f"{joined.unscored:,} rows without a score are left out: the figures are of the others")
    if joined.unlabelled:
        notes.append(
            f"{joined.unlabelled:,} rows of the labels have none: if they were left out for what they are, "
            "the figures are biased"
        )
    clusters = joined.columns.get("clusters")
    if estimates.clusters is not None:
        notes.append(f"rows with the same {clusters} count as one cluster: {estimates.clusters:,} clusters")
    drawn = f"drawn with the weights in {joined.columns['weights']!r}" if joined.weights is not None else "drawn alike"
    notes.append(f"assumed: the labelled rows are a random sample of all, {drawn}; the labels are true")
    return notes


def as_json(joined: Joined, estimates: Estimates) -> dict[str, Any]:
    """Return everything, unrounded, for a file of JSON."""
    groups = {
        name: {"none": found} if isinstance(found, str) else _plain(found) for name, found in estimates.groups.items()
    }
    return {
        "all": _plain(estimates.all),
        "groups": groups,
        "differences": [{"groups": list(pair), **vars(found)} for pair, found in estimates.differences.items()],
        "clusters": estimates.clusters,
        "confidence": estimates.confidence,
        "columns": joined.columns,
        "rows_without_score": joined.unscored,
        "rows_without_label": joined.unlabelled,
    }


def _plain(found: Estimate) -> dict[str, Any]:
    return {name: vars(value) if isinstance(value, Interval) else value for name, value in vars(found).items()}


def show_plan(planned: Sequence[Planned], margin: float | None, labels: str | None) -> None:
    """Print a plan, how many labels reach a margin, and on what it rests: a file of labels, or the scores alone."""
    console = open_console()
    grid = table("half the width of the 95% interval", ("labels", "labels alone", "estimate", "--stratified"))
    for one in planned:
        grid.add_row(f"{one.labels:,}", *(f"±{value:.3f}" for value in (one.alone, one.alike, one.stratified)))
    console.print(grid)
    if margin is not None:
        for stratified in (False, True):
            count = enough(planned, margin, stratified)
            told = f"about {count:,} labels" if count else f"more than {planned[-1].labels:,} labels"
            how = f"by estimate{', --stratified' * stratified}"
            console.print(f"±{margin:g} {how}: {told}", markup=False, highlight=False)
    honest = f"answers are right as often as the labels in {labels} say" if labels else "the scores are probabilities"
    console.print(f"assumed: {honest}; rows that stand alone", markup=False, highlight=False)
