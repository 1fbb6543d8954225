"""Measure how often the intervals and tests of `uncertainty` and `estimation` err on simulated data.

`python -m evaluate_qa.dev.coverage` writes `scripts/uncertainty/COVERAGE.md`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..estimation.ppi import estimate
from ..gating.drop import gate
from ..uncertainty.arrays import Floats, Ints
from ..uncertainty.intervals import mean
from ..uncertainty.paired import compare

TABLE = Path(__file__).parent.parent / "uncertainty" / "COVERAGE.md"
RUNS = 1000
_RESAMPLES = 500
_ROWS = 3000
_LEVEL = 0.05
_LARGE = 40

Designs = Mapping[str, Callable[[np.random.Generator, int], Any]]
"""By name, functions that draw data with a number of clusters or labels."""


@dataclass(frozen=True)
class SimulatedPairs:
    """Scores or verdicts of two systems, and the true difference, `after` minus `before`."""

    before: Floats
    after: Floats
    clusters: Ints
    truth: float = 0.0


@dataclass(frozen=True)
class SimulatedLabels:
    """Scores, labels of some rows, and the true accuracy."""

    scores: Floats
    labels: Floats
    truth: float
    clusters: Ints | None = None
    weights: Floats | None = None


def _normal(generator: np.random.Generator, count: int) -> SimulatedPairs:
    return SimulatedPairs(np.zeros(count), generator.normal(0, 1, count), np.arange(count))


def _clusters(sizes: Callable[[Ints], Ints]) -> Callable[[np.random.Generator, int], SimulatedPairs]:
    def drawn(generator: np.random.Generator, count: int) -> SimulatedPairs:
        clusters = np.repeat(np.arange(count), sizes(np.arange(count)))
        change = generator.normal(0, 1, count)[clusters] + generator.normal(0, 1, len(clusters))
        return SimulatedPairs(np.zeros(len(clusters)), change, clusters)

    return drawn


def _skewed_scores(generator: np.random.Generator, count: int) -> SimulatedPairs:
    return SimulatedPairs(np.zeros(count), generator.exponential(1, count) - 1, np.arange(count))


def _skewed_clusters(share: float) -> Callable[[np.random.Generator, int], SimulatedPairs]:
    """Return a design in which this share of the questions gains all 10 answers, and the others lose a few."""

    def drawn(generator: np.random.Generator, count: int) -> SimulatedPairs:
        clusters = np.repeat(np.arange(count), 10)
        won = (generator.random(count) < share)[clusters]
        lost = ~won & (generator.random(len(clusters)) < share / (1 - share))
        return SimulatedPairs((~won).astype(float), (won | ~lost).astype(float), clusters)

    return drawn


def _verdicts(losses: float, wins: float) -> Callable[[np.random.Generator, int], SimulatedPairs]:
    def drawn(generator: np.random.Generator, count: int) -> SimulatedPairs:
        change = generator.choice([-1, 0, 1], count, p=[losses, 1 - losses - wins, wins])
        return SimulatedPairs((change <= 0).astype(float), (change >= 0).astype(float), np.arange(count), wins - losses)

    return drawn


def _grades(share: float) -> Callable[[np.random.Generator, int], SimulatedPairs]:
    def drawn(generator: np.random.Generator, count: int) -> SimulatedPairs:
        before = np.full(count, 0.75)
        after = before - 0.5 * (generator.random(count) < share)
        return SimulatedPairs(before, after, np.arange(count), -0.5 * share)

    return drawn


PAIRS: Designs = {
    "scores, independent": _normal,
    "scores, clusters of 5": _clusters(lambda numbers: np.full_like(numbers, 5)),
    "scores, clusters of 2 and 20": _clusters(lambda numbers: np.where(numbers % 20 == 0, 20, 2)),
    "scores, independent, exponential": _skewed_scores,
    "scores, independent, 1% lose half": _grades(0.01),
    "verdicts, independent, 10% lost, 10% won": _verdicts(0.1, 0.1),
    "verdicts, independent, 1% lost, 1% won": _verdicts(0.01, 0.01),
    "verdicts, independent, 1% lost": _verdicts(0.01, 0),
    "verdicts, clusters of 10, 10% gain all": _skewed_clusters(0.1),
    "verdicts, clusters of 10, 5% gain all": _skewed_clusters(0.05),
}


def _rows(accuracy: float, agreeing: float) -> Callable[[np.random.Generator, int], SimulatedLabels]:
    def drawn(generator: np.random.Generator, count: int) -> SimulatedLabels:
        right = generator.random(_ROWS) < accuracy
        scores = np.where(generator.random(_ROWS) < agreeing, right, ~right).astype(float)
        return SimulatedLabels(scores, np.where(np.arange(_ROWS) < count, right, np.nan), accuracy)

    return drawn


def _labeled_clusters(
    sizes: Callable[[Ints], Ints], easy: float = 0.8, hard: float = 0.4, noise: float = 0.2
) -> Callable[[np.random.Generator, int], SimulatedLabels]:
    """Return a design in which 60% of the questions are easy, the others hard, and all answers of some are labeled."""

    def drawn(generator: np.random.Generator, count: int) -> SimulatedLabels:
        clusters = np.repeat(np.arange(10 * count), sizes(np.arange(10 * count)))
        chance = generator.choice([easy, hard], 10 * count, p=[0.6, 0.4])[clusters]
        right = generator.random(len(clusters)) < chance
        scores = np.clip(chance + generator.normal(0, noise, len(clusters)), 0, 1)
        return SimulatedLabels(scores, np.where(clusters < count, right, np.nan), 0.6 * easy + 0.4 * hard, clusters)

    return drawn


def _few_large(numbers: Ints) -> Ints:
    return np.where(numbers % 40 == 0, _LARGE, 1)


def _weighted(generator: np.random.Generator, count: int) -> SimulatedLabels:
    """Draw rows with uncertain scores eight times as often."""
    scores = generator.beta(0.5, 0.3, _ROWS)
    right = generator.random(_ROWS) < scores
    chance = np.where(np.abs(scores - 0.5) < 0.4, 8.0, 1.0)  # noqa: PLR2004
    chance *= count / chance.sum()
    labels = np.where(generator.random(_ROWS) < chance, right, np.nan)
    return SimulatedLabels(scores, labels, 0.625, weights=1 / chance)


LABELED: Designs = {
    "80% right, scores agree in 90%": _rows(0.8, 0.9),
    "97% right, scores agree in 90%": _rows(0.97, 0.9),
    "97% right, scores agree in 99%": _rows(0.97, 0.99),
    "clusters of 4": _labeled_clusters(lambda numbers: np.full_like(numbers, 4)),
    "clusters of 1, one in 40 of 40": _labeled_clusters(_few_large),
    "clusters of 1, one in 40 of 40, nearly all right or wrong, useless scores": _labeled_clusters(
        _few_large, 0.9, 0.1, noise=100
    ),
    "unequal weights": _weighted,
}


MEANS: Designs = {
    "normal scores": lambda generator, count: (generator.normal(0, 1, count), 0),
    "verdicts, 80% right": lambda generator, count: ((generator.random(count) < 0.8).astype(float), 0.8),  # noqa: PLR2004
}


Shares = dict[tuple[str, int], dict[str, float]]
"""By design and number of clusters or labels, the share of the runs with each event; NaN if no run has a value."""


def measure(designs: Designs, judge: Callable[[Any], dict[str, float]], counts: Sequence[int], runs: int) -> Shares:
    """Draw data of each design in each size, and return how often the events that `judge` returns happen."""
    measured = {}
    for name, draw in designs.items():
        for count in counts:
            generator = np.random.default_rng([0, count])
            found = [judge(draw(generator, count)) for _ in range(runs)]
            known = {event: [one[event] for one in found if not np.isnan(one[event])] for event in found[0]}
            measured[name, count] = {
                event: float(np.mean(values)) if values else np.nan for event, values in known.items()
            }
    return measured


def judge_pair(drawn: SimulatedPairs) -> dict[str, float]:
    """Return whether the interval of `compare` covers the truth, and whether it or `gate` reports a chance finding."""
    scores = {"before": drawn.before, "after": drawn.after}
    verdicts = scores if all(np.isin(values, (0, 1)).all() for values in scores.values()) else None
    (pair,) = compare(scores, verdicts=verdicts, clusters=drawn.clusters, resamples=_RESAMPLES)
    change = pair.verdicts or pair.scores
    covered = change.difference.low - 1e-9 <= drawn.truth <= change.difference.high + 1e-9
    drop = max(0.0, -drawn.truth)
    gated = gate(drawn.before, drawn.after, max_drop=drop, clusters=drawn.clusters, resamples=_RESAMPLES)
    significant = float("nan") if drawn.truth else float(change.p_value <= _LEVEL)
    return {
        "interval covers the truth": covered,
        "p ≤ .05 by chance": significant,
        "gate fails by chance": not gated.passed,
    }


def judge_labels(drawn: SimulatedLabels) -> dict[str, float]:
    """Return whether the interval of `estimate` covers the truth, and whether it refuses a random sample."""
    try:
        found = estimate(drawn.scores, drawn.labels, weights=drawn.weights, clusters=drawn.clusters).all
    except ValueError as error:
        return {"interval covers the truth": float("nan"), "refused as no sample": "not a random sample" in str(error)}
    covered = found.accuracy.low <= drawn.truth <= found.accuracy.high
    return {"interval covers the truth": covered, "refused as no sample": False}


def judge_mean(drawn: tuple[Floats, float]) -> dict[str, float]:
    """Return whether the interval of a mean, as in reports and Spaces, covers the truth."""
    values, truth = drawn
    found = mean(values, np.arange(len(values)))
    return {"interval covers the truth": found.low <= truth <= found.high}


def table(measured: Shares, unit: str) -> str:
    """Return a table in Markdown."""
    names = list(next(iter(measured.values())))
    lines = [f"| design | {unit} | {' | '.join(names)} |", f"|---|{'---:|' * (len(names) + 1)}"]
    for (design, count), shares in measured.items():
        cells = ["–" if np.isnan(value) else f"{value:.1%}" for value in shares.values()]
        lines.append(f"| {design} | {count:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


_TEXT = """# Measured coverage and error rates

`python -m evaluate_qa.dev.coverage` wrote this page: {runs:,} simulated runs per line, so a rate of 95% varies by about
±{margin:.1%}. All intervals are 95% intervals; `gate` tests at 5%, one-sided, with `--max-drop` at the true drop.

## `compare` and `gate`

No system is better than the other, except that 1% of the verdicts or scores are lost in two designs. Clusters are
questions.

{pairs}

Rates above 5% remain where differences are strongly skewed and there are few clusters. If 5% of the questions gain all
answers and the others lose a few, {unseen:.0%} of samples of 20 questions show no gain at all, which no test can
detect. `compare` and `gate` print a note below 50 clusters and where the differences are skewed. Verdicts of single
rows are tested exactly.

## `estimate`

{labels}

Where a few large clusters hold half of the labels, the interval rests on these few: it is wide, and yet too narrow if
the answers of each cluster are nearly all right or all wrong and the scores do not tell which.
`estimate` prints a note when the labels count as fewer than 50 clusters of equal weight.

## Means

{means}
"""


def page(runs: int) -> str:
    """Return the page with all tables."""
    return _TEXT.format(
        runs=runs,
        margin=1.96 * (0.95 * 0.05 / runs) ** 0.5,
        pairs=table(measure(PAIRS, judge_pair, (20, 50, 100, 200), runs), "clusters"),
        unseen=0.95**20,
        labels=table(measure(LABELED, judge_labels, (50, 100, 200, 400), runs), "labels or clusters"),
        means=table(measure(MEANS, judge_mean, (3, 10, 100), runs), "rows"),
    )


if __name__ == "__main__":
    TABLE.write_text(page(RUNS), "utf-8")
