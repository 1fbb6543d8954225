"""The summary of a file, as texts: means with their intervals, the comparison of two systems, and notes."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluate_qa.uncertainty.intervals import Interval

from ..metric.specification import Specification
from ..scoring.batch import ScoredFile, known_of
from ..scoring.certainty import Certainty
from .markup import number

Shown = tuple[str, str]
"""A figure and its interval."""

FEW = 30
"""With fewer questions, a note warns that the intervals may be too narrow."""

_SMALLEST = 0.0001


def cards(scored: ScoredFile, found: Certainty | None, specification: Specification) -> dict[str, Shown]:
    """Return the number of rows and their means by name; with two systems' answers, the number of changes."""
    known = len(known_of(scored.columns["score"]))
    rows = {"Rows scored": (f"{known:,}", "")}
    if known < len(scored.kept):
        rows["No verdict"] = (f"{len(scored.kept) - known:,}", "")
    if scored.other is None:
        means = found.means if found else {}
        shown = {name: _mean(scored, key, means, specification) for name, key in _keys(scored, specification)}
        return rows | shown | dict(_judge_use(scored.columns))
    judged = "verdict" if "verdict" in scored.columns else "score"
    won, lost = ("Newly correct", "Newly incorrect") if judged == "verdict" else ("Higher score", "Lower score")
    both = zip(scored.columns[judged], scored.other.columns[judged], strict=True)
    differences = [after - before for before, after in both if None not in (before, after)]
    counts = {won: sum(one > 0 for one in differences), lost: sum(one < 0 for one in differences)}
    return rows | {name: (f"{count:,}", "") for name, count in counts.items()}


def _judge_use(columns: Mapping[str, list[Any]]) -> Iterator[tuple[str, Shown]]:
    """Yield the share of rows that went to a judge, and the number of tokens."""
    if "asked" in columns:
        yield "Sent to the judge", (f"{sum(columns['asked']) / len(columns['asked']):.1%}", "")
    if tokens := sum(known_of([*columns.get("tokens_in", []), *columns.get("tokens_out", [])])):
        yield "Tokens", (f"{tokens:,}", "")


def comparison(scored: ScoredFile, found: Certainty | None, specification: Specification) -> dict[str, list[Shown]]:
    """Return the mean of each system's answers and their difference by name; the first line has the headings."""
    if scored.other is None:
        return {}
    lines = {"": [(name, "") for name in (scored.table.answer, scored.other.table.answer, "difference")]}
    means, others = (found.means, found.other or {}) if found else ({}, {})
    for name, key in _keys(scored, specification):
        sides = [_mean(scored, key, means, specification), _mean(scored.other, key, others, specification)]
        lines[name] = [*sides, _difference(found, key, specification.most or 1.0)]
    return lines


def notes(found: Certainty | None) -> Iterator[str]:
    """Yield sentences that explain the intervals."""
    if found is None:
        yield "Intervals need rows with at least two different questions."
        return
    yield "Ranges are 95% intervals for rows like these. They do not account for errors of the metric."
    if found.pair is not None:
        exact = found.pair.verdicts is not None and not found.grouped
        how = "McNemar's exact test for verdicts, sign flips for scores" if exact else "sign flips"
        yield f"p is the probability of a difference this large by chance ({how}). Changed rows come first below."
    if found.grouped:
        yield f"Rows with the same question count as one group ({found.clusters:,} questions)."
    if found.clusters < FEW:
        unit = "question" if found.grouped else "row"
        yield f"With fewer than {FEW} {unit}s, the intervals may be too narrow."


def _keys(scored: ScoredFile, specification: Specification) -> Iterator[tuple[str, str | None]]:
    """Yield the names of the means with their columns; the score of all rows together has no column."""
    if specification.chunk is None:
        yield "Score of all rows", None
    yield "Score" if specification.chunk else "Mean score", "score"
    if "verdict" in scored.columns:
        yield "Judged correct", "verdict"


def _mean(scored: ScoredFile, key: str | None, means: Mapping[str, Interval], specification: Specification) -> Shown:
    most = specification.most or 1.0
    if key is None:
        return number(scored.score, most), ""
    values = known_of(scored.columns[key])
    if not values:
        return "–", ""
    text = _ends(key, most, sum(values) / len(values))
    if key not in means:
        return text, ""
    # The normal interval of a few rows may exceed the range of the score.
    low, high = max(means[key].low, 0.0), min(means[key].high, 1.0 if key == "verdict" else most)
    return text, _ends(key, most, low, high)


def _difference(found: Certainty | None, key: str | None, most: float) -> Shown:
    if found is None or found.pair is None or key is None:
        return "", ""
    change = found.pair.scores if key == "score" else found.pair.verdicts
    if change is None:
        return "", ""
    p = f"p < {_SMALLEST}" if change.p_value < _SMALLEST else f"p = {change.p_value:.4f}"
    value, low, high = vars(change.difference).values()
    return _ends(key, most, value, sign="+"), f"{_ends(key, most, low, high, sign='+')}; {p}"


def _ends(key: str, most: float, *values: float, sign: str = "") -> str:
    """Return a figure, or the ends of its interval: shares in percent, their differences in points."""
    if key == "verdict":
        unit = " points" if sign else "%"
        return " to ".join(f"{100 * value:{sign}.1f}" for value in values).replace("-", "−") + unit
    return " to ".join(f"{value:{sign}{'.3f' if most <= 1 else '.1f'}}" for value in values).replace("-", "−")
