"""What `compute` returns: means over the rows that were scored, and the rows themselves."""

from collections.abc import Sequence
from typing import Any

from .options import Options
from .scored_rows import RowScore

_MEANS = ("precision", "recall", "f_score", "coarse", "n_keywords")
_NUMBERS = ("score", "precision", "recall", "f_score", "coarse")
_REST = ("mode", "n_keywords", "keywords", "best_times", "best_frames", "frames")


def result(outcomes: Sequence[RowScore | str], options: Options, line: str, per_example: bool) -> dict[str, Any]:
    """Return means, signature and rows as Python numbers, strings and lists.

    Args:
        outcomes: For each row its score, or why there is none.
        options: Whether there are verdicts, and a column of reasons.
        line: The signature.
        per_example: Whether the rows are returned.
    """
    columns = _columns(outcomes)
    means: dict[str, Any] = {"evqascore": _mean(columns["score"])}
    if options.threshold is not None:
        scores = columns["score"]
        columns["verdict"] = [None if score is None else score > options.threshold for score in scores]
        means["accuracy"] = _mean(columns["verdict"])
    means |= {name: _mean(columns[name]) for name in _MEANS}
    if options.unreadable == "none":
        columns["error"] = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
        means["unscored"] = sum(isinstance(outcome, str) for outcome in outcomes)
    means["signature"] = line
    return means | {"per_example": columns} if per_example else means


def modes(outcomes: Sequence[RowScore | str]) -> str | None:
    """Return how the rows were scored: qa, caption, or both."""
    found = sorted({outcome.mode for outcome in outcomes if isinstance(outcome, RowScore)})
    return "+".join(found) or None


def _columns(outcomes: Sequence[RowScore | str]) -> dict[str, list[Any]]:
    rows = [_row(outcome) if isinstance(outcome, RowScore) else None for outcome in outcomes]
    return {name: [None if row is None else row[name] for row in rows] for name in _NUMBERS + _REST}


def _row(scored: RowScore) -> dict[str, Any]:
    rest = (scored.mode, len(scored.keywords), scored.keywords, scored.best_times, scored.best_frames, scored.frames)
    numbers = {name: getattr(scored.video, name) for name in _NUMBERS}
    return numbers | dict(zip(_REST, rest, strict=True))


def _mean(values: Sequence[Any]) -> float | None:
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None
