"""Charts as SVG without scripts, fonts or other files; they use the page's colors and follow its dark mode."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize

from ..uncertainty.arrays import Floats
from ..uncertainty.intervals import Interval, wilson

_WIDTH, _LEFT, _RIGHT = 480, 140, 20
_LONGEST_NAME = 18
_MOST_BINS, _LABELS_PER_BIN = 10, 10


@dataclass(frozen=True)
class Bin:
    """Labeled rows with similar scores; `share` is the share of right answers, weighted as the rows were drawn."""

    score: float
    share: float
    labels: int


def histogram(scores: Floats, title: str) -> str:
    """Return a histogram from 0 to 1, or wider if the scores are, with the number of rows above each bar."""
    axis = _axis(min(0.0, float(scores.min())), max(1.0, float(scores.max())))
    x = _scale(axis, 20, 360)
    counts, edges = np.histogram(scores, 2 * (len(axis) - 1), (axis[0], axis[-1]))
    parts = [_line(20, 165, 360, 165), *(_text(x(tick), 183, f"{tick:g}", "middle") for tick in axis)]
    for count, start, end in zip(counts.tolist(), edges, edges[1:], strict=False):
        if count:
            height = 140 * count / counts.max()
            parts += [
                f'<rect class="bar" x="{x(start) + 1:.1f}" y="{165 - height:.1f}" width="{x(end) - x(start) - 2:.1f}" '
                f'height="{height:.1f}"/>',
                _text((x(start) + x(end)) / 2, 160 - height, _short(count), "middle"),
            ]
    return _svg(title, 208, [*parts, _text(190, 203, "score", "middle")], width=380)


def intervals(rows: Sequence[tuple[str, Interval]], title: str) -> str:
    """Return a line per name from the low to the high end of its interval, with a dot at the figure."""
    axis = _axis(min(one.low for _, one in rows), max(one.high for _, one in rows))
    x = _scale(axis, _LEFT, _WIDTH - _RIGHT)
    bottom = 20 + 30 * len(rows)
    parts = [_line(_LEFT, bottom, _WIDTH - _RIGHT, bottom)]
    for tick in axis:
        parts += [_line(x(tick), 10, x(tick), bottom, "grid"), _text(x(tick), bottom + 18, f"{tick:g}", "middle")]
    for place, (name, one) in enumerate(rows):
        y = 25 + 30 * place
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        parts += [
            _text(_LEFT - 10, y + 4, short, "end"),
            _line(x(one.low), y, x(one.high), y, "interval"),
            _dot(x(one.value), y, f"{name}: {one.value:.3f}"),
        ]
    return _svg(title, bottom + 28, parts)


def calibration(scores: Floats, labels: Floats, weights: Floats | None, title: str) -> str:
    """Return the share of right answers by score, with the number of labels. Calibrated scores lie on the diagonal.

    Arrays are as in `calibration_bins`.
    """
    x, y = _scale([0, 1], 60, 340), _scale([0, 1], 300, 20)
    parts = [_line(x(0), y(0), x(1), y(0)), _line(x(0), y(0), x(0), y(1)), _line(x(0), y(0), x(1), y(1), "ideal")]
    for tick in _axis(0, 1):
        parts += [_text(x(tick), 318, f"{tick:g}", "middle"), _text(52, y(tick) + 4, f"{tick:g}", "end")]
    for one in calibration_bins(scores, labels, weights):
        ends = wilson(one.share, one.labels)
        parts += [
            _line(x(one.score), y(ends.low), x(one.score), y(ends.high), "interval"),
            _dot(x(one.score), y(one.share), f"{pluralize(one.labels, 'label')}, {one.share:.0%} right"),
            _text(x(one.score) + 8, y(one.share) - 6, f"n = {_short(one.labels)}"),
        ]
    parts += [_text(200, 338, "score", "middle"), _line(60, 358, 84, 358, "interval"), _dot(72, 358, "")]
    parts += [_text(94, 362, "share right with 95% interval, n labels")]
    parts += [_line(60, 378, 84, 378, "ideal"), _text(94, 382, "perfect calibration")]
    return _svg(title, 390, parts, width=380)


def calibration_bins(scores: Floats, labels: Floats, weights: Floats | None) -> list[Bin]:
    """Return up to ten bins with about equally many labels, at least ten each; equal scores share a bin.

    Arrays have the shape (rows,). Labels are from 0 to 1, NaN for an unlabeled row. Weights are 1 / probability of
    being drawn; None for a simple random sample.
    """
    known = ~np.isnan(labels)
    scores, labels, weights = scores[known], labels[known], None if weights is None else weights[known]
    count = min(_MOST_BINS, max(1, len(scores) // _LABELS_PER_BIN))
    _, distinct, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    middles = (np.cumsum(sizes) - sizes / 2)[distinct]  # ranks, from 0 to the number of labels
    places = (middles * count / len(scores)).astype(int)
    found = []
    for place in np.unique(places):
        here = places == place
        shares = None if weights is None else weights[here]
        score, label = (float(np.average(values[here], weights=shares)) for values in (scores, labels))
        found.append(Bin(score, label, int(here.sum())))
    return found


def _axis(low: float, high: float) -> list[float]:
    """Return two to seven round numbers, evenly spaced, that enclose `low` and `high`."""
    rough = max((high - low) / 5, 1e-3)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 9) for number in range(first, max(last, first + 1) + 1)]


def _scale(axis: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """Return the function from a value on an axis to its place on the page."""
    return lambda value: start + (end - start) * (value - axis[0]) / (axis[-1] - axis[0])


def _short(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"  # noqa: PLR2004 - five digits do not fit


def _line(x: float, y: float, to_x: float, to_y: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def _dot(x: float, y: float, title: str) -> str:
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{escape(title)}</title></circle>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text.replace("-", "−"))}</text>'


def _svg(title: str, height: float, parts: Sequence[str], width: int = _WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height:g}" style="max-width:{width}px" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
