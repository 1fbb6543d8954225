"""Confidence intervals of figures of agreement: the percentile bootstrap over questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .comparison import Comparison, Floats
from .correlations import p_value
from .figures import figure

# Replicates computed at once: enough for fast matrix products, few enough that weights of 30,000 rows take 15 MB.
_CHUNK = 32


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are drawn.

    Attributes:
        resamples: Number of replicates; 0 gives no intervals.
        seed: The same seed draws the same questions, for every metric: intervals are repeatable and comparable.
        confidence: Share of the replicates that lies inside the interval.
    """

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 0 or self.seed < 0:
            raise ValueError(f"expected resamples and seed of at least 0, got {self.resamples} and {self.seed}")
        if not 0 < self.confidence < 1:
            raise ValueError(f"expected a confidence between 0 and 1, got {self.confidence}")


@dataclass(frozen=True)
class Estimate:
    """A figure with the ends of its confidence interval, and the p-value of a correlation; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


def draws(questions: int, bootstrap: Bootstrap) -> Iterator[Floats]:
    """Yield how often each question is drawn, in arrays of (at most 64 replicates, questions).

    Each replicate draws as many questions as there are, with replacement.
    """
    generator = np.random.default_rng(bootstrap.seed)
    for start in range(0, bootstrap.resamples, _CHUNK):
        count = min(_CHUNK, bootstrap.resamples - start)
        drawn = generator.integers(questions, size=(count, questions))
        yield np.stack([np.bincount(row, minlength=questions) for row in drawn]).astype(np.float64)


def estimate(
    metrics: Mapping[str, Comparison], figures: Sequence[str], bootstrap: Bootstrap
) -> dict[str, dict[str, Estimate]]:
    """Estimate every figure for several metrics of the same rows.

    Args:
        metrics: The comparison of each metric with people, by its name; all number their questions alike.
        figures: Names of figures (`figures.figure`).
        bootstrap: How intervals are drawn.

    Returns:
        For each metric its figures. Replicates in which a figure is undefined are left out of its interval.
    """
    found = replicated(metrics, figures, bootstrap)
    return {
        metric: {name: estimated(found[metric, name], bootstrap, p_value(name, comparison)) for name in figures}
        for metric, comparison in metrics.items()
    }


def replicated(
    metrics: Mapping[str, Comparison], figures: Sequence[str], bootstrap: Bootstrap
) -> dict[tuple[str, str], Floats]:
    """Return, by metric and figure, the figure itself and behind it its replicates, shape (1 + resamples,)."""
    questions = max(comparison.question_count for comparison in metrics.values())
    chunks: dict[tuple[str, str], list[Floats]] = {(metric, name): [] for metric in metrics for name in figures}
    for weights in chain([np.ones((1, questions))], draws(questions, bootstrap)):
        for (metric, name), found in chunks.items():
            found.append(figure(name, metrics[metric], weights))
    return {key: np.concatenate(found) for key, found in chunks.items()}


def estimated(values: Floats, bootstrap: Bootstrap, p_value: float | None = None) -> Estimate:
    """Return the estimate of a figure from what `replicated` gives, or from a mean of several such arrays."""
    known = None if np.isnan(values[0]) else float(values[0])
    return Estimate(known, *interval([values[1:]], bootstrap), p_value=p_value)


def interval(chunks: Sequence[Floats], bootstrap: Bootstrap) -> tuple[float | None, float | None]:
    """Return the ends of the interval of replicates; those that are NaN are left out, and without others it is None."""
    replicates = np.concatenate(chunks) if chunks else np.empty(0)
    defined = replicates[~np.isnan(replicates)]
    if not len(defined):
        return None, None
    tail = 100 * (1 - bootstrap.confidence) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)
