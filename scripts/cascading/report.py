"""Print what a cascade does, and write it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..terminal import open_console
from .curve import Bools, Point, curve, point
from .reading import Read
from .testing import CheckedBand, Side, find_band

_SHOWN = 5
"""Of so many points of the curve one is printed."""


@dataclass(frozen=True)
class FoundBand:
    """What came of a file.

    Attributes:
        read: What was read.
        target: Agreement that was wanted.
        confidence: Probability with which the band keeps it.
        band: The band.
        chosen: The cascade with the band.
        points: The curve, from the matcher alone to the model alone.
    """

    read: Read
    target: float
    confidence: float
    band: CheckedBand
    chosen: Point
    points: list[Point]


def find(read: Read, target: float, confidence: float, cost_of_one: float | None) -> FoundBand:
    """Find the band, and what it and others do."""
    rows = read.rows
    band = find_band(rows.scores, rows.labels, rows.threshold, target, confidence)
    chosen = point(rows, band.low, band.high, cost_of_one)
    return FoundBand(read, target, confidence, band, chosen, curve(rows, cost_of_one))


def show(found: FoundBand) -> None:
    """Print the band, what it rests on, and the curve."""
    console = open_console()
    console.print(_table(found))
    for line in told(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _table(found: FoundBand) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(
        title=f"agreement with people on {len(found.read.rows.scores):,} labeled rows",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    priced = found.chosen.cost is not None
    for name in (
        "",
        "judge asked for scores",
        "asked",
        "agreement",
        "metric decides",
        *(["cost per 1,000"] if priced else []),
    ):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for name, one in _shown(found):
        where = "none" if not one.asked else "all" if one.asked == 1 else f"{one.low:g} to {one.high:g}"
        cells = [where, f"{one.asked:.1%}", _share(one.agreement), _share(one.decided)]
        cells += [f"{one.cost:.4g}"] if one.cost is not None else []
        table.add_row(name, *cells, style="bold" if name == "chosen" else None)
    return table


def _shown(found: FoundBand) -> list[tuple[str, Point]]:
    """Return some points of the curve and the chosen one, by the share that is asked."""
    points = found.points
    between = [("", one) for one in points[1:-1][:: max(1, len(points) // (2 * _SHOWN))]]
    every = [("metric alone", points[0]), *between, ("judge alone", points[-1]), ("chosen", found.chosen)]
    return sorted(every, key=lambda named: named[1].asked)


def told(found: FoundBand) -> list[str]:
    """Return the call that uses the band, and notes on it, one line each."""
    band, read = found.band, found.read
    lines = [f'Use it with: evaluate_qa.load("judge", first=METRIC).compute(…, ask=({band.low:g}, {band.high:g}))']
    for side, where, verdict in (
        (band.below, f"below {band.low:g}", "incorrect"),
        (band.above, f"at {band.high:g} or more", "correct"),
    ):
        if side is None:
            lines.append(
                f"The metric never decides {verdict!r}: no score limit reaches an agreement of {found.target:g}, or "
                "there are too few rows."
            )
        else:
            lines.append(
                f"For scores {where}, people agree with {verdict!r} on {side.agreeing:,} of {side.rows:,} rows (at "
                f"least {side.bound:.3f} with {(1 + found.confidence) / 2:.1%} confidence)."
            )
    known = len(read.rows.modelled)
    if not known:
        lines.append("The rows have no verdicts of the judge, so its agreement is unknown.")
    elif known < len(read.rows.scores):
        lines.append(f"The agreement of the judge is that on the {known:,} rows that have its verdict.")
    if read.unlabelled:
        lines.append(f"{read.unlabelled:,} rows without a label were left out.")
    if read.unscored:
        lines.append(f"{read.unscored:,} rows without a score were left out.")
    if band.below or band.above:
        lines.append(
            f"With {found.confidence:.0%} confidence, people agree with at least {found.target:.1%} of the metric's "
            "decisions, if the labeled rows are a random sample that is independent of the metric's training data."
        )
    return lines


def as_json(found: FoundBand) -> dict[str, Any]:
    """Return everything, unrounded, for a file of JSON."""
    read, band = found.read, found.band
    return {
        "ask": [band.low, band.high],
        "target": found.target,
        "confidence": found.confidence,
        "threshold": read.rows.threshold,
        "below": _side(band.below),
        "above": _side(band.above),
        "chosen": asdict(found.chosen),
        "matcher_alone": alone(read.rows.matched),
        "model_alone": alone(read.rows.modelled),
        "curve": [asdict(one) for one in found.points],
        "tokens": read.tokens,
        "rows": len(read.rows.scores),
        "rows_without_label": read.unlabelled,
        "rows_without_score": read.unscored,
        "columns": read.columns,
    }


def alone(right: Bools) -> dict[str, Any] | None:
    """Return the share of verdicts that are right, with its 95% interval (Clopper and Pearson); None without any."""
    from scipy.stats import binomtest

    if not len(right):
        return None
    ends = binomtest(int(right.sum()), len(right)).proportion_ci()
    return {"agreement": float(np.mean(right)), "low": float(ends.low), "high": float(ends.high), "rows": len(right)}


def _side(side: Side | None) -> dict[str, Any] | None:
    return None if side is None else asdict(side)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
