"""Draw how well metrics agree with people."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .bootstrap import BootstrapEstimate
from .run import Agreement

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(path: Path, agreements: Sequence[Agreement]) -> None:
    """Draw a PNG, SVG or PDF, by the suffix of the path, with a panel for each data set."""
    from matplotlib.figure import Figure

    # pyplot would keep the drawing in memory and look for a display.
    sheet = Figure(figsize=(9, 4.5 * len(agreements)), layout="constrained")
    panels = sheet.subplots(len(agreements), squeeze=False)[:, 0]
    for panel, agreement in zip(panels, agreements, strict=True):
        _draw_groups(panel, agreement)
    sheet.savefig(path, dpi=150)


def _draw_groups(panel: "Axes", agreement: Agreement) -> None:
    """Draw the headline figure of each metric as a dot with its interval, side by side in each group."""
    tables, figure = agreement.tables, agreement.data.headline
    metrics = list(tables[0].estimates)
    for number, metric in enumerate(metrics):
        shift = 0.7 * ((number + 0.5) / len(metrics) - 0.5)
        found = [(at + shift, table.estimates[metric][figure]) for at, table in enumerate(tables)]
        drawn = [(at, estimate.value, *_reach(estimate)) for at, estimate in found if estimate.value is not None]
        if drawn:
            places, values, below, above = zip(*drawn, strict=True)
            panel.errorbar(places, values, yerr=[below, above], fmt="o", markersize=4, capsize=2, label=metric)
    panel.set_xticks(range(len(tables)), [table.group for table in tables], rotation=30, ha="right")
    panel.set(title=f"{agreement.data.name}: agreement with people", ylabel=figure)
    panel.grid(axis="y", alpha=0.3)
    panel.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _reach(estimate: BootstrapEstimate) -> tuple[float, float]:
    """Return the distances from the figure to the ends of its interval; 0 without one."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return 0.0, 0.0
    return max(value - low, 0.0), max(high - value, 0.0)
