"""The mean of each figure over several data sets; each data set has the same weight."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..uncertainty.arrays import Floats
from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .bootstrap import estimated, replicated
from .row_scores import RowScores
from .tables import FigureTable, compared


def mean_tables(data: Benchmark, scores: Sequence[RowScores], bootstrap: Bootstrap) -> list[FigureTable]:
    """Return a table for each of the benchmark's means."""
    return [_mean_table(name, groups, data, scores, bootstrap) for name, groups in data.means.items()]


def _mean_table(
    name: str, groups: Sequence[str], data: Benchmark, scores: Sequence[RowScores], bootstrap: Bootstrap
) -> FigureTable:
    """Return the means over some groups, which are data sets.

    The interval covers the means of replicates. A data set in which a figure is undefined is left out of its mean.
    """
    # Data sets are independent of each other, so each has its own seed.
    found = [
        replicated(compared(data, group, scores), data.figures, replace(bootstrap, seed=bootstrap.seed + number))
        for number, group in enumerate(groups)
    ]
    rows = {group: [data.rows[row] for row in data.members(group)] for group in groups}
    labels = [np.mean([row.label for row in listed]) for listed in rows.values()]
    return FigureTable(
        group=name,
        rows=sum(map(len, rows.values())),
        questions=len({row.question_id for listed in rows.values() for row in listed}),
        mean_label=float(np.mean(labels)),
        estimates={
            metric.name: {
                figure: estimated(mean_of_defined([of_set[metric.name, figure] for of_set in found]), bootstrap)
                for figure in data.figures
            }
            for metric in scores
        },
        published=[],
    )


def mean_of_defined(figures: Sequence[Floats]) -> Floats:
    """Return the mean of the arrays whose first entry, the figure itself, is defined; NaN without any."""
    mean: Floats = np.mean([figure for figure in figures if not np.isnan(figure[0])] or [np.full(1, np.nan)], axis=0)
    return mean
