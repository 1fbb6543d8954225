"""Describe the comparison of systems in words, tables and JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evaluate_qa.metrics._shared.messages import pluralize

from ..estimation.ppi import Estimate, Estimates
from ..estimation.systems import system_facts
from ..joining.labels import cluster_notes
from ..joining.systems import JoinedSystems
from ..terminal import new_table
from ..uncertainty.arrays import Floats
from ..uncertainty.bounds import doubts
from ..uncertainty.intervals import Interval, format_interval
from ..uncertainty.paired import POWER, Change, Paired

if TYPE_CHECKING:
    from rich.table import Table

UNCORRECTED = "These figures assume the metric is right. Add --labels to correct for its errors."

_SIGNIFICANT = 0.05
_LEAST = 1 / 5001  # the smallest p-value of 5,000 sign flips
_HEADINGS = ("difference", "p", "adjusted p", "smallest detectable")


def parts(systems: JoinedSystems, pairs: Sequence[Paired], ppi: Estimates | None) -> Iterator["Table | str"]:
    """Yield a sentence for each difference, then tables of systems, verdicts and scores, then notes."""
    from rich.markup import escape

    verdicts, scores = new_table("judged correct", ("wins", "losses", *_HEADINGS)), new_table("mean score", _HEADINGS)
    for pair in pairs:
        title = escape(f"{pair.system} − {pair.baseline}")
        if pair.verdicts and systems.verdicts:
            yield _result(pair, pair.verdicts, systems.verdicts, "judged correct")
            verdicts.add_row(title, f"{pair.wins:,}", f"{pair.losses:,}", *_cells(pair.verdicts))
        yield _result(pair, pair.scores, systems.scores, "mean score")
        scores.add_row(title, *_cells(pair.scores))
    for (one, other), found in ppi.differences.items() if ppi else ():
        yield f"{one} vs {other}, accuracy by labels: {format_interval(found, '+')}."
    every = new_table("systems, with 95% intervals", ("judged correct", "mean score", "accuracy by labels"))
    for of in system_facts(systems, ppi):
        figures = (of.judged_correct, of.mean_score, of.by_labels and of.by_labels.accuracy)
        every.add_row(escape(of.name), *(format_interval(figure) if figure else "–" for figure in figures))
    yield from (grid for grid in (every, verdicts, scores) if grid.rows)
    yield from notes(systems, pairs, ppi)


def _result(pair: Paired, change: Change, values: dict[str, Floats], figure: str) -> str:
    """Return whether a difference was detected, which differences these rows can detect, and the figures."""
    before, after = (float(values[name].mean()) for name in (pair.baseline, pair.system))
    of_verdicts, some = figure != "mean score", "a" if change.adjusted < _SIGNIFICANT else "no"
    found = f"{some} difference in {'verdicts' if of_verdicts else 'scores'} was detected"
    limit = describe_power("differences", change.detectable, pair.rows, of_verdicts)
    figures = describe_change(figure, before, after, change.difference, "95% interval")
    return f"{pair.system} vs {pair.baseline}: {found}; {limit}. {figures}."


def describe_change(figure: str, before: float, after: float, change: Interval, which: str) -> str:
    """Return a change in words: `Judged correct: 50.0% → 51.7% (+1.7 points, 95% interval −1.6 to +5.1)`."""
    form, scale, digits, unit = (".3f", 1, 3, "") if figure == "mean score" else (".1%", 100, 1, " points")
    # + 0.0 turns −0 into 0
    ends = (round(scale * one, digits) + 0.0 for one in (change.value, change.low, change.high))
    value, low, high = (f"{end:+.{digits}f}".replace("-", "−") for end in ends)
    return f"{figure.capitalize()}: {before:{form}} → {after:{form}} ({value}{unit}, {which} {low} to {high})"


def describe_power(what: str, smallest: float | None, rows: int | None, of_verdicts: bool) -> str:
    """Return the changes that rows can detect: `with these 300 rows, only drops of 6.2 points or more can be …`."""
    subject = "these labels" if rows is None else f"these {rows:,} rows"
    if smallest is None:
        return f"{subject} are too few, or too few of them changed, to estimate which {what} they can detect"
    size = f"{100 * smallest:.1f} points" if of_verdicts else f"{smallest:.3f}"
    return f"with {subject}, only {what} of {size} or more can be detected reliably ({POWER:.0%} power)"


def _cells(change: Change) -> list[str]:
    smallest = "–" if change.detectable is None else f"{change.detectable:.3f}"
    least = "≤" if change.p_value <= _LEAST else ""
    p_values = ("<0.0001" if value < 1e-4 else f"{least}{value:.4f}" for value in (change.p_value, change.adjusted))  # noqa: PLR2004
    return [format_interval(change.difference, "+"), *p_values, smallest]


def notes(systems: JoinedSystems, pairs: Sequence[Paired], ppi: Estimates | None) -> Iterator[str]:
    """Yield the notes on the figures, one line each."""
    first = pairs[0]
    alone = first.clusters == first.rows
    tests = "McNemar's exact test for verdicts and sign flips for scores" if first.verdicts and alone else "sign flips"
    yield (
        f"{pluralize(first.rows, 'row')} of each system. The 95% interval of a difference combines half-sampling "
        "(Hartigan's typical values) with the methods of Hall (scores) and Tango (verdicts): the widest, as each is "
        f"too narrow for some data. The p-values are from {tests}, adjusted by Holm's method. A difference of "
        f"the smallest detectable size is detected with {POWER:.0%} power."
    )
    yield from cluster_notes(systems.cluster_column, first.clusters, first.rows)
    for pair in pairs:
        system = f"{pair.system}, " if len(pairs) > 1 else ""
        for name, change in (("scores", pair.scores), ("verdicts", None if alone else pair.verdicts)):
            for doubt in doubts(pair.clusters, change.skewness, are_rows=alone) if change else ():
                yield f"{system}{name}: {doubt}"
    if systems.unscored:
        yield f"The figures leave out {pluralize(systems.unscored, 'row')} for which a system has no score or verdict."
    if ppi is None:
        yield UNCORRECTED
        return
    for name, one in ppi.groups.items():
        if isinstance(one, Estimate):
            yield f"{name}: {pluralize(one.labels, 'label')}."
            yield from (f"{name}: {note}" for note in one.notes)
    yield "Assumes that the labeled rows of each system are a random sample, and that the labels are correct."


def as_json(systems: JoinedSystems, pairs: Sequence[Paired], ppi: Estimates | None) -> dict[str, Any]:
    """Return all figures, unrounded, for a JSON file."""
    return {
        "baseline": pairs[0].baseline,
        "rows": pairs[0].rows,
        "clusters": pairs[0].clusters,
        "rows_left_out": systems.unscored,
        "figures": [asdict(one) for one in system_facts(systems, ppi)],
        "systems": [
            {
                "system": pair.system,
                "wins": pair.wins,
                "losses": pair.losses,
                "scores": asdict(pair.scores),
                "verdicts": pair.verdicts and asdict(pair.verdicts),
                "powered": ppi and vars(ppi.differences[pair.system, pair.baseline]),
            }
            for pair in pairs
        ],
    }
