"""Confidence intervals of agreement figures: the percentile bootstrap over questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..uncertainty.arrays import Floats
from ..uncertainty.resampling import Bootstrap, draws, interval
from .comparison import Comparison
from .figures import figure

# Resampling raises the calibration error, so its replicates give no interval.
_WITHOUT_INTERVAL = ("calibration_error",)


@dataclass(frozen=True)
class BootstrapEstimate:
    """A figure with the ends of its confidence interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def estimate(
    metrics: Mapping[str, Comparison], figures: Sequence[str], bootstrap: Bootstrap
) -> dict[str, dict[str, BootstrapEstimate]]:
    """Return the figures of several metrics on the same rows, by metric and figure; all have the same question numbers.

    Replicates in which a figure is undefined are left out of its interval.
    """
    found = replicated(metrics, figures, bootstrap)
    return {metric: {name: estimated(found[metric, name], bootstrap) for name in figures} for metric in metrics}


def replicated(
    metrics: Mapping[str, Comparison], figures: Sequence[str], bootstrap: Bootstrap
) -> dict[tuple[str, str], Floats]:
    """Return, by metric and figure, the figure followed by its replicates, if it has an interval: (1 + resamples,)."""
    questions = max(comparison.question_count for comparison in metrics.values())
    chunks: dict[tuple[str, str], list[Floats]] = {(metric, name): [] for metric in metrics for name in figures}
    for weights in chain([np.ones((1, questions))], draws(questions, bootstrap)):
        for (metric, name), found in chunks.items():
            if not found or name not in _WITHOUT_INTERVAL:
                found.append(figure(name, metrics[metric], weights))
    return {key: np.concatenate(found) for key, found in chunks.items()}


def estimated(values: Floats, bootstrap: Bootstrap) -> BootstrapEstimate:
    """Return the estimate for an array from `replicated`, or for a mean of several of them."""
    known = None if np.isnan(values[0]) else float(values[0])
    return BootstrapEstimate(known, *interval(values[1:], bootstrap))
