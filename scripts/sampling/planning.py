"""Plan the number of labels: simulate the margin of error for several numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..estimation.ppi import estimate
from ..terminal import new_table, print_report
from ..uncertainty.arrays import Floats, number_array
from .samples import draw, stratum

COUNTS = (50, 100, 200, 400, 800, 1600, 3200)
"""Numbers of labels to try."""

_ROWS = 20_000  # more rows make a plan slower, and its intervals hardly narrower


@dataclass(frozen=True)
class Margins:
    """The mean margins of error, half the width of the 95% interval, for a number of labels."""

    labels: int
    labels_only: float  # of the mean of the labels
    with_scores: float  # of the estimate from labels and scores, with a simple random sample
    stratified: float  # of the estimate from labels and scores, with a stratified sample


def plan_labels(scores: ArrayLike, counts: Sequence[int] = COUNTS, repeats: int = 40, seed: int = 0) -> list[Margins]:
    """Simulate labels, samples and estimates a few times for each number of labels.

    Scores are probabilities that the answers are right, shape (rows,), which are assumed to be calibrated. Numbers
    above the number of rows are replaced by it, and numbers so small that all labels might be the same are left out;
    raise ValueError if none is left.
    """
    values = number_array("scores", scores)
    stratum(values)  # raises ValueError unless scores are from 0 to 1
    rows = len(values)
    generator = np.random.default_rng(seed)
    if rows > _ROWS:
        values = values[generator.choice(rows, _ROWS, replace=False)]
    tried = sorted({min(count, rows) for count in counts})
    planned = [_simulate(values, count, repeats, generator) for count in tried]
    found = [one for one in planned if one is not None]
    if not found:
        raise ValueError(f"no number of labels up to {tried[-1]:,} is enough. Label every row.")
    return found


def _simulate(scores: Floats, count: int, repeats: int, generator: np.random.Generator) -> Margins | None:
    margins: list[list[float]] = []
    while len(margins) < repeats:
        truth = (generator.random(len(scores)) < scores).astype(np.float64)
        row: list[float] = []
        for by in (None, scores):
            drawn, weights = draw(len(scores), count, by, int(generator.integers(2**31)))
            if len(np.unique(truth[drawn])) == 1:
                return None
            labels, all_weights = np.full((2, len(scores)), np.nan)
            labels[drawn], all_weights[drawn] = truth[drawn], 1 if weights is None else weights
            found = estimate(scores, labels, weights=all_weights).all
            row += [found.labels_alone.width / 2, found.accuracy.width / 2]
        margins.append(row)
    labels_only, with_scores, _, stratified = np.mean(margins, axis=0).tolist()
    return Margins(count, labels_only, with_scores, stratified)


def show_plan(planned: Sequence[Margins]) -> None:
    """Print the margin of error for several numbers of labels."""
    headings = ("labels", "labels alone", "with scores", "with --stratified")
    grid = new_table("margin of error at 95% confidence", headings, names=())
    for one in planned:
        grid.add_row(
            f"{one.labels:,}", *(f"±{value:.3f}" for value in (one.labels_only, one.with_scores, one.stratified))
        )
    print_report(grid, "Assumes calibrated scores and independent rows.")
