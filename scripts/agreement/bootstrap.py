"""Confidence intervals of agreement statistics: the percentile bootstrap over questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..uncertainty.arrays import Floats
from ..uncertainty.intervals import BootstrapEstimate
from .comparison import Comparison
from .statistics import compute_statistic

# Resampling raises the calibration error, so its replicates give no interval.
_WITHOUT_INTERVAL = ("calibration_error",)
# Replicates in one matrix product; the weights of 30,000 rows need 15 MB.
_CHUNK = 32


@dataclass(frozen=True)
class Bootstrap:
    """Settings of the bootstrap: 0 resamples give no intervals. A seed draws the same questions for every metric."""

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 0:
            raise ValueError(f"--bootstrap is {self.resamples}; expected at least 0")


def estimate(
    metrics: Mapping[str, Comparison], statistics: Sequence[str], bootstrap: Bootstrap
) -> dict[str, dict[str, BootstrapEstimate]]:
    """Return the statistics of several metrics on the same rows, by metric and name; they share question numbers.

    Replicates in which a statistic is undefined are left out of its interval.
    """
    found = replicate(metrics, statistics, bootstrap)
    return {one: {name: percentile_interval(found[one, name], bootstrap) for name in statistics} for one in metrics}


def replicate(
    metrics: Mapping[str, Comparison], statistics: Sequence[str], bootstrap: Bootstrap
) -> dict[tuple[str, str], Floats]:
    """Return, by metric and name, a statistic followed by its replicates, if it has an interval: (1 + resamples,)."""
    questions = max(comparison.question_count for comparison in metrics.values())
    chunks: dict[tuple[str, str], list[Floats]] = {(metric, name): [] for metric in metrics for name in statistics}
    for weights in chain([np.ones((1, questions))], draws(questions, bootstrap)):
        for (metric, name), found in chunks.items():
            if not found or name not in _WITHOUT_INTERVAL:
                found.append(compute_statistic(name, metrics[metric], weights))
    return {key: np.concatenate(found) for key, found in chunks.items()}


def draws(questions: int, bootstrap: Bootstrap) -> Iterator[Floats]:
    """Yield how often each question is drawn, with replacement, shape (up to 32 replicates, questions)."""
    generator = np.random.default_rng(bootstrap.seed)
    for start in range(0, bootstrap.resamples, _CHUNK):
        count = min(_CHUNK, bootstrap.resamples - start)
        drawn = generator.integers(questions, size=(count, questions))
        yield np.stack([np.bincount(row, minlength=questions) for row in drawn]).astype(np.float64)


def percentile_interval(values: Floats, bootstrap: Bootstrap) -> BootstrapEstimate:
    """Return the estimate for an array from `replicate`, or for a mean of several of them; NaN is left out."""
    known = None if np.isnan(values[0]) else float(values[0])
    defined = values[1:][~np.isnan(values[1:])]
    if not len(defined):
        return BootstrapEstimate(known)
    tail = 100 * (1 - bootstrap.confidence) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return BootstrapEstimate(known, float(low), float(high))


def mean_of_defined(arrays: Sequence[Floats]) -> Floats:
    """Return the mean of the arrays whose first entry, the statistic itself, is defined; NaN without any."""
    mean: Floats = np.mean([one for one in arrays if not np.isnan(one[0])] or [np.full(1, np.nan)], axis=0)
    return mean
