"""What metrics reach on the mean of several data sets, each of which counts alike, whatever its size."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .bootstrap import BootstrapEstimate, estimated, replicated
from .calibration import calibration_error
from .comparison import Comparison, Floats
from .row_scores import RowScores
from .tables import FigureTable, comparison

MEAN = "mean"
"""The group of the table that holds means."""

Estimates = dict[str, dict[str, BootstrapEstimate]]


def with_mean(
    data: Benchmark,
    scores: Sequence[RowScores],
    probable: Collection[str],
    tables: Sequence[FigureTable],
    bootstrap: Bootstrap,
) -> list[FigureTable]:
    """Return the tables with `rank` and `calibration_error` among their figures, and behind them a table of means.

    Rank 1 has the highest MCC of the table; equal ones share the mean of their ranks. A mean's interval is that of the
    means of replicates, for which each data set draws its own questions. Sets of which a figure is undefined, as MCC is
    of labels of one kind, are left out of its mean.

    Args:
        data: The labeled answers.
        scores: What each metric says of all of them.
        probable: The metrics whose scores are taken for probabilities, if all lie in [0, 1].
        tables: The figures of each group, as of `tables.compare`.
        bootstrap: How intervals are drawn.
    """
    compared = [
        {metric.name: comparison(data, data.members(table.group), metric) for metric in scores} for table in tables
    ]
    filled = [
        replace(table, estimates=_filled(table.estimates, metrics, probable))
        for table, metrics in zip(tables, compared, strict=True)
    ]
    return [*filled, _mean_table(filled, _replicated_means(compared, ["mcc", "auc"], bootstrap))]


def ranks(values: Sequence[float | None]) -> list[float | None]:
    """Return the rank of each value, the highest being 1; equal ones share their mean, and None has none."""
    from scipy.stats import rankdata

    numbers = np.array([np.nan if value is None else value for value in values])
    return [None if np.isnan(rank) else float(rank) for rank in rankdata(-numbers, nan_policy="omit")]


def _filled(estimates: Estimates, metrics: Mapping[str, Comparison], probable: Collection[str]) -> Estimates:
    order = ranks([of_metric["mcc"].value for of_metric in estimates.values()])
    return {
        metric: {
            **of_metric,
            "rank": BootstrapEstimate(rank),
            "calibration_error": BootstrapEstimate(calibration_error(metrics[metric]) if metric in probable else None),
        }
        for (metric, of_metric), rank in zip(estimates.items(), order, strict=True)
    }


def _replicated_means(
    compared: Sequence[Mapping[str, Comparison]], figures: Sequence[str], bootstrap: Bootstrap
) -> Estimates:
    # Data sets are independent of each other, so each has a seed of its own.
    found = [
        replicated(metrics, figures, replace(bootstrap, seed=bootstrap.seed + number))
        for number, metrics in enumerate(compared)
    ]
    return {
        metric: {name: estimated(_mean_of([of_set[metric, name] for of_set in found]), bootstrap) for name in figures}
        for metric in compared[0]
    }


def _mean_of(figures: Sequence[Floats]) -> Floats:
    """Return the mean of those whose first entry, the figure itself, is defined, NaN without any."""
    mean: Floats = np.mean([figure for figure in figures if not np.isnan(figure[0])] or [np.full(1, np.nan)], axis=0)
    return mean


def _mean_table(tables: Sequence[FigureTable], means: Estimates) -> FigureTable:
    return FigureTable(
        group=MEAN,
        rows=sum(table.rows for table in tables),
        questions=sum(table.questions for table in tables),
        mean_label=float(np.mean([table.mean_label for table in tables])),
        rated=False,
        compared=False,
        estimates={
            metric: {
                **of_metric,
                **{
                    name: _mean([table.estimates[metric][name] for table in tables])
                    for name in ("rank", "calibration_error")
                },
            }
            for metric, of_metric in means.items()
        },
        published=[],
    )


def _mean(estimates: Sequence[BootstrapEstimate]) -> BootstrapEstimate:
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    return BootstrapEstimate(sum(values) / len(values) if values else None)
