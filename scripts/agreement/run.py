"""Compare metrics with people on a labeled data set: read, score, compare."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..files.rows import did_you_mean, file_format
from ..labeled_data.rows import DataSelection, LabeledRow
from ..uncertainty.resampling import Bootstrap
from .benchmark import Benchmark
from .data_sets import DATA, own_file
from .means import with_mean
from .metric_runs import Metric, MetricSpec
from .row_scores import RowScores, score_baseline
from .synthetic_answers import with_synthetic_answers
from .tables import FigureTable, compare

Score = Callable[[Sequence[LabeledRow]], list[RowScores]]


@dataclass(frozen=True)
class Plan:
    """What is compared, and how.

    Attributes:
        selection: Which part of a data set is used.
        metrics: The metrics; baselines stand beside them.
        bootstrap: How intervals are drawn.
        synthetic_answers: File with the column `synthetic_answers`.
    """

    selection: DataSelection = field(default_factory=DataSelection)
    metrics: Sequence[MetricSpec] = ()
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    synthetic_answers: Path | None = None

    def __post_init__(self) -> None:
        titles = [spec.title for spec in self.metrics]
        if len(set(titles)) < len(titles):
            raise ValueError(f"two metrics have one name: {', '.join(titles)}. Give each metric once.")


@dataclass(frozen=True)
class Experiment:
    """Figures on subsets of the answers.

    Attributes:
        kind: `kinds` of wrong answers.
        title: Which answers the subsets have.
        figures: The figures that were computed.
        tables: A table for each subset.
    """

    kind: str
    title: str
    figures: Sequence[str]
    tables: list[FigureTable]


@dataclass(frozen=True)
class Agreement:
    """What came of a plan on one data set.

    Attributes:
        data: The labeled answers.
        signatures: Of each metric that gives one.
        tables: The figures, a table for each group.
        experiments: Figures on the kinds of wrong answers, if the data set has them.
    """

    data: Benchmark
    signatures: dict[str, str]
    tables: list[FigureTable]
    experiments: list[Experiment]


def read(name: str, plan: Plan) -> Benchmark:
    """Read what the plan selects of a data set, a key of `data_sets.DATA` or a file of labeled answers.

    Raises:
        OSError: the data are not there.
        ValueError: they are not in the format that was expected, or the plan does not suit them.
    """
    data = _reader(name)(plan.selection)
    taken = {baseline.name for baseline in data.baselines} & {spec.title for spec in plan.metrics}
    if taken:
        raise ValueError(f"a baseline is named {taken.pop()!r}, too. Rename the folder of the metric.")
    return with_synthetic_answers(data, plan.synthetic_answers) if plan.synthetic_answers else data


def _reader(name: str) -> Callable[[DataSelection], Benchmark]:
    if name in DATA:
        return DATA[name]
    if Path(name).suffix:
        file_format(name)
        return partial(own_file, Path(name))
    raise ValueError(
        f"--data {name}: there is no such data set. {did_you_mean(name, DATA)} A file of your own ends in .jsonl, .csv "
        "or .parquet."
    )


def run(data: Benchmark, plan: Plan, metrics: Sequence[Metric]) -> Agreement:
    """Score labeled answers with every metric and baseline, and compare with people.

    Args:
        data: The answers, as `read`.
        plan: What to do.
        metrics: The plan's metrics.

    Raises:
        ValueError: a metric's options or its results are not what was expected.
    """
    data, scores = _scored(data, partial(_score_in_all_ways, metrics, data))
    tables = compare(data, scores, plan.bootstrap)
    titles = [spec.title for spec in plan.metrics]
    return Agreement(
        data=data,
        signatures={found.name: found.signature for found in scores if found.signature},
        tables=with_mean(data, scores, titles, tables, plan.bootstrap) if data.board else tables,
        experiments=list(_kinds(data, scores, plan)),
    )


def as_json(plan: Plan, agreement: Agreement) -> dict[str, Any]:
    """Return everything: options, counts, signatures, and figures unrounded, null where undefined."""
    data = agreement.data
    return {
        "selection": {name: _plain(value) for name, value in asdict(plan.selection).items()},
        "counts": {
            "labels": len(data.rows),
            "questions": len({row.question_id for row in data.rows}),
            "dropped": {name: dict(reasons) for name, reasons in data.dropped.items()},
        },
        "bootstrap": asdict(plan.bootstrap),
        "metrics": [asdict(spec) for spec in plan.metrics],
        "signatures": agreement.signatures,
        "synthetic_answers": _plain(plan.synthetic_answers),
        "tables": [asdict(table) for table in agreement.tables],
        "experiments": [asdict(experiment) for experiment in agreement.experiments],
    }


def _score_in_all_ways(metrics: Sequence[Metric], data: Benchmark, rows: Sequence[LabeledRow]) -> list[RowScores]:
    found = []
    for metric in metrics:
        found.append(metric.score(rows))
        if data.each_reference:
            best, mean = metric.score_each_reference(rows)
            found += [replace(best, name=f"{best.name}-max"), replace(mean, name=f"{mean.name}-mean")]
    return [*found, *(score_baseline(baseline, rows) for baseline in data.baselines)]


def _kinds(data: Benchmark, scores: Sequence[RowScores], plan: Plan) -> Iterator[Experiment]:
    if data.kinds:
        kind, figures = "kinds", ["specificity", "auc"]
        yield Experiment(
            kind,
            "correct answers and one kind of wrong ones only",
            figures,
            compare(data, scores, plan.bootstrap, data.kinds, figures, published_for=kind),
        )


def _scored(data: Benchmark, score: Score) -> tuple[Benchmark, list[RowScores]]:
    """Score each distinct answer once; leave out the rows that have no score of some metric, for all, and count them.

    A judge may leave rows without a score, and what is compared has to be compared on the same rows.
    """
    rows, places = data.distinct()
    scores = [found.placed(places) for found in score(rows)]
    missing = {found.name: np.isnan(found.scores) for found in scores}
    kept = np.flatnonzero(~np.any(list(missing.values()), axis=0))
    if len(kept) == len(data.rows):
        return data, scores
    if not len(kept):
        names = ", ".join(name for name, rows in missing.items() if rows.any())
        raise ValueError(f"{names}: no row is left with a score; `evaluate-qa score` writes why to the column error")
    told = Counter({f"no score of {name}": int(rows.sum()) for name, rows in missing.items() if rows.any()})
    dropped = {**data.dropped, data.name: data.dropped.get(data.name, Counter()) + told}
    left = replace(data, rows=[data.rows[number] for number in kept], dropped=dropped)
    return left, [found.placed([kept]) for found in scores]


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
