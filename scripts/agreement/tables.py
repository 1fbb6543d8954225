"""Agreement tables: the figures of every metric in every group of a data set, beside what papers published."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..terminal import followed
from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .bootstrap import BootstrapEstimate, estimate
from .comparison import Comparison
from .row_scores import RowScores

_PUBLISHED = Path(__file__).parent / "published.json"


@dataclass(frozen=True)
class Published:
    """Published figures of one metric in one group.

    Attributes:
        name: The metric's.
        source: Paper and table.
        figures: The published values.
    """

    name: str
    source: str
    figures: dict[str, float]


@dataclass(frozen=True)
class FigureTable:
    """The figures of one group.

    Attributes:
        group: Its name.
        rows: Number of labeled answers.
        questions: Number of distinct questions.
        mean_label: Share of the answers that people call correct, or the mean rating or preference.
        rated: Whether people rated the answers, rather than calling them correct or not.
        compared: Whether they compared two answers in each row.
        estimates: For each metric, in the order given, its figures by name.
        published: What papers published for this group.
    """

    group: str
    rows: int
    questions: int
    mean_label: float
    rated: bool
    compared: bool
    estimates: dict[str, dict[str, BootstrapEstimate]]
    published: list[Published]


def published(data: str, group: str) -> list[Published]:
    """Return what papers published for a group of a data set."""
    return [
        Published(entry["name"], entry["source"], entry["groups"][group])
        for entry in json.loads(_PUBLISHED.read_text(encoding="utf-8"))
        if entry["data"] == data and group in entry["groups"]
    ]


def compare(
    data: Benchmark,
    scores: Iterable[RowScores],
    bootstrap: Bootstrap,
    groups: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    published_for: str | None = None,
) -> list[FigureTable]:
    """Compute the tables of a data set.

    Args:
        data: The labeled answers.
        scores: What each metric says of all of `data.rows`.
        bootstrap: How intervals are drawn.
        groups: The groups to compute; None for all of the data set's.
        figures: The figures to compute; None for the data set's.
        published_for: Whose published figures stand beside; None for the data set's.
    """
    scores = list(scores)
    tables = []
    for group in followed(groups or data.groups, "agreement", "group"):
        members = data.members(group)
        metrics = {metric.name: comparison(data, members, metric) for metric in scores}
        some = next(iter(metrics.values()))
        tables.append(
            FigureTable(
                group=group,
                rows=len(members),
                questions=some.question_count,
                mean_label=float(some.labels.mean()),
                rated=data.rated,
                compared=data.compared,
                estimates=estimate(metrics, figures or data.figures, bootstrap),
                published=published(published_for or data.name, group),
            )
        )
    return tables


def comparison(data: Benchmark, members: list[int], metric: RowScores) -> Comparison:
    """Return what a metric and people said of some of the rows."""
    # Questions are numbered by first appearance, so that a group's intervals do not depend on how they are named.
    numbers: dict[str, int] = {}
    questions = [numbers.setdefault(data.rows[member].question_id, len(numbers)) for member in members]
    return Comparison(
        scores=metric.scores[members],
        verdicts=None if metric.verdicts is None else metric.verdicts[members],
        labels=np.array([data.rows[member].label for member in members]),
        questions=np.array(questions),
        # MORQA's paper takes scores from 0 to 1 for a tie from which neither is better by .05.
        tie=0.05 * metric.scale,
    )
