"""The percentile bootstrap."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Floats

# Replicates in one matrix product; the weights of 30,000 rows need 15 MB.
_CHUNK = 32


@dataclass(frozen=True)
class Bootstrap:
    """Settings of the bootstrap; no resamples give no intervals. A seed draws the same questions for every metric."""

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 0 or self.seed < 0:
            raise ValueError(f"expected resamples and seed of at least 0, got {self.resamples} and {self.seed}")
        if not 0 < self.confidence < 1:
            raise ValueError(f"expected a confidence between 0 and 1, got {self.confidence}")


def draws(questions: int, bootstrap: Bootstrap) -> Iterator[Floats]:
    """Yield how often each question is drawn, with replacement, shape (up to 32 replicates, questions)."""
    generator = np.random.default_rng(bootstrap.seed)
    for start in range(0, bootstrap.resamples, _CHUNK):
        count = min(_CHUNK, bootstrap.resamples - start)
        drawn = generator.integers(questions, size=(count, questions))
        yield np.stack([np.bincount(row, minlength=questions) for row in drawn]).astype(np.float64)


def interval(replicates: Floats, bootstrap: Bootstrap) -> tuple[float | None, float | None]:
    """Return the interval of the replicates that are not NaN; None if all are NaN."""
    defined = replicates[~np.isnan(replicates)]
    if not len(defined):
        return None, None
    tail = 100 * (1 - bootstrap.confidence) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)
