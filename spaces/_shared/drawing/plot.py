"""The distribution of the scores of a file, as HTML that follows the page's colors and width."""

import itertools
from collections.abc import Sequence
from html import escape

COLUMNS = 10


def distribution(
    scores: Sequence[float], verdicts: Sequence[bool] | None, most: float | None, of: str = "the scores"
) -> str:
    """Return how many answers have which score, in ten columns, parted by verdict where there is one.

    Args:
        scores: One for each answer.
        verdicts: One for each answer; None for a metric that gives none.
        most: The highest score, if the lowest is 0; None for scores without bounds.
        of: What the scores are of.
    """
    low, step = (0.0, most / COLUMNS) if most else _span(scores)
    parts = _parts(verdicts, len(scores))
    columns = [dict.fromkeys(_LOOKS, 0) for _ in range(COLUMNS)]
    for score, part in zip(scores, parts, strict=True):
        columns[min(int(max(score - low, 0.0) / step), COLUMNS - 1)][part] += 1
    tallest = max(sum(column.values()) for column in columns)
    starts = [f"{round(low + number * step, 9):g}" for number in range(COLUMNS)]
    told = ", ".join(f"from {start}: {sum(c.values())}" for start, c in zip(starts, columns, strict=True))
    drawn = "".join(_column(start, column, tallest) for start, column in zip(starts, columns, strict=True))
    return (
        f'<figure class="qa-plot"><figcaption>Distribution of {escape(of)}</figcaption>'
        f'<div class="qa-columns" role="img" aria-label="Number of answers by score. {told}">{drawn}</div>'
        f"{'' if verdicts is None else _KEY}</figure>"
    )


# What an answer may be -> how it is drawn, from the top of a column to its foot.
_LOOKS = {"correct": "qa-high", "incorrect": "qa-low", "scored": "qa-any"}
_KEY = (
    '<p class="qa-key"><span class="qa-swatch qa-low"></span>incorrect '
    '<span class="qa-swatch qa-high"></span>correct</p>'
)


def _span(scores: Sequence[float]) -> tuple[float, float]:
    """Return where the first column begins and how wide each is: round numbers that take in all scores, and 0."""
    low, high = min(0.0, *scores), max(0.0, *scores)
    steps = (digit * 10.0**power for power in itertools.count(-3) for digit in (1, 2, 5))
    return next((low // step * step, step) for step in steps if high < (low // step + COLUMNS) * step)


def _parts(verdicts: Sequence[bool] | None, count: int) -> list[str]:
    return ["scored"] * count if verdicts is None else ["correct" if verdict else "incorrect" for verdict in verdicts]


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
