"""Run metrics several times: a sweep of an option, SMILE's ablation, fewer references.

Each value calls `compute` again on all rows, so whatever the option does to the metric is done in full. What makes
that cheap is the metric's vector store (`cache_dir`), from which every call but the first reads its vectors; it is
put into a temporary folder if none is given.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from ..labeled_data.rows import LabeledRow
from ..options import parse_value
from .baselines import Baseline
from .metric_runs import Metric, MetricSpec
from .row_scores import RowScores, score_baseline


@dataclass(frozen=True)
class Sweep:
    """An option of `compute` and the values it takes."""

    option: str
    values: list[Any]


def parse_sweep(text: str) -> Sweep:
    """Read `w=0,0.1,...,1` (or `…`): a name and its values, where dots continue the step between two numbers.

    Raises:
        ValueError: there is no name or no value, or dots without two numbers before and one after them.
    """
    match = re.fullmatch(r"([A-Za-z_]\w*)=(.+)", text.strip())
    if not match:
        raise ValueError(f"sweep {text!r}; expected a name and values, for example w=0,0.1,...,1")
    items = [item.strip() for item in match[2].replace("…", "...").split(",")]
    if "..." in items:
        place = items.index("...")
        items[place : place + 1] = _steps(text, *items[max(place - 2, 0) : place], *items[place + 1 : place + 2])
    return Sweep(match[1], [parse_value(item) for item in items])


def _steps(text: str, *around: str) -> list[str]:
    """Return the numbers between the second and the third, at the distance of the first two."""
    try:
        first, second, last = map(Decimal, around)  # Decimal: 0.1 + 0.2 must give 0.3
        step = second - first
        count = (last - second) / step
    except (InvalidOperation, ValueError, ArithmeticError):
        count = Decimal(-1)
    if count <= 0 or count % 1:
        raise ValueError(
            f"sweep {text!r}: dots need two numbers before them and one after them that steps of their difference "
            "reach, for example 0,0.1,...,1"
        )
    return [str(second + step * number) for number in range(1, int(count))]


@contextmanager
def with_store(spec: MetricSpec) -> Iterator[Metric]:
    """Load a metric with a vector store, a temporary one if the metric is not given any."""
    with tempfile.TemporaryDirectory(prefix="evaluate-qa-vectors-") as folder:
        yield Metric(replace(spec, load={"cache_dir": folder, **spec.load}))


def score_all(metrics: Sequence[Metric], baselines: Sequence[Baseline], rows: Sequence[LabeledRow]) -> list[RowScores]:
    """Score rows with every metric and every baseline."""
    return [*(metric.score(rows) for metric in metrics), *(score_baseline(baseline, rows) for baseline in baselines)]


def sweep(metric: Metric, given: Sweep, rows: Sequence[LabeledRow]) -> list[RowScores]:
    """Score the rows once for each value of an option; the results are named `option=value`."""
    return [
        replace(metric.score(rows, **{given.option: value}), name=f"{given.option}={value}") for value in given.values
    ]


def ablate(metric: Metric, rows: Sequence[LabeledRow]) -> list[RowScores]:
    """Take SMILE's components away one by one, as table 6 of its paper does.

    Synthetic answers are taken away only if the rows have some.
    """
    runs = [
        metric.score(rows),
        replace(metric.score(rows, w=0), name="without semantic scores"),
        replace(metric.score(rows, w=1), name="without lexical scores"),
    ]
    if any(row.synthetic_answers for row in rows):
        bare = [replace(row, synthetic_answers=()) for row in rows]
        runs.append(replace(metric.score(bare), name="without synthetic answers"))
    return runs


def limit_references(
    metrics: Sequence[Metric], baselines: Sequence[Baseline], counts: Sequence[int], rows: Sequence[LabeledRow]
) -> list[RowScores]:
    """Score the rows with their first few references only, once for each count; a row with fewer keeps all."""
    runs = []
    for count in counts:
        limited = [
            replace(
                row,
                references=row.references[:count],
                reference_weights=row.reference_weights[:count],
                synthetic_answers=row.synthetic_answers[:count],
            )
            for row in rows
        ]
        told = f"{count} reference" + "s" * (count > 1)
        runs += [replace(run, name=f"{run.name}, {told}") for run in score_all(metrics, baselines, limited)]
    return runs
