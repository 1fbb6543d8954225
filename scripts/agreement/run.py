"""Compare metrics with people on a labeled data set."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..files.rows import did_you_mean, file_format
from ..labeled_data.rows import DataSelection, LabeledRow
from .benchmark import Benchmark, with_synthetic_answers
from .bootstrap import Bootstrap
from .data_sets import DATA, own_file
from .metric_runs import Effort, Metric, MetricSpec, RowScores, score_baseline
from .tables import AgreementTable, compare


@dataclass(frozen=True)
class Plan:
    """What to compare, and how; `synthetic_answers` is a file with a column of this name."""

    selection: DataSelection = field(default_factory=DataSelection)
    metrics: Sequence[MetricSpec] = ()
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    synthetic_answers: Path | None = None

    def __post_init__(self) -> None:
        titles = [spec.title for spec in self.metrics]
        if len(set(titles)) < len(titles):
            raise ValueError(f"two metrics have the same name: {', '.join(titles)}. Give each metric once.")


@dataclass(frozen=True)
class Agreement:
    """The result of a plan on one data set: a table for each group, and by metric its signature and its effort."""

    data: Benchmark
    signatures: dict[str, str]
    tables: list[AgreementTable]
    efforts: dict[str, Effort]


def read(name: str, plan: Plan) -> Benchmark:
    """Read the selected part of a data set, a key of `data_sets.DATA` or a file of labeled answers."""
    data = _read(name, plan.selection)
    taken = {baseline.name for baseline in data.baselines} & {spec.title for spec in plan.metrics}
    if taken:
        raise ValueError(f"a baseline has the same name {taken.pop()!r}. Rename the folder of the metric.")
    return with_synthetic_answers(data, plan.synthetic_answers) if plan.synthetic_answers else data


def _read(name: str, selection: DataSelection) -> Benchmark:
    if name in DATA:
        return DATA[name](selection)
    if Path(name).suffix:
        file_format(name)
        return own_file(Path(name), selection)
    raise ValueError(
        f"--data {name}: there is no such data set. {did_you_mean(name, DATA)} A file of your own ends in .jsonl, .csv "
        "or .parquet."
    )


def run(data: Benchmark, plan: Plan, metrics: Sequence[Metric]) -> Agreement:
    """Score labeled answers with every metric and baseline, and compare the scores with people."""
    data, scores = _score_answers(data, metrics)
    return Agreement(
        data=data,
        signatures={found.name: found.signature for found in scores if found.signature},
        tables=compare(data, scores, plan.bootstrap),
        efforts={found.name: found.effort for found in scores if found.effort},
    )


def as_json(plan: Plan, agreement: Agreement) -> dict[str, Any]:
    """Return options, counts, signatures and unrounded statistics; undefined statistics are null."""
    data = agreement.data
    selection = asdict(plan.selection)
    del selection["data_dir"]  # a path on this machine
    return {
        "selection": selection,
        "counts": {
            "labels": len(data.rows),
            "questions": len({row.question_id for row in data.rows}),
            "dropped": {name: dict(reasons) for name, reasons in data.dropped.items()},
        },
        "bootstrap": asdict(plan.bootstrap),
        "metrics": [asdict(spec) for spec in plan.metrics],
        "signatures": agreement.signatures,
        "efforts": {name: asdict(effort) for name, effort in agreement.efforts.items()},
        "synthetic_answers": plan.synthetic_answers and str(plan.synthetic_answers),
        "tables": [asdict(table) for table in agreement.tables],
    }


def _score_answers(data: Benchmark, metrics: Sequence[Metric]) -> tuple[Benchmark, list[RowScores]]:
    """Score each distinct answer once, and drop rows without a score by some metric for all metrics.

    A judge may leave rows without a score, and metrics are comparable only on the same rows.
    """
    rows, places = data.distinct_answers()
    found = [score for metric in metrics for score in _score_with(metric, data, rows)]
    found += [score_baseline(baseline, rows) for baseline in data.baselines]
    scores = [one.take(places) for one in found]
    missing = {one.name: np.isnan(one.scores) for one in scores}
    kept = np.flatnonzero(~np.any(list(missing.values()), axis=0))
    if len(kept) == len(data.rows):
        return data, scores
    reasons = Counter({f"no score of {name}": int(of_one.sum()) for name, of_one in missing.items() if of_one.any()})
    if not any(data.rows[number].answer.strip() for number in kept):  # a dead judge still scores empty answers
        raise ValueError(
            f"no answer in {data.name} has a score from every metric ({', '.join(reasons)}). `evaluate-qa score` "
            "writes the reasons to the column error."
        )
    dropped = {**data.dropped, data.name: data.dropped.get(data.name, Counter()) + reasons}
    left = replace(data, rows=[data.rows[number] for number in kept], dropped=dropped)
    return left, [one.take([kept]) for one in scores]


def _score_with(metric: Metric, data: Benchmark, rows: Sequence[LabeledRow]) -> list[RowScores]:
    start = time.perf_counter()
    scores = metric.score(rows)
    effort = Effort(len(rows) - scores.cached, time.perf_counter() - start, scores.cost)
    found = [replace(scores, effort=effort)]
    if data.each_reference:
        best, mean = metric.score_each_reference(rows)
        found += [replace(best, name=f"{best.name}-max"), replace(mean, name=f"{mean.name}-mean")]
    return found
