"""Print and export the result of `evaluate-qa cascade`."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ..estimation.report import print_lines, table
from ..terminal import open_console
from .curve import Point, curve, point
from .reading import Read
from .testing import CONFIDENCE, CheckedBand, find_band

_SHOWN = 10
"""Approximate number of points of the curve to print."""


@dataclass(frozen=True)
class FoundBand:
    """The band for a file, the cascade with it, and the curve from the metric alone to the judge alone."""

    read: Read
    target: float
    band: CheckedBand
    chosen: Point
    points: list[Point]


def find(read: Read, target: float, row_cost: float | None) -> FoundBand:
    """Find the band, and compute the results of this band and of others."""
    rows = read.rows
    band = find_band(rows.scores, rows.labels, rows.threshold, target)
    chosen = point(rows, band.low, band.high, row_cost)
    return FoundBand(read, target, band, chosen, curve(rows, row_cost))


def show(found: FoundBand) -> None:
    """Print the curve, the band, and notes."""
    console = open_console()
    console.print(_table(found))
    print_lines(console, _notes(found))


def _table(found: FoundBand) -> Any:
    headings = ["", "judge asked for scores", "asked", "agreement", "metric decides"]
    headings += ["cost per 1,000"] * (found.chosen.cost is not None)
    grid = table(f"agreement with people on {len(found.read.rows.scores):,} labeled rows", headings)
    points = found.points
    between = [("", one) for one in points[1:-1][:: max(1, len(points) // _SHOWN)]]
    every = [("metric alone", points[0]), *between, ("judge alone", points[-1]), ("chosen", found.chosen)]
    for name, one in sorted(every, key=lambda named: named[1].asked):
        where = "none" if not one.asked else "all" if one.asked == 1 else f"{one.low:g} to {one.high:g}"
        shares = ["–" if share is None else f"{share:.3f}" for share in (one.agreement, one.decided)]
        cost = [] if one.cost is None else [f"{one.cost:.4g}"]
        style = "bold" if name == "chosen" else None
        grid.add_row(name, where, f"{one.asked:.1%}", *shares, *cost, style=style)
    return grid


def _notes(found: FoundBand) -> Iterator[str]:
    """Yield the call that uses the band, and notes, one line each."""
    band, read = found.band, found.read
    yield f'Use it with: evaluate_qa.load("judge", first=METRIC).compute(…, ask=({band.low:g}, {band.high:g}))'
    for side, where, verdict in (
        (band.below, f"below {band.low:g}", "incorrect"),
        (band.above, f"at {band.high:g} or more", "correct"),
    ):
        if side is None:
            yield (
                f"The metric never decides {verdict!r}: no score limit reaches an agreement of {found.target:g}, or "
                "there are too few rows."
            )
        else:
            yield (
                f"For scores {where}, people agree with {verdict!r} on {side.agreeing:,} of {side.rows:,} rows (at "
                f"least {side.bound:.3f} with {(1 + CONFIDENCE) / 2:.1%} confidence)."
            )
    known = len(read.rows.judge_right())
    if not known:
        yield "The rows have no verdicts of the judge, so its agreement is unknown."
    elif known < len(read.rows.scores):
        yield f"The judge's agreement is computed on the {known:,} rows that have its verdict."
    if read.unlabeled:
        yield f"{read.unlabeled:,} rows without a label were left out."
    if read.unscored:
        yield f"{read.unscored:,} rows without a score were left out."
    if band.below or band.above:
        yield (
            f"With {CONFIDENCE:.0%} confidence, people agree with at least {found.target:.1%} of the metric's "
            "decisions, if the labeled rows are a random sample that is independent of the metric's training data."
        )


def as_json(found: FoundBand) -> dict[str, Any]:
    """Return all unrounded results for a JSON file."""
    read, band = found.read, found.band
    return {
        "ask": [band.low, band.high],
        "target": found.target,
        "confidence": CONFIDENCE,
        "threshold": read.rows.threshold,
        "below": band.below and asdict(band.below),
        "above": band.above and asdict(band.above),
        "chosen": asdict(found.chosen),
        "curve": [asdict(one) for one in found.points],
        "tokens": read.tokens,
        "rows": len(read.rows.scores),
        "rows_without_label": read.unlabeled,
        "rows_without_score": read.unscored,
        "columns": read.columns,
    }
