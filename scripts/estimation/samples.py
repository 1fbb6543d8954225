"""Which rows to label: drawn alike, or more of those that the scores are unsure of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..uncertainty.arrays import Floats, numbers
from .powered import FEWEST

Counts = NDArray[np.int64]

EDGES = (0.05, 0.2, 0.5, 0.8, 0.95)
"""Scores at which strata end: most answers are in the outer ones, most errors in the inner ones."""

_LEAST = 2  # rows of each stratum


@dataclass(frozen=True)
class DrawnSample:
    """Rows to label.

    Attributes:
        rows: Their places, in random order: whoever stops early has labelled a sample too.
        weights: One over the probability with which each was drawn; None if all were drawn alike.
    """

    rows: NDArray[np.intp]
    weights: Floats | None


def draw(rows: int, count: int, scores: ArrayLike | None = None, seed: int = 0) -> DrawnSample:
    """Draw rows to label.

    Args:
        rows: Number of rows there are.
        count: Number of rows to draw; all if there are fewer.
        scores: Probabilities that the answers are right, shape (rows,): draw by strata of them. None: draw alike.
        seed: The same seed draws the same rows.

    Raises:
        ValueError: fewer than 20 rows are to be drawn or there, or scores are not from 0 to 1.
    """
    if min(count, rows) < FEWEST:
        raise ValueError(f"{min(count, rows)} rows to label; an estimate needs at least {FEWEST}")
    generator = np.random.default_rng(seed)
    if scores is None:
        return DrawnSample(generator.permutation(rows)[:count], None)
    strata = stratum(scores)
    if len(strata) != rows:
        raise ValueError(f"there are {rows} rows, but {len(strata)} scores; give one for each row")
    sizes = np.bincount(strata, minlength=len(EDGES) + 1)
    counts = allocation(sizes, _spreads(strata, numbers("scores", scores)), min(count, rows))
    order = generator.permutation(rows)
    chosen = np.concatenate([order[strata[order] == number][:take] for number, take in enumerate(counts)])
    chosen = generator.permutation(chosen)
    return DrawnSample(chosen, (sizes / np.maximum(counts, 1))[strata[chosen]])


def stratum(scores: ArrayLike) -> Counts:
    """Return the number of the stratum of each score, from 0; raises ValueError unless scores are from 0 to 1."""
    values = numbers("scores", scores)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("scores are not all from 0 to 1, as probabilities are")
    return np.searchsorted(EDGES, values, side="right").astype(np.int64)


def _spreads(strata: Counts, scores: Floats) -> Floats:
    """Return the standard deviation of the labels of each stratum, √(p(1 − p)), if its mean score is their share p."""
    sizes = np.maximum(np.bincount(strata, minlength=len(EDGES) + 1), 1)
    share = np.bincount(strata, scores, len(EDGES) + 1) / sizes
    spreads: Floats = np.sqrt(share * (1 - share))
    return spreads


def allocation(sizes: Counts, spreads: Floats, count: int) -> Counts:
    """Return how many rows of each stratum are drawn.

    Half of them by the strata's sizes N, half by N s, which is best if the spreads s are true (Neyman 1934): so that
    scores that are wrongly sure of themselves do no harm, as no row stands for more than twice its share. At least two
    of each stratum.
    """
    by_spread = sizes * spreads
    shares = sizes / sizes.sum()
    if by_spread.sum() > 0:
        shares = (shares + by_spread / by_spread.sum()) / 2
    counts = np.minimum(sizes, _LEAST)
    for _ in range(count - int(counts.sum())):
        lacking = np.where(counts < sizes, shares * count - counts, -np.inf)
        counts[lacking.argmax()] += 1
    return counts
