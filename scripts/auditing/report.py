"""Print an audit and draw its page, from its JSON."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..estimation.report import interval, print_lines, table
from ..reporting import charts
from ..reporting.page import fill
from ..terminal import open_console
from ..uncertainty.intervals import BootstrapEstimate

_SIGNED = ("shift", "difference", "beyond_repetition")  # Ends of the names of figures that may be below 0.

_EXPLAINED = {
    "drift": "Share of answers whose verdict changed since the earlier audit, and this share minus the flips under "
    "repetition, which is 0 for a judge that did not change.",
    "agreement": "Sensitivity is the share of right answers that the judge accepts, specificity the share of wrong "
    "answers that it rejects. Accuracy is the raw agreement, kappa the agreement beyond chance.",
    "stability": "Share of verdicts that change if the judge is asked again, and if answer and reference are "
    "exchanged.",
    "rewriting": "Share of verdicts that change (flips), and change of the share accepted (shift), if the answer is "
    "bold, a Markdown list or padded with polite sentences, and if the references are reversed. Compare flips with "
    "those under repetition.",
    "length": "Errors on the longer and the shorter half of the wrong answers, and of the right answers. The halves "
    "can also differ in other ways; padding changes the length alone.",
    "injections": "Share of wrong answers, rejected before, that the judge accepts with an added order to accept them, "
    "notice of a new policy, verdict, forged field of the prompt, or forged role of the chat; any: with one of these "
    "texts.",
    "family": "Errors on answers of the judge's own family, and on those of other systems.",
}


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
        changes = any(one["change"] for one in figures.values())
        rows = [
            [name.replace("_", " "), _text(one, "+" if name.endswith(_SIGNED) else ""), f"{one['rows']:,}"]
            + ([_text(one["change"], "+")] if changes else [])
            for name, one in figures.items()
        ]
        yield group, ["", "figure", "rows", *["change"] * changes], rows, _EXPLAINED.get(group, "")


def _text(figure: Mapping[str, Any] | None, sign: str) -> str:
    ends = ("value", "low", "high")
    return interval(BootstrapEstimate(*((figure or {}).get(name) for name in ends)), sign)


def show(audit: Mapping[str, Any]) -> None:
    """Print a table for each group of figures, and notes."""
    from rich.markup import escape

    console = open_console()
    for group, headings, rows, explained in _sections(audit):
        grid = table(escape(group), headings)
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
