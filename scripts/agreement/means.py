"""The mean of each figure over several data sets; each data set has the same weight."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .bootstrap import estimated, replicated
from .comparison import Floats
from .row_scores import RowScores
from .tables import FigureTable, compared

MEAN = "mean"
"""The group of the table of means."""


def mean_table(data: Benchmark, scores: Sequence[RowScores], bootstrap: Bootstrap) -> FigureTable:
    """Return the means over the groups of a benchmark, whose groups are data sets.

    The interval covers the means of replicates. A data set in which a figure is undefined is left out of its mean.
    """
    # Data sets are independent of each other, so each has its own seed.
    found = [
        replicated(compared(data, group, scores), data.figures, replace(bootstrap, seed=bootstrap.seed + number))
        for number, group in enumerate(data.groups)
    ]
    labels = [np.mean([data.rows[row].label for row in data.members(group)]) for group in data.groups]
    return FigureTable(
        group=MEAN,
        rows=len(data.rows),
        questions=len({row.question_id for row in data.rows}),
        mean_label=float(np.mean(labels)),
        estimates={
            metric.name: {
                name: estimated(_mean([of_set[metric.name, name] for of_set in found]), bootstrap)
                for name in data.figures
            }
            for metric in scores
        },
        published=[],
    )


def _mean(figures: Sequence[Floats]) -> Floats:
    """Return the mean of the arrays whose first entry, the figure itself, is defined; NaN without any."""
    mean: Floats = np.mean([figure for figure in figures if not np.isnan(figure[0])] or [np.full(1, np.nan)], axis=0)
    return mean
