"""Draw reliability diagrams: scores against the share of answers that people call correct, and how many there are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .calibration import BINS, Calibration
from .drawing import errorbar
from .run import Agreement

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_calibration(path: Path, agreements: Sequence[Agreement]) -> None:
    """Draw a PNG, SVG or PDF, by the suffix of the path: a row for each data set, a diagram for each metric."""
    from matplotlib.figure import Figure

    rows, columns = len(agreements), max(len(agreement.calibrations) for agreement in agreements)
    sheet = Figure(figsize=(max(3.6 * columns, 3.6), 4.4 * rows), layout="constrained")
    grid = sheet.add_gridspec(2 * rows, columns, height_ratios=[3, 1] * rows)
    for row, agreement in enumerate(agreements):
        for column, found in enumerate(agreement.calibrations):
            curve = sheet.add_subplot(grid[2 * row, column])
            curve.set_title(f"{found.metric} on {agreement.data.name}: ECE {found.error:.3f}", fontsize=10)
            _draw_curve(curve, found)
            _draw_counts(sheet.add_subplot(grid[2 * row + 1, column], sharex=curve), found)
    sheet.savefig(path, dpi=100)


def _draw_curve(panel: "Axes", found: Calibration) -> None:
    panel.plot([0, 1], [0, 1], color="gray", linewidth=1, linestyle="--")
    errorbar(panel, [bin.score for bin in found.bins], [bin.correct for bin in found.bins], found.metric, line="-")
    panel.set(ylabel="called correct by people", xlim=(0, 1), ylim=(-0.02, 1.02))
    panel.grid(alpha=0.3)


def _draw_counts(panel: "Axes", found: Calibration) -> None:
    begins, rows = [bin.begin for bin in found.bins], [bin.rows for bin in found.bins]
    bars = panel.bar(begins, rows, width=1 / BINS, align="edge", edgecolor="white", alpha=0.6)
    panel.bar_label(bars, fontsize=6)
    panel.margins(y=0.25)
    panel.set(xlabel="score", ylabel="answers")
