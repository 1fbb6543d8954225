"""Draw a cascade's agreement with people by the share of rows that go to the judge."""

from pathlib import Path

from .report import FoundBand, alone


def draw(path: Path, found: FoundBand) -> None:
    """Draw a PNG, SVG or PDF, by the suffix of the path."""
    from matplotlib.figure import Figure

    sheet = Figure(figsize=(7, 4.5), layout="constrained")
    panel = sheet.add_subplot()
    cascades = [(one.asked, one.agreement) for one in found.points if one.agreement is not None]
    decided = [(one.asked, one.decided) for one in found.points if one.decided is not None]
    panel.plot(*zip(*cascades, strict=True), color="C0", label="cascade")
    panel.plot(*zip(*decided, strict=True), color="gray", linestyle=":", label="decided by the metric")
    panel.axhline(found.target, color="gray", linewidth=1, linestyle="--")
    rows = found.read.rows
    for name, share, right in (("metric alone", 0, rows.metric_right()), ("judge alone", 1, rows.judge_right())):
        if ends := alone(right):
            reach = [[ends["agreement"] - ends["low"]], [ends["high"] - ends["agreement"]]]
            panel.errorbar([share], [ends["agreement"]], yerr=reach, fmt="o", capsize=3, label=name)
    if found.chosen.agreement is not None:
        where = f"asked {found.band.low:g} ≤ p < {found.band.high:g}"
        panel.plot([found.chosen.asked], [found.chosen.agreement], "D", color="black", label=where)
    panel.set(xlabel="share of rows that go to the judge", ylabel="agreement with people", xlim=(-0.03, 1.03))
    panel.grid(alpha=0.3)
    panel.legend(loc="best")
    sheet.savefig(path, dpi=150)
