"""Print and export the result of `evaluate-qa cascade`."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize

from ..terminal import new_table, print_report
from .band import CONFIDENCE, find_band
from .curve import curve, point
from .labeled_scores import LabeledScores

_SHOWN = 10
"""Approximate number of points of the curve to print."""


def find_cascade(rows: LabeledScores, target: float, row_cost: float | None) -> dict[str, Any]:
    """Return the band, the cascade with it, and the curve from the metric alone to the judge alone, as JSON."""
    tested = np.ones(len(rows.scores), dtype=bool) if rows.tested is None else rows.tested
    band = find_band(rows.scores[tested], rows.labels[tested], rows.threshold, target)
    return {
        "ask": [band.low, band.high],
        "target": target,
        "confidence": CONFIDENCE,
        "threshold": rows.threshold,
        "below": band.below and asdict(band.below),
        "above": band.above and asdict(band.above),
        "chosen": asdict(point(rows, band.low, band.high, row_cost)),
        "curve": [asdict(one) for one in curve(rows, row_cost)],
        "tokens": rows.tokens,
        "rows": len(rows.scores),
        "rows_tested": int(tested.sum()),
        "rows_with_judge": int((~np.isnan(rows.judged)).sum()),
        "rows_without_label": rows.unlabeled,
        "rows_without_score": rows.unscored,
        "columns": rows.columns,
    }


def show(found: Mapping[str, Any]) -> None:
    """Print the curve, the band, and notes."""
    print_report(_table(found), *_notes(found))


def _table(found: Mapping[str, Any]) -> Any:
    headings = ["judge asked for scores", "asked", "agreement", "metric decides"]
    if found["chosen"]["cost"] is not None:
        headings.append("cost per 1,000")
    grid = new_table(f"agreement with people on {pluralize(found['rows'], 'labeled row')}", headings)
    points = found["curve"]
    between = [("", one) for one in points[1:-1][:: max(1, len(points) // _SHOWN)]]
    every = [("metric alone", points[0]), *between, ("judge alone", points[-1])]
    if _is_found(found):
        every.append(("chosen", found["chosen"]))
    for name, one in sorted(every, key=lambda named: named[1]["asked"]):
        asked = one["asked"]
        where = "none" if not asked else "all" if asked == 1 else f"{one['low']:g} to {one['high']:g}"
        shares = ["–" if share is None else f"{share:.3f}" for share in (one["agreement"], one["decided"])]
        cost = [] if one["cost"] is None else [f"{one['cost']:.4g}"]
        style = "bold" if name == "chosen" else None
        grid.add_row(name, where, f"{asked:.1%}", *shares, *cost, style=style)
    return grid


def _is_found(found: Mapping[str, Any]) -> bool:
    """Return whether the metric decides on some side of the band."""
    return bool(found["below"] or found["above"])


def _notes(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the call that uses the band, and notes, one line each."""
    low, high = found["ask"]
    none = f"With {CONFIDENCE:.0%} confidence, no score limit reaches an agreement of {found['target']:g}"
    fix = "Label more rows, or lower --target."
    sides = (found["below"], f"below {low:g}", "incorrect"), (found["above"], f"at {high:g} or more", "correct")
    if not _is_found(found):
        yield f"{none}, so no band of scores for the judge is recommended. {fix}"
    else:
        yield f'Use it with: evaluate_qa.load("judge", first=METRIC).compute(…, ask=({low:g}, {high:g}))'
    for side, where, verdict in sides if _is_found(found) else ():
        if side is None:
            yield f"{none} for {verdict!r}, so the metric never decides {verdict!r}. {fix}"
        else:
            yield (
                f"For scores {where}, people agree with {verdict!r} on {side['agreeing']:,} of "
                f"{pluralize(side['rows'], 'row')} (at least {side['bound']:.3f} with {(1 + CONFIDENCE) / 2:.1%} "
                "confidence)."
            )
    yield f"The metric calls answers with a score of at least {found['threshold']:.4g} correct."
    if (tested := found["rows_tested"]) < found["rows"]:
        yield (
            f"The band was found with {pluralize(tested, 'row')}, one random row for each value of "
            f"{found['columns']['cluster']!r}, because such rows are not independent."
        )
    known = found["rows_with_judge"]
    if not known:
        yield "The rows have no verdicts of the judge, so its agreement is unknown."
    elif known < found["rows"]:
        yield f"The judge's agreement is computed on {pluralize(known, 'row')} with its verdict."
    if unlabeled := found["rows_without_label"]:
        yield f"The figures leave out {pluralize(unlabeled, 'row')} without a label."
    if unscored := found["rows_without_score"]:
        yield f"The figures leave out {pluralize(unscored, 'row')} without a score."
    if _is_found(found):
        yield (
            f"With {CONFIDENCE:.0%} confidence, people agree with at least {found['target']:.1%} of the metric's "
            "decisions, if the labeled rows are a random sample that is independent of the metric's training data."
        )
