"""Draw how well metrics agree with people: a panel of groups for each data set."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .bootstrap import BootstrapEstimate
from .run import Agreement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NOTHING = float("nan")


def draw(path: Path, agreements: Sequence[Agreement]) -> None:
    """Draw a PNG, SVG or PDF, by the suffix of the path: a panel of groups for each data set."""
    from matplotlib.figure import Figure

    # Not through pyplot, which would keep the drawing in memory and look for a display.
    sheet = Figure(figsize=(9, 4.5 * len(agreements)), layout="constrained")
    panels = sheet.subplots(len(agreements), squeeze=False)[:, 0]
    for panel, agreement in zip(panels, agreements, strict=True):
        _draw_groups(panel, agreement)
    sheet.savefig(path, dpi=150)


def _draw_groups(panel: "Axes", agreement: Agreement) -> None:
    """Draw a dot with whiskers for each metric, side by side in each group: the data set's headline figure."""
    tables, figure = agreement.tables, agreement.data.headline
    metrics = list(tables[0].estimates)
    for number, metric in enumerate(metrics):
        shift = 0.7 * ((number + 0.5) / len(metrics) - 0.5)
        estimates = [table.estimates[metric][figure] for table in tables]
        if any(estimate.value is not None for estimate in estimates):
            errorbar(panel, [place + shift for place in range(len(tables))], estimates, metric, line="none")
    panel.set_xticks(range(len(tables)), [table.group for table in tables], rotation=30, ha="right")
    panel.set(title=f"{agreement.data.name}: agreement with people", ylabel=figure)
    panel.grid(axis="y", alpha=0.3)
    panel.legend(loc="upper left", bbox_to_anchor=(1, 1))


def errorbar(
    panel: "Axes", places: Sequence[float], estimates: Sequence[BootstrapEstimate], label: str, line: str
) -> None:
    """Draw estimates as dots with whiskers."""
    values = [_NOTHING if estimate.value is None else estimate.value for estimate in estimates]
    below = [_reach(estimate.low, estimate.value) for estimate in estimates]
    above = [_reach(estimate.value, estimate.high) for estimate in estimates]
    panel.errorbar(places, values, yerr=[below, above], fmt="o", linestyle=line, markersize=4, capsize=2, label=label)


def _reach(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else max(high - low, 0.0)
