"""The distribution of the scores of a file, as HTML."""

from collections.abc import Sequence
from html import escape

COLUMNS = 10


def distribution(scores: Sequence[float], verdicts: Sequence[bool] | None, most: float, of: str = "the scores") -> str:
    """Return a histogram of ten columns from 0 to the highest score, split by verdict if there are verdicts."""
    parts = ["correct" if verdict else "incorrect" for verdict in verdicts] if verdicts else ["scored"] * len(scores)
    columns = [dict.fromkeys(_LOOKS, 0) for _ in range(COLUMNS)]
    for score, part in zip(scores, parts, strict=True):
        columns[min(int(max(score, 0.0) / most * COLUMNS), COLUMNS - 1)][part] += 1
    tallest = max(sum(column.values()) for column in columns)
    starts = [f"{number * most / COLUMNS:g}" for number in range(COLUMNS)]
    label = ", ".join(f"from {start}: {sum(c.values())}" for start, c in zip(starts, columns, strict=True))
    drawn = "".join(_column(start, column, tallest) for start, column in zip(starts, columns, strict=True))
    return (
        f'<figure class="qa-plot"><figcaption>Distribution of {escape(of)}</figcaption>'
        f'<div class="qa-columns" role="img" aria-label="Number of answers by score. {label}">{drawn}</div>'
        f"{'' if verdicts is None else _KEY}</figure>"
    )


# The class of each part of a column, from top to bottom.
_LOOKS = {"correct": "qa-high", "incorrect": "qa-low", "scored": "qa-any"}
_KEY = (
    '<p class="qa-key"><span class="qa-swatch qa-low"></span>incorrect '
    '<span class="qa-swatch qa-high"></span>correct</p>'
)


def _column(start: str, column: dict[str, int], tallest: int) -> str:
    bars = "".join(
        f'<span class="{_LOOKS[part]}" style="height:{100 * count / tallest:.4g}%"></span>'
        for part, count in column.items()
        if count
    )
    count = sum(column.values()) or ""
    return (
        f'<div class="qa-column"><div class="qa-stack"><span class="qa-count">{count}</span>{bars}</div>'
        f'<span class="qa-tick">{start}</span></div>'
    )
