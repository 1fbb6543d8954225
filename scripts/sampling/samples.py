"""Random samples of rows to label, simple or stratified by score."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluate_qa.metrics._shared.messages import pluralize

from ..estimation.ppi import FEWEST
from ..uncertainty.arrays import Floats, Ints, number_array

EDGES = (0.05, 0.2, 0.5, 0.8, 0.95)
"""Scores between strata. Most answers are in the outer strata, most errors in the inner ones."""

_LEAST = 2  # rows of each stratum


def draw(
    rows: int, count: int, scores: ArrayLike | None = None, seed: int = 0, doubts: bool = False
) -> tuple[NDArray[np.intp], Floats | None]:
    """Draw this many rows to label, or all if there are fewer.

    A stratified sample needs scores, shape (rows,): probabilities that the answers are right or, with `doubts`, doubts
    about them, such as the disagreement of judges. Without scores, the sample is a simple random sample.

    Return the places of the rows in random order, so that the first ones are a random sample, too, and 1 / probability
    that each was drawn (None for a simple random sample). Raise ValueError if fewer than 20 rows would be drawn, or
    scores are not from 0 to 1.
    """
    if min(count, rows) < FEWEST:
        fix = "Score more rows" if rows < FEWEST else "Draw more with --rows"
        few = pluralize(min(count, rows), "row")
        raise ValueError(f"{few} to label; an estimate needs at least {FEWEST}. {fix}.")
    generator = np.random.default_rng(seed)
    if scores is None:
        return generator.permutation(rows)[:count], None
    values = number_array("scores", scores, rows)
    strata = stratum(values)
    sizes = np.bincount(strata, minlength=len(EDGES) + 1)
    share = np.bincount(strata, values, len(EDGES) + 1) / np.maximum(sizes, 1)
    # The labels of a stratum with a share p of right answers have the standard deviation √(p(1 − p)).
    counts = allocation(sizes, share if doubts else np.sqrt(share * (1 - share)), min(count, rows))
    order = generator.permutation(rows)
    chosen = np.concatenate([order[strata[order] == number][:take] for number, take in enumerate(counts)])
    chosen = generator.permutation(chosen)
    return chosen, (sizes / np.maximum(counts, 1))[strata[chosen]]


def stratum(values: Floats) -> Ints:
    """Return the number of the stratum of each score, from 0; raise ValueError unless scores are from 0 to 1."""
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("some scores are not from 0 to 1. Stratified sampling needs probabilities.")
    return np.searchsorted(EDGES, values, side="right").astype(np.int64)


def allocation(sizes: Ints, spreads: Floats, count: int) -> Ints:
    """Return the number of rows to draw from each stratum, at least two.

    Half of the rows are allocated by the sizes N of the strata. The other half is allocated by N s, which is optimal if
    the standard deviations s are true (Neyman 1934). So overconfident scores do little harm, because no row represents
    more than twice its share.
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
