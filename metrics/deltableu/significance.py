"""How sure a corpus score, or a difference of two, is: resampling of the rows' statistics.

Nothing is tokenised or counted again: a resample is a weighted sum of the rows' statistics. The random numbers are
drawn as sacrebleu draws them, so that the same seed gives the same resamples as there.
"""

from collections.abc import Iterator

import numpy as np

from .._shared.progress import progress
from .options import DeltaBleuOptions
from .scoring import Floats, score

# Resamples made at once: enough for fast matrix products. A multiple of 32: then random bits come in the same order
# however many are drawn at once.
_CHUNK = 64
# Resamples times rows held at once: 64 MB.
_HELD = 2**23


def bootstrap_scores(statistics: Floats, options: DeltaBleuOptions, resamples: int, seed: int) -> Floats:
    """Return the corpus scores of resamples of the rows, drawn with replacement (Koehn 2004).

    Args:
        statistics: One line for each row, as `scoring.score` takes them.
        options: How statistics become a score.
        resamples: How many scores to return.
        seed: The same seed draws the same rows, whatever the statistics: two systems are resampled in pairs.

    Returns:
        Scores from 0 to 100, shape (resamples,).
    """
    rows = len(statistics)
    generator = np.random.default_rng(seed)
    scores = []
    for size in _chunks(resamples, rows):
        drawn = generator.choice(rows, size=(size, rows), replace=True)
        times = np.stack([np.bincount(line, minlength=rows) for line in drawn]).astype(np.float64)
        scores.append(score(times @ statistics, options).score)
    return np.concatenate(scores)


def interval(values: Floats) -> tuple[float, float]:
    """Return the bounds between which 95% of the values lie: a fortieth is cut off at each end, as in sacrebleu."""
    ordered = np.sort(values)
    cut = len(ordered) // 40
    return float(ordered[cut]), float(ordered[len(ordered) - cut - 1])


def randomization_p_value(
    statistics: Floats, against: Floats, options: DeltaBleuOptions, trials: int, seed: int
) -> float:
    """Two-sided p-value of the difference of two corpus scores (approximate randomisation, Riezler and Maxwell 2005).

    Each trial swaps the two systems' answers to a random half of the rows. The p-value is the share of trials, the
    observation counted as one of them, whose difference is at least as large as the one observed:

        p = (|{t : |d_t| ≥ |d|}| + 1) / (trials + 1)

    Args:
        statistics: One line for each row of the first system.
        against: The same of the second system.
        options: How statistics become a score.
        trials: Number of trials.
        seed: Seed of the swaps.

    Returns:
        The p-value, above 0 and up to 1.
    """
    rows = len(statistics)
    generator = np.random.default_rng(seed)
    first, swap = statistics.sum(axis=0), against - statistics
    both = first + against.sum(axis=0)
    # Equal differences count, also where rounding parts them: a system compared with itself has p = 1.
    observed = _difference(first[np.newaxis], both, options).item() - 1e-9
    reached = 0
    for size in _chunks(trials, rows):
        swapped = generator.integers(2, size=(size, rows), dtype=bool).astype(np.float64)
        reached += int((_difference(first + swapped @ swap, both, options) >= observed).sum())
    return (reached + 1) / (trials + 1)


def _difference(one: Floats, both: Floats, options: DeltaBleuOptions) -> Floats:
    """Return |score of one system − score of the other|, which is what remains of both, shape (lines,)."""
    return np.abs(score(one, options).score - score(both - one, options).score)


def _chunks(count: int, rows: int) -> Iterator[int]:
    """Yield numbers of resamples that add up to `count`."""
    most = max(1, min(_CHUNK, _HELD // rows))
    with progress("deltableu", count, "resample") as bar:
        for start in range(0, count, most):
            size = min(most, count - start)
            yield size
            bar.update(size)
