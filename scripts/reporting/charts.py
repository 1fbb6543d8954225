"""Charts as SVG without scripts, fonts or other files; they use the page's colors and follow its dark mode."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from ..uncertainty.intervals import Interval, wilson

Floats = NDArray[np.float64]

BINS = 20
_WIDTH, _LEFT, _RIGHT = 480, 140, 20
_MOST = 18  # letters of a name


@dataclass(frozen=True)
class Bin:
    """Scores in one part of their range, with the labels there.

    Attributes:
        score: Mean score.
        share: Share of the labels that are right, weighted as the rows were drawn.
        labels: Number of labels.
    """

    score: float
    share: float
    labels: int


def histogram(scores: Floats, title: str) -> str:
    """Return a histogram from 0 to 1, or over the range of the scores if they leave 0 to 1."""
    low, high = (0.0, 1.0) if scores.min() >= 0 and scores.max() <= 1 else (float(scores.min()), float(scores.max()))
    counts, _ = np.histogram(scores, BINS, (low, high))
    step, tallest = 340 / BINS, max(1, counts.max())
    bars = [
        f'<rect class="bar" x="{20 + place * step + 1:.1f}" y="{150 - 130 * count / tallest:.1f}" '
        f'width="{step - 2:.1f}" height="{130 * count / tallest:.1f}"><title>{count:,} rows</title></rect>'
        for place, count in enumerate(counts.tolist())
    ]
    axis = _line(20, 150, 360, 150) + _text(20, 168, f"{low:g}") + _text(360, 168, f"{high:g}", "end")
    return _svg(title, 176, [*bars, axis, _text(190, 168, "score", "middle")], width=380)


def intervals(rows: Sequence[tuple[str, Interval]], title: str) -> str:
    """Return a line per name from the low to the high end of its interval, with a dot at the figure."""
    low, high = min(one.low for _, one in rows), max(one.high for _, one in rows)
    pad = 0.08 * (high - low) or 0.05
    low, high = low - pad, high + pad

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    bottom = 20 + 30 * len(rows)
    parts = [_line(_LEFT, bottom, _WIDTH - _RIGHT, bottom)]
    for tick in np.linspace(low + pad, high - pad, 4):
        parts += [_line(x(tick), 10, x(tick), bottom, "grid"), _text(x(tick), bottom + 18, f"{tick:.3f}", "middle")]
    for place, (name, one) in enumerate(rows):
        y = 25 + 30 * place
        short = name if len(name) <= _MOST else f"{name[: _MOST - 1]}…"
        parts += [
            _text(_LEFT - 10, y + 4, short, "end"),
            _line(x(one.low), y, x(one.high), y, "interval"),
            f'<circle class="dot" cx="{x(one.value):.1f}" cy="{y}" r="5"><title>{escape(name)}: {one.value:.3f}'
            "</title></circle>",
        ]
    return _svg(title, bottom + 28, parts)


def calibration(bins: Sequence[Bin], title: str) -> str:
    """Return the share of right answers by score. Calibrated scores lie on the diagonal."""

    def at(score: float, share: float) -> tuple[float, float]:
        return 60 + 280 * score, 300 - 280 * share

    parts = [_line(*at(0, 0), *at(1, 0)), _line(*at(0, 0), *at(0, 1)), _line(*at(0, 0), *at(1, 1), "grid")]
    for one in bins:
        x, y = at(one.score, one.share)
        ends = wilson(one.share, one.labels)
        parts += [
            _line(x, at(0, ends.low)[1], x, at(0, ends.high)[1], "interval"),
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{one.labels:,} labels, {one.share:.0%} right'
            "</title></circle>",
        ]
    parts += [_text(60, 318, "0", "middle"), _text(340, 318, "1", "middle"), _text(200, 318, "score", "middle")]
    parts += [_text(52, 304, "0", "end"), _text(52, 26, "1", "end"), _text(52, 160, "right", "end")]
    return _svg(title, 326, parts, width=380)


def calibration_bins(scores: Floats, labels: Floats, weights: Floats | None, count: int = 10) -> list[Bin]:
    """Return the bins of equal width that contain labels.

    Args:
        scores: From 0 to 1, shape (rows,).
        labels: From 0 to 1, NaN where there is none, shape (rows,).
        weights: Sampling weight of each row (1 / probability of being drawn); None for a simple random sample.
        count: Number of bins.
    """
    known = ~np.isnan(labels)
    shares = np.ones(known.sum()) if weights is None else weights[known]
    places = np.minimum((scores[known] * count).astype(int), count - 1)
    found = []
    for place in range(count):
        here = places == place
        if here.any():
            mean_score, mean_label = (np.average(part[known][here], weights=shares[here]) for part in (scores, labels))
            found.append(Bin(float(mean_score), float(mean_label), int(here.sum())))
    return found


def _line(x: float, y: float, to_x: float, to_y: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text.replace("-", "−"))}</text>'


def _svg(title: str, height: float, parts: Sequence[str], width: int = _WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height:g}" style="max-width:{width}px" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
