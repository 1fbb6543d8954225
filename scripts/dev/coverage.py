"""How often the intervals and tests of `uncertainty` and `estimation` err, measured on simulated data.

`python -m evaluate_qa.dev.coverage` writes the table that stands in `scripts/uncertainty/COVERAGE.md`.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..estimation.drop import gate
from ..estimation.powered import estimate
from ..uncertainty.arrays import Codes, Floats
from ..uncertainty.intervals import mean
from ..uncertainty.paired import compare

TABLE = Path(__file__).parent.parent / "uncertainty" / "COVERAGE.md"
RUNS = 1000
_RESAMPLES = 500
_ROWS = 3000
_LEVEL = 0.05
_LARGE = 40


@dataclass(frozen=True)
class SimulatedPairs:
    """Two systems' scores or verdicts; the true difference, second less first."""

    before: Floats
    after: Floats
    clusters: Codes
    truth: float = 0.0


@dataclass(frozen=True)
class SimulatedLabels:
    """Scores, labels of some rows, and the true accuracy."""

    scores: Floats
    labels: Floats
    truth: float
    clusters: Codes | None = None
    weights: Floats | None = None


def _normal(generator: np.random.Generator, count: int) -> SimulatedPairs:
    return SimulatedPairs(np.zeros(count), generator.normal(0, 1, count), np.arange(count))


def _equal_clusters(generator: np.random.Generator, count: int) -> SimulatedPairs:
    clusters = np.repeat(np.arange(count), 5)
    change = generator.normal(0, 1, count)[clusters] + generator.normal(0, 1, len(clusters))
    return SimulatedPairs(np.zeros(len(clusters)), change, clusters)


def _unequal_clusters(generator: np.random.Generator, count: int) -> SimulatedPairs:
    clusters = np.repeat(np.arange(count), np.where(np.arange(count) % 20 == 0, 20, 2))
    change = generator.normal(0, 1, count)[clusters] + generator.normal(0, 1, len(clusters))
    return SimulatedPairs(np.zeros(len(clusters)), change, clusters)


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


PAIRS: Mapping[str, Callable[[np.random.Generator, int], SimulatedPairs]] = {
    "scores, independent": _normal,
    "scores, clusters of 5": _equal_clusters,
    "scores, clusters of 2 and 20": _unequal_clusters,
    "scores, independent, exponential": _skewed_scores,
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


def _labelled_clusters(
    sizes: Callable[[Codes], Codes], easy: float = 0.8, hard: float = 0.4, noise: float = 0.2
) -> Callable[[np.random.Generator, int], SimulatedLabels]:
    """Return a design in which 60% of the questions are easy, the others hard, and all answers of some are labelled."""

    def drawn(generator: np.random.Generator, count: int) -> SimulatedLabels:
        clusters = np.repeat(np.arange(10 * count), sizes(np.arange(10 * count)))
        chance = generator.choice([easy, hard], 10 * count, p=[0.6, 0.4])[clusters]
        right = generator.random(len(clusters)) < chance
        scores = np.clip(chance + generator.normal(0, noise, len(clusters)), 0, 1)
        return SimulatedLabels(scores, np.where(clusters < count, right, np.nan), 0.6 * easy + 0.4 * hard, clusters)

    return drawn


def _few_large(numbers: Codes) -> Codes:
    return np.where(numbers % 40 == 0, _LARGE, 1)


def _weighted(generator: np.random.Generator, count: int) -> SimulatedLabels:
    """Rows that the scores are unsure of are drawn eight times as often."""
    scores = generator.beta(0.5, 0.3, _ROWS)
    right = generator.random(_ROWS) < scores
    chance = np.where(np.abs(scores - 0.5) < 0.4, 8.0, 1.0)  # noqa: PLR2004
    chance *= count / chance.sum()
    labels = np.where(generator.random(_ROWS) < chance, right, np.nan)
    return SimulatedLabels(scores, labels, 0.625, weights=1 / chance)


LABELLED: Mapping[str, Callable[[np.random.Generator, int], SimulatedLabels]] = {
    "80% right, scores agree in 90%": _rows(0.8, 0.9),
    "97% right, scores agree in 90%": _rows(0.97, 0.9),
    "97% right, scores agree in 99%": _rows(0.97, 0.99),
    "clusters of 4": _labelled_clusters(lambda numbers: np.full_like(numbers, 4)),
    "clusters of 1, one in 40 of 40": _labelled_clusters(_few_large),
    "clusters of 1, one in 40 of 40, nearly all right or wrong, useless scores": _labelled_clusters(
        _few_large, 0.9, 0.1, noise=100
    ),
    "unequal weights": _weighted,
}


@dataclass(frozen=True)
class Measured:
    """Shares of runs.

    Attributes:
        design: What was simulated.
        count: Number of clusters, or of labels.
        shares: What was counted → the share of the runs in which it happened.
    """

    design: str
    count: int
    shares: dict[str, float]


def of_pairs(counts: Sequence[int], runs: int, seed: int = 0) -> Iterator[Measured]:
    """Yield how often intervals of `compare` hold the truth, and how often it and `gate` report what is not there."""
    for name, draw in PAIRS.items():
        for count in counts:
            generator = np.random.default_rng([seed, count])
            found = [_of_pair(draw(generator, count)) for _ in range(runs)]
            yield Measured(name, count, _shares(found))


def _of_pair(drawn: SimulatedPairs) -> dict[str, float]:
    scores = {"before": drawn.before, "after": drawn.after}
    (pair,) = compare(scores, verdicts=_if_verdicts(scores), clusters=drawn.clusters, resamples=_RESAMPLES)
    change = pair.verdicts or pair.scores
    held = change.difference.low - 1e-9 <= drawn.truth <= change.difference.high + 1e-9
    failed = not gate(drawn.before, drawn.after, max_drop=max(0.0, -drawn.truth), clusters=drawn.clusters,
                      resamples=_RESAMPLES).passed  # fmt: skip
    significant = float("nan") if drawn.truth else float(change.p_value <= _LEVEL)
    return {"interval holds the truth": held, "p ≤ .05 by chance": significant, "gate fails by chance": failed}


def _if_verdicts(scores: dict[str, Floats]) -> dict[str, Floats] | None:
    return scores if all(np.isin(values, (0, 1)).all() for values in scores.values()) else None


def of_labels(counts: Sequence[int], runs: int, seed: int = 0) -> Iterator[Measured]:
    """Yield how often intervals of `estimate` hold the truth, and how often it refuses a random sample."""
    for name, draw in LABELLED.items():
        for count in counts:
            generator = np.random.default_rng([seed, count])
            found = [_of_labelled(draw(generator, count)) for _ in range(runs)]
            yield Measured(name, count, _shares(found))


def _of_labelled(drawn: SimulatedLabels) -> dict[str, float]:
    try:
        found = estimate(drawn.scores, drawn.labels, weights=drawn.weights, clusters=drawn.clusters).all
    except ValueError as error:
        refused = "no random sample" in str(error)
        return {"interval holds the truth": float("nan"), "refused as no sample": refused, "no interval": not refused}
    held = found.accuracy.low <= drawn.truth <= found.accuracy.high
    return {"interval holds the truth": held, "refused as no sample": False, "no interval": False}


def of_means(counts: Sequence[int], runs: int, seed: int = 0) -> Iterator[Measured]:
    """Yield how often intervals of means, as reports and Spaces show them, hold the truth."""
    draws: dict[str, tuple[float, Callable[[np.random.Generator, int], Floats]]] = {
        "normal scores": (0, lambda generator, count: generator.normal(0, 1, count)),
        "verdicts, 80% right": (0.8, lambda generator, count: (generator.random(count) < 0.8).astype(float)),  # noqa: PLR2004
    }
    for name, (truth, draw) in draws.items():
        for count in counts:
            generator = np.random.default_rng([seed, count])
            found = [mean(draw(generator, count), np.arange(count)) for _ in range(runs)]
            held = [{"interval holds the truth": float(one.low <= truth <= one.high)} for one in found]
            yield Measured(name, count, _shares(held))


def _shares(found: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return means over the runs that have a value; NaN where none has."""
    values = {name: np.array([one[name] for one in found], dtype=float) for name in found[0]}
    return {name: float(np.nanmean(one)) if not np.isnan(one).all() else float("nan") for name, one in values.items()}


def table(measured: Sequence[Measured], unit: str) -> str:
    """Return a table in Markdown."""
    names = list(measured[0].shares)
    lines = [f"| design | {unit} | {' | '.join(names)} |", f"|---|{'---:|' * (len(names) + 1)}"]
    for one in measured:
        cells = ["–" if np.isnan(value) else f"{value:.1%}" for value in one.shares.values()]
        lines.append(f"| {one.design} | {one.count:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


_TEXT = """# Measured coverage and error rates

`python -m evaluate_qa.dev.coverage` wrote this page: {runs:,} simulated runs per line, so a rate of 95% varies by about
±{margin:.1%}. All intervals are 95% intervals; `gate` tests at 5%, one-sided, with `--max-drop` at the true drop.

## `compare` and `gate`

No system is better than the other, except that 1% of the verdicts are lost in one design. Clusters are questions.

{pairs}

Rates above 5% remain where differences are strongly skewed and there are few clusters. If 5% of the questions gain all
answers and the others lose a few, {unseen:.0%} of samples of 20 questions show no gain at all, and no test can know of
it. `compare` and `gate` print a note below 50 clusters and where the differences are skewed. Verdicts of single rows
are tested exactly.

## `estimate`

{labels}

A sample whose labels are all the same has no interval. Where a few large clusters hold half of the labels, the interval
rests on these few: it is wide, and yet too narrow if the answers of each cluster are nearly all right or all wrong and
the scores do not tell which.
`estimate` prints a note when the labels count as fewer than 50 clusters of equal weight.

## Means

{means}
"""


def page(runs: int, counts: Sequence[int] = (20, 50, 100, 200), few: Sequence[int] = (3, 10, 100)) -> str:
    """Return the page with all tables."""
    return _TEXT.format(
        runs=runs,
        margin=1.96 * (0.95 * 0.05 / runs) ** 0.5,
        pairs=table(list(of_pairs(counts, runs)), "clusters"),
        unseen=0.95**20,
        labels=table(list(of_labels((*counts[1:], 2 * counts[-1]), runs)), "labels or clusters"),
        means=table(list(of_means(few, runs)), "rows"),
    )


def main(
    runs: Annotated[int, typer.Option(min=2, help="Simulated runs per line.")] = RUNS,
    output: Annotated[Path, typer.Option("--output", "-o", help="Markdown file to write.")] = TABLE,
) -> None:
    """Measure coverage and error rates on simulated data, and write them as tables."""
    output.write_text(page(runs), "utf-8")
    print(f"Written: {output}", file=sys.stderr)


if __name__ == "__main__":
    typer.run(main)
