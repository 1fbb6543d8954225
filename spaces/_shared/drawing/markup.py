"""Results and messages as HTML: the macros of `markup.html`, which escape all texts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluate_qa.reporting.templates import templates

from ..metric.outcome import Mark, Outcome

_VERDICTS = {True: ("Correct", "qa-right", "✓"), False: ("Incorrect", "qa-wrong", "✗"), None: ("Score", "qa-plain", "")}


def number(value: float, most: float) -> str:
    """Return a score with three decimals, or with one if it goes up to 100."""
    return f"{value:.3f}" if most <= 1 else f"{value:.1f}"


def render(macro: str, *values: Any) -> str:
    """Return the HTML of a macro."""
    return str(getattr(_TEMPLATE.module, macro)(*values)).strip()


def result(outcome: Outcome, answer: str, most: float | None) -> str:
    """Return the result of one answer: verdict, explanation, the answer with its marks, and the components."""
    return render("result", outcome, list(_pieces(answer, outcome.marks)), most, _VERDICTS[outcome.verdict])


def problem(message: str) -> str:
    """Return an error message."""
    return render("problem", message)


def note(message: str) -> str:
    """Return a status message."""
    return render("note", message)


def _share(value: float, most: float) -> str:
    """Return a length in percent of the maximum."""
    return f"{100 * min(max(value / most, 0), 1):.4g}%"


def _pieces(text: str, marks: Sequence[Mark]) -> Iterator[tuple[str, Mark | None]]:
    """Yield the parts of a text with their marks, without marks that begin inside another."""
    end = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if mark.start >= end:
            yield text[end : mark.start], None
            yield text[mark.start : mark.end], mark
            end = mark.end
    yield text[end:], None


_ENVIRONMENT = templates(Path(__file__).parent)
_ENVIRONMENT.globals |= {"number": number, "share": _share}
_TEMPLATE = _ENVIRONMENT.get_template("markup.html")
