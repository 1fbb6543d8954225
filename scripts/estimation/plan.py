"""How many labels are enough: intervals of `estimate` on simulated labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..uncertainty.arrays import Floats, numbers
from .powered import estimate
from .samples import EDGES, draw, stratum

COUNTS = (50, 100, 200, 400, 800, 1600, 3200)
"""Numbers of labels that are tried."""

_ROWS = 20_000  # more rows make intervals hardly narrower, but a plan slower
_PRIOR = 4.0  # labels that the mean score of a stratum is worth


@dataclass(frozen=True)
class Planned:
    """Half the width of the 95% interval that so many labels give on average, by how they are used.

    Attributes:
        labels: Number of labels.
        alone: Of the mean of the labels.
        alike: Of the estimate, rows drawn alike.
        stratified: Of the estimate, rows drawn by strata of their scores.
    """

    labels: int
    alone: float
    alike: float
    stratified: float


def plan(
    scores: ArrayLike,
    labels: ArrayLike | None = None,
    counts: Sequence[int] = COUNTS,
    repeats: int = 40,
    seed: int = 0,
) -> list[Planned]:
    """Simulate labels, sample and estimate.

    Args:
        scores: Probabilities that the answers are right, shape (rows,).
        labels: What is known of the labels, NaN where nothing is, shape (rows,): how often answers with such scores are
            right. Without them the scores are taken for honest probabilities.
        counts: Numbers of labels to try. Those above half of the rows are left out, and those so small that the labels
            might be all the same.
        repeats: Simulations of each.
        seed: The same seed simulates the same.

    Raises:
        ValueError: scores are not from 0 to 1, or no number of labels is enough.
    """
    values = numbers("scores", scores)
    chances = chance(values, None if labels is None else numbers("labels", labels, len(values)))
    generator = np.random.default_rng(seed)
    if len(values) > _ROWS:
        kept = generator.choice(len(values), _ROWS, replace=False)
        values, chances = values[kept], chances[kept]
    tried = [count for count in counts if count <= len(values) // 2]
    planned = [_planned(values, chances, count, repeats, generator) for count in tried]
    if not any(planned):
        raise ValueError(f"no number of labels, up to half of the {len(values)} rows, is enough: label them all")
    return [one for one in planned if one is not None]


def chance(scores: Floats, labels: Floats | None) -> Floats:
    """Return the probability with which each answer is right: its score, or the share of its stratum's labels."""
    strata = stratum(scores)
    if labels is None:
        return scores
    known, groups = ~np.isnan(labels), len(EDGES) + 1
    mean = np.bincount(strata, scores, groups) / np.maximum(np.bincount(strata, minlength=groups), 1)
    right = np.bincount(strata[known], labels[known], groups) + _PRIOR * mean
    shares: Floats = right / (np.bincount(strata[known], minlength=groups) + _PRIOR)
    return shares[strata]


def _planned(
    scores: Floats, chances: Floats, count: int, repeats: int, generator: np.random.Generator
) -> Planned | None:
    widths: list[list[float]] = []
    while len(widths) < repeats:
        truth = (generator.random(len(scores)) < chances).astype(np.float64)
        row: list[float] = []
        for by in (None, scores):
            sample = draw(len(scores), count, by, int(generator.integers(2**31)))
            labels, weights = np.full((2, len(scores)), np.nan)
            labels[sample.rows] = truth[sample.rows]
            if sample.weights is not None:
                weights[sample.rows] = sample.weights
            if len(np.unique(truth[sample.rows])) == 1:
                return None
            found = estimate(scores, labels, weights=None if sample.weights is None else weights).all
            row += [found.labels_alone.width, found.accuracy.width]
        widths.append(row)
    alone, alike, _, stratified = np.mean(widths, axis=0) / 2
    return Planned(count, float(alone), float(alike), float(stratified))


def enough(planned: Sequence[Planned], margin: float, stratified: bool) -> int | None:
    """Return how many labels reach a margin, half the interval's width; None if more than were tried.

    The squared margin is nearly a + b / labels, which is drawn through the two numbers of labels around it.
    """
    points = [(1 / one.labels, (one.stratified if stratified else one.alike) ** 2) for one in planned]
    if margin**2 >= points[0][1]:
        return planned[0].labels
    for (before, wide), (after, narrow) in pairwise(points):
        if narrow <= margin**2:
            share = (wide - margin**2) / (wide - narrow)
            return int(np.ceil(1 / (before + share * (after - before))))
    return None
