"""Print an audit and draw its page, from its JSON."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..reporting import charts
from ..reporting.page import fill
from ..terminal import new_table, open_console, print_lines
from ..uncertainty.intervals import BootstrapEstimate, format_interval

_SIGNED = ("shift", "difference", "beyond_repetition")  # Ends of the names of figures that may be below 0.

_LINES = (Path(__file__).parent / "explanations.tsv").read_text(encoding="utf-8").splitlines()
_EXPLAINED = dict(line.split("\t") for line in _LINES)


def read_audit(path: Path) -> dict[str, Any]:
    """Read an audit's JSON; raise ValueError for another file."""
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        _ = [found[name] for name in ("judge", "date", "protocol", "round")]
        _ = [(row["key"], row["verdicts"]) for row in found["rows"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not an audit. Give a file that evaluate-qa audit --json wrote.") from error
    return found


def _sections(audit: Mapping[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]], str]]:
    """Yield each group's name, headings, rows of cells, and explanation."""
    for group, figures in audit["figures"].items():
        headings = ["", "figure", "rows"]
        rows = [
            [name.replace("_", " "), _text(one, "+" if name.endswith(_SIGNED) else ""), f"{one['rows']:,}"]
            for name, one in figures.items()
        ]
        if any(one["change"] for one in figures.values()):
            headings.append("change")
            rows = [[*row, _text(one["change"], "+")] for row, one in zip(rows, figures.values(), strict=True)]
        yield group, headings, rows, _EXPLAINED.get(group, "")


def _text(figure: Mapping[str, Any] | None, sign: str) -> str:
    ends = ("value", "low", "high")
    return format_interval(BootstrapEstimate(*((figure or {}).get(name) for name in ends)), sign)


def show(audit: Mapping[str, Any]) -> None:
    """Print a table for each group of figures, and notes."""
    from rich.markup import escape

    console = open_console()
    for group, headings, rows, explained in _sections(audit):
        grid = new_table(escape(group), headings[1:])
        for row in rows:
            grid.add_row(*map(escape, row))
        console.print(grid)
        print_lines(console, [f"{explained}\n"] if explained else [])
    print_lines(console, audit["notes"])


def page(audit: Mapping[str, Any]) -> str:
    """Return the audit as a page."""
    known = [(row["score"], row["label"]) for row in audit["rows"] if row["score"] is not None]
    scores, labels = np.array(known, dtype=np.float64).T
    return fill(
        "audit.html",
        audit["notes"],
        audit=audit,
        sections=list(_sections(audit)),
        calibration=charts.calibration(scores, labels, None, "Calibration of the judge's scores"),
    )
