"""Confidence intervals of figures of agreement: the percentile bootstrap over questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..uncertainty.resampling import Bootstrap, draws, interval
from .comparison import Comparison, Floats
from .correlations import p_value
from .figures import figure


@dataclass(frozen=True)
class BootstrapEstimate:
    """A figure with the ends of its confidence interval, and the p-value of a correlation; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


def estimate(
    metrics: Mapping[str, Comparison], figures: Sequence[str], bootstrap: Bootstrap
) -> dict[str, dict[str, BootstrapEstimate]]:
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


def estimated(values: Floats, bootstrap: Bootstrap, p_value: float | None = None) -> BootstrapEstimate:
    """Return the estimate of a figure from what `replicated` gives, or from a mean of several such arrays."""
    known = None if np.isnan(values[0]) else float(values[0])
    return BootstrapEstimate(known, *interval([values[1:]], bootstrap), p_value=p_value)
