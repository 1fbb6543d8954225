"""Measurements as tables: every time beside its ratio to the baselines of the same run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from .every import Report
from .measure import Measurement

_MEGABYTE = 1e6
_GIGA = 1e9


def smile_table(measured: Mapping[str, Measurement], rows: int) -> Table:
    """Rows and tokens a second, ratios to the loop (a) and the raw forward pass (b), memory, and change of scores."""
    loop, raw = measured["row-by-row loop"], measured["raw forward"]
    tokens = raw.result
    table = Table(title=f"{rows} rows, {tokens} tokens in distinct texts")
    for heading in ("", "rows/s", "tokens/s", "× loop (a)", "× raw (b)", "peak MB", "for rows MB", "max change"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, case in measured.items():
        change = (
            "" if case is loop or isinstance(case.result, int) else f"{_largest_change(case.result, loop.result):.1e}"
        )
        table.add_row(
            name,
            f"{rows / case.seconds:.1f}",
            "" if case is loop else f"{tokens / case.seconds:.0f}",
            f"{loop.seconds / case.seconds:.2f}",
            "" if case is loop else f"{raw.seconds / case.seconds:.2f}",
            f"{case.peak_bytes / _MEGABYTE:.0f}",
            f"{case.added_bytes / _MEGABYTE:.0f}",
            change,
        )
    return table


def machine_table(report: Report, other: Mapping[str, Any] | None = None) -> Table:
    """All metrics on one machine, with the ratios of the same run; beside it how another machine's speeds compare.

    Args:
        report: Of this machine.
        other: `as_json` of another one.
    """
    peaks = ", ".join(f"{dtype} {speed / _GIGA:.0f}" for dtype, speed in report.peak.items())
    table = Table(title=f"{report.machine}\npeak of matrices, 10⁹ operations/s: {peaks}", title_justify="left")
    headings = ["", "dtype", "rows/s", "× loop", "× raw", "of peak", "peak MB"]
    theirs = {(one["metric"], one["option"]): one for one in other["figures"]} if other else {}
    for heading in headings + ([f"× {other['machine']['processor']}"] if other else []):
        table.add_column(heading, justify="right" if heading not in ("", "dtype") else "left")
    for one in report.figures:
        dtype = "" if one.option is None else one.option if one.option == one.dtype else f"{one.option} ({one.dtype})"
        cells = [
            one.metric,
            dtype,
            f"{one.rows_per_second:.1f}",
            f"{one.to_loop:.2f}",
            "" if one.to_raw is None else f"{one.to_raw:.2f}",
            "" if one.of_peak is None else f"{one.of_peak:.2f}",
            f"{one.peak_bytes / _MEGABYTE:.0f}",
        ]
        if other:
            there = theirs.get((one.metric, one.option))
            cells.append(f"{one.rows_per_second / there['rows_per_second']:.2f}" if there else "")
        table.add_row(*cells)
    return table


def deltableu_table(measured: Mapping[str, Measurement], references: Sequence[Sequence[str]]) -> Table:
    """Seconds, rows a second and the ratio to sacrebleu, which scores without weights; memory and score."""
    baseline, rows = measured["sacrebleu"], len(references)
    table = Table(title=f"{rows} rows, {sum(map(len, references)) / rows:.1f} references each")
    for heading in ("", "seconds", "rows/s", "× sacrebleu", "for rows MB", "score"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, case in measured.items():
        table.add_row(
            name,
            f"{case.seconds:.2f}",
            f"{rows / case.seconds:.0f}",
            f"{baseline.seconds / case.seconds:.2f}",
            f"{case.added_bytes / _MEGABYTE:.0f}",
            f"{case.result:.9f}",
        )
    return table


def evqascore_table(measured: Mapping[str, Measurement], baseline: str, loop: str, videos: int = 1) -> Table:
    """Seconds of every step, its ratios to pure decoding and to the loop at the same interval, and memory.

    Args:
        measured: By name; what is measured at an interval ends in ", interval n".
        baseline: Name of pure decoding.
        loop: Name of the loop, without the interval.
        videos: How many there are.
    """
    of = "one video" if videos == 1 else f"{videos} videos"
    table = Table(title=f"{of} of {measured[baseline].result} frames")
    for heading in ("", "frames", "seconds", "× pure decode", "times faster than the loop", "peak MB"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, case in measured.items():
        _, _, interval = name.rpartition(", interval ")
        beside = measured.get(f"{loop}, interval {interval}")
        table.add_row(
            name,
            str(case.result),
            f"{case.seconds:.3f}",
            f"{case.seconds / measured[baseline].seconds:.2f}",
            f"{beside.seconds / case.seconds:.2f}" if beside else "",
            f"{case.peak_bytes / _MEGABYTE:.0f}",
        )
    return table


def _largest_change(scores: list[float], baseline: list[float]) -> float:
    return float(np.abs(np.array(scores) - np.array(baseline)).max())
