"""The figures of a file as the page shows them, each as a text with another that says how sure it is."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluate_qa.uncertainty.intervals import Interval

from ..metric import Specification
from ..scoring.batch import ScoredFile, known_of
from ..scoring.certainty import Certainty
from .markup import number

Shown = tuple[str, str]
"""A figure, and how sure it is."""

FEW = 30
"""With fewer questions, the intervals may be too narrow; a note says so."""

_SMALLEST = 0.0001


def cards(scored: ScoredFile, found: Certainty | None, specification: Specification) -> dict[str, Shown]:
    """Return, by name, how many rows there are, and their means; of two systems' answers how many changed."""
    known = len(known_of(scored.columns["score"]))
    rows = {"Rows scored": (f"{known:,}", "")}
    if known < len(scored.kept):
        rows["No verdict"] = (f"{len(scored.kept) - known:,}", "")
    if scored.other is None:
        means = found.means if found else {}
        shown = {name: _mean(scored, key, means, specification) for name, key in _keys(scored, specification)}
        return rows | shown | dict(_asked(scored.columns))
    judged = "verdict" if "verdict" in scored.columns else "score"
    won, lost = ("Newly correct", "Newly incorrect") if judged == "verdict" else ("Higher score", "Lower score")
    both = zip(scored.columns[judged], scored.other.columns[judged], strict=True)
    differences = [after - before for before, after in both if None not in (before, after)]
    counts = {won: sum(one > 0 for one in differences), lost: sum(one < 0 for one in differences)}
    return rows | {name: (f"{count:,}", "") for name, count in counts.items()}


def _asked(columns: Mapping[str, list[Any]]) -> Iterator[tuple[str, Shown]]:
    """Yield the share of rows about which a judge was asked, and the tokens of requests and replies."""
    if "asked" in columns:
        yield "Sent to the judge", (f"{sum(columns['asked']) / len(columns['asked']):.1%}", "")
    if tokens := sum(known_of([*columns.get("tokens_in", []), *columns.get("tokens_out", [])])):
        yield "Tokens", (f"{tokens:,}", "")


def compared(scored: ScoredFile, found: Certainty | None, specification: Specification) -> dict[str, list[Shown]]:
    """Return of two systems' answers, by name, the mean of each and the difference; the first line names them."""
    if scored.other is None:
        return {}
    lines = {"": [(name, "") for name in (scored.table.answer, scored.other.table.answer, "difference")]}
    means, others = (found.means, found.other or {}) if found else ({}, {})
    for name, key in _keys(scored, specification):
        sides = [_mean(scored, key, means, specification), _mean(scored.other, key, others, specification)]
        lines[name] = [*sides, _difference(found, key, specification.most or 1.0)]
    return lines


def notes(found: Certainty | None) -> Iterator[str]:
    """Yield, a sentence or two each, what the figures rest on."""
    if found is None:
        yield "Intervals need rows with at least two different questions."
        return
    yield "Ranges are 95% intervals for rows like these. They do not account for errors of the metric."
    if found.pair is not None:
        exact = found.pair.verdicts is not None and found.by is None
        how = "McNemar's exact test for verdicts, sign flips for scores" if exact else "sign flips"
        yield f"p is the probability of a difference this large by chance ({how}). Changed rows come first below."
    if found.by is not None:
        yield f"Rows with the same {found.by} count as one group ({found.clusters:,} {found.by}s)."
    if found.clusters < FEW:
        yield f"With fewer than {FEW} {found.by or 'row'}s, the intervals may be too narrow."


def _keys(scored: ScoredFile, specification: Specification) -> Iterator[tuple[str, str | None]]:
    """Yield the names of the means, with the column that each is of; None for a score of all rows together."""
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
    # Of few rows the normal interval may leave the scores' range, which nobody need see.
    low, high = means[key].low, means[key].high
    if specification.most is not None:
        low, high = max(low, 0.0), min(high, most)
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
