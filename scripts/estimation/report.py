"""Print and export estimates."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evaluate_qa.metrics._shared.messages import pluralize

from ..joining.labels import JoinedRows, cluster_notes
from ..terminal import new_table, print_report
from ..uncertainty.intervals import format_interval
from .ppi import Estimate, Estimates


def show(joined: JoinedRows, estimates: Estimates) -> None:
    """Print the estimates of all rows and of each group, notes and assumptions."""
    from rich.markup import escape

    headings = ("rows", "labels", "accuracy", "labels alone", "mean score", "equivalent labels")
    grid = new_table(f"accuracy with {estimates.confidence:.0%} intervals", headings)
    grid.add_row("all", *_cells(estimates.all), style="bold")
    for name, found in estimates.groups.items():
        if isinstance(found, Estimate):
            grid.add_row(escape(name), *_cells(found))
    print_report(grid, *_notes(joined, estimates))


def _cells(found: Estimate) -> list[str]:
    return [
        f"{found.rows:,}",
        f"{found.labels:,}",
        format_interval(found.accuracy),
        format_interval(found.labels_alone),
        f"{found.metric:.3f}",
        f"{found.worth:,.0f}",
    ]


def _notes(joined: JoinedRows, estimates: Estimates) -> Iterator[str]:
    yield from estimates.all.notes
    for name, found in estimates.groups.items():
        of_group = found.notes if isinstance(found, Estimate) else [f"no estimate ({found})."]
        yield from (f"{name}: {note}" for note in of_group)
    if joined.unscored:
        yield f"The figures leave out {pluralize(joined.unscored, 'row')} without a score."
    if joined.unlabeled:
        yield (
            f"The label file has no label for {pluralize(joined.unlabeled, 'row')}. If rows were skipped because of "
            "their content, the figures are biased."
        )
    yield from cluster_notes(joined.columns.get("clusters"), estimates.clusters, estimates.all.rows)
    weights = "" if joined.weights is None else f" with the weights in {joined.columns['weights']!r}"
    yield f"Assumes that the labeled rows are a random sample{weights} of all rows, and that the labels are correct."
    yield "The intervals are for answers of the same kind, not only for these rows."


def as_json(joined: JoinedRows, estimates: Estimates) -> dict[str, Any]:
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
