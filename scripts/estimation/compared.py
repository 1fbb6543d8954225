"""Print and describe comparisons of systems."""

from collections.abc import Sequence
from typing import Any

from ..terminal import open_console
from ..uncertainty.intervals import Interval
from ..uncertainty.paired import MANY, POWER, Change, Paired
from .powered import Estimate, Estimates
from .report import interval, table
from .systems import Systems

_HEADINGS = ("", "difference", "p", "p by Holm", "smallest detectable")
_SMALLEST = 0.0001
_FEW = 30


def show(systems: Systems, pairs: Sequence[Paired], powered: Estimates | None, confidence: float) -> None:
    """Print each system beside the baseline: verdicts, scores and, with labels, the difference people would see."""
    console = open_console()
    if any(pair.verdicts for pair in pairs):
        grid = table("share of right answers, by the metric's verdicts", ("", "wins", "losses", *_HEADINGS[1:]))
        for pair in pairs:
            if pair.verdicts:
                grid.add_row(_title(pair), f"{pair.wins:,}", f"{pair.losses:,}", *_cells(pair.verdicts))
        console.print(grid)
    grid = table("mean score", _HEADINGS)
    for pair in pairs:
        grid.add_row(_title(pair), *_cells(pair.scores))
    console.print(grid)
    if powered is not None:
        for (one, other), found in powered.differences.items():
            console.print(f"with labels, {one} − {other}: {interval(found, '+')}", markup=False, highlight=False)
    for note in notes(systems, pairs, powered, confidence):
        console.print(note, markup=False, highlight=False)


def _title(pair: Paired) -> str:
    from rich.markup import escape

    return escape(f"{pair.system} − {pair.baseline}")


def _cells(change: Change) -> list[str]:
    smallest = "–" if change.detectable is None else f"{change.detectable:.3f}"
    return [interval(change.difference, "+"), _p(change.p_value), _p(change.adjusted), smallest]


def _p(value: float) -> str:
    return f"<{_SMALLEST}" if value < _SMALLEST else f"{value:.4f}"


def notes(systems: Systems, pairs: Sequence[Paired], powered: Estimates | None, confidence: float) -> list[str]:
    """Return, a line each, what to know of the figures."""
    first = pairs[0]
    alone = first.clusters == first.rows
    how = "by the paired bootstrap" if first.clusters <= MANY else "of paired differences"
    found = [
        f"{first.rows:,} rows of each system; {confidence:.0%} intervals {how}; p: "
        f"{'McNemar exact (verdicts), ' if first.verdicts and alone else ''}sign flips; smallest detectable: with "
        f"probability {POWER:.0%}"
    ]
    if not alone:
        found.append(f"rows with the same {systems.cluster_column} go together: {first.clusters:,} clusters")
    if first.clusters < _FEW:
        found.append(f"fewer than {_FEW} clusters: the intervals are rather too narrow")
    if systems.unscored:
        found.append(f"{systems.unscored:,} rows without a score or verdict of some system are left out")
    if powered is None:
        found.append(
            "this is by the metric, and the intervals know nothing of its errors: for people's verdicts, give --labels"
        )
    else:
        for name, one in powered.groups.items():
            if isinstance(one, Estimate):
                found.append(f"{name}: accuracy {interval(one.accuracy)}, {one.labels:,} labels")
                found += [f"{name}: {note}" for note in one.notes]
        found.append("assumed of each system: the labelled rows are a random sample of all; the labels are true")
    return found


def as_json(systems: Systems, pairs: Sequence[Paired], powered: Estimates | None) -> dict[str, Any]:
    """Return everything, unrounded, for a file of JSON."""
    return {
        "baseline": pairs[0].baseline,
        "rows": pairs[0].rows,
        "clusters": pairs[0].clusters,
        "rows_left_out": systems.unscored,
        "systems": [
            {
                "system": pair.system,
                "wins": pair.wins,
                "losses": pair.losses,
                "scores": _plain(pair.scores),
                "verdicts": pair.verdicts and _plain(pair.verdicts),
                "powered": powered and vars(powered.differences[pair.system, pair.baseline]),
            }
            for pair in pairs
        ],
    }


def _plain(change: Change) -> dict[str, Any]:
    return {name: vars(value) if isinstance(value, Interval) else value for name, value in vars(change).items()}
