"""Agreement tables: the statistics of every metric in every group of a data set, published figures, and means."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.progress import track_progress

from ..uncertainty.intervals import BootstrapEstimate
from .benchmark import Benchmark
from .bootstrap import Bootstrap, estimate, mean_of_defined, percentile_interval, replicate
from .comparison import Comparison
from .metric_runs import RowScores

PUBLISHED = Path(__file__).parent / "published.json"
_EXAMPLES = 4


@dataclass(frozen=True)
class Published:
    """Statistics of one metric that a paper published for one group; `source` names paper and table."""

    name: str
    source: str
    figures: dict[str, float]


@dataclass(frozen=True)
class AgreementTable:
    """The statistics of one group, by metric and name.

    The mean label is the share of the answers that people call correct, or the mean rating or preference. Examples are
    answers by metric, if they may be shown.
    """

    group: str
    rows: int
    questions: int
    mean_label: float
    estimates: dict[str, dict[str, BootstrapEstimate]]
    published: list[Published]
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def published_statistics(data: str, group: str) -> list[Published]:
    """Return the published statistics for a group of a data set."""
    return [
        Published(entry["name"], entry["source"], entry["groups"][group])
        for entry in json.loads(PUBLISHED.read_text(encoding="utf-8"))
        if entry["data"] == data and group in entry["groups"]
    ]


def compare(data: Benchmark, scores: Sequence[RowScores], bootstrap: Bootstrap) -> list[AgreementTable]:
    """Return a table for each group of a data set and each of its means, from each metric's scores of `data.rows`."""
    tables = []
    for group in track_progress(data.groups, "agreement", "group"):
        metrics = group_comparisons(data, group, scores)
        some = next(iter(metrics.values()))
        tables.append(
            AgreementTable(
                group=group,
                rows=len(some.labels),
                questions=some.question_count,
                mean_label=float(some.labels.mean()),
                estimates=estimate(metrics, data.statistics, bootstrap),
                published=published_statistics(data.name, group),
                examples={one.name: example_rows(data, group, one) for one in scores} if data.shown else {},
            )
        )
    return tables + [_mean_table(title, groups, data, scores, bootstrap) for title, groups in data.means.items()]


def example_rows(data: Benchmark, group: str, scores: RowScores) -> list[dict[str, Any]]:
    """Return the first answers of a group, starting with those on which the metric and people disagree."""
    found = []
    for number in data.members(group):
        row, verdict = data.rows[number], None if scores.verdicts is None else bool(scores.verdicts[number])
        texts = {"question": row.question, "references": row.references, "answer": row.answer}
        found.append(texts | {"label": row.label, "score": round(float(scores.scores[number]), 4), "verdict": verdict})
    return sorted(found, key=lambda one: one["verdict"] in (None, bool(one["label"])))[:_EXAMPLES]


def group_comparisons(data: Benchmark, group: str, scores: Sequence[RowScores]) -> dict[str, Comparison]:
    """Return the comparison of each metric with people on the rows of a group."""
    members = data.members(group)
    # Questions are numbered by first appearance, so that a group's intervals do not depend on how they are named.
    numbers: dict[str, int] = {}
    questions = np.array([numbers.setdefault(data.rows[row].question_id, len(numbers)) for row in members])
    labels = np.array([data.rows[row].label for row in members])
    return {
        metric.name: Comparison(
            scores=metric.scores[members],
            verdicts=None if metric.verdicts is None else metric.verdicts[members],
            labels=labels,
            questions=questions,
            # In MORQA's paper, scores from 0 to 1 that differ by less than 0.05 tie.
            tie=0.05 * metric.scale,
        )
        for metric in scores
    }


def _mean_table(
    title: str, groups: Sequence[str], data: Benchmark, scores: Sequence[RowScores], bootstrap: Bootstrap
) -> AgreementTable:
    """Return the means over some groups, which are data sets.

    The interval covers the means of replicates. A data set in which a statistic is undefined is left out of its mean.
    """
    found = []
    for number, group in enumerate(groups):
        # Data sets are independent of each other, so each has its own seed.
        own = replace(bootstrap, seed=bootstrap.seed + number)
        found.append(replicate(group_comparisons(data, group, scores), data.statistics, own))

    def mean(metric: str, name: str) -> BootstrapEstimate:
        return percentile_interval(mean_of_defined([of_set[metric, name] for of_set in found]), bootstrap)

    rows = {group: [data.rows[row] for row in data.members(group)] for group in groups}
    labels = [np.mean([row.label for row in listed]) for listed in rows.values()]
    return AgreementTable(
        group=title,
        rows=sum(map(len, rows.values())),
        questions=len({row.question_id for listed in rows.values() for row in listed}),
        mean_label=float(np.mean(labels)),
        estimates={one.name: {statistic: mean(one.name, statistic) for statistic in data.statistics} for one in scores},
        published=[],
    )
