"""Judge metrics by a data set that people have judged: read, score, compare."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .baselines import BASELINES
from .bootstrap import Bootstrap
from .data_sets import DATA
from .experiments import Sweep, ablate, sweep, with_store
from .judged import JudgedData, JudgedRow, Selection
from .metric_runs import Metric, MetricSpec
from .row_scores import RowScores, score_baseline
from .synthetic_answers import with_synthetic_answers
from .tables import Table, compare


@dataclass(frozen=True)
class Plan:
    """What is judged, and how.

    Attributes:
        selection: Which part of a data set is used.
        metrics: The metrics; the baselines are judged beside them.
        bootstrap: How intervals are drawn.
        synthetic_answers: File with the column `synthetic_answers`.
        sweeps: Options to vary, for every metric.
        ablate: Whether to take SMILE's components away one by one.
    """

    selection: Selection = field(default_factory=Selection)
    metrics: Sequence[MetricSpec] = ()
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    synthetic_answers: Path | None = None
    sweeps: Sequence[Sweep] = ()
    ablate: bool = False

    def __post_init__(self) -> None:
        titles = [spec.title for spec in self.metrics]
        if len({*titles, *BASELINES}) < len(titles) + len(BASELINES):
            raise ValueError(f"each metric needs a name of its own, got {', '.join([*titles, *BASELINES])}")
        if self.ablate and titles != ["smile"]:
            raise ValueError(f"the ablation is defined for smile alone; the metrics are {', '.join(titles) or 'none'}")
        if self.sweeps and not self.metrics:
            raise ValueError("a sweep needs a metric, for example --metric smile")


@dataclass(frozen=True)
class Agreement:
    """What came of a plan on one data set.

    Attributes:
        data: The judged answers.
        signatures: Of each metric that gives one.
        tables: The figures, a table for each group.
        sweeps: For each metric and swept option, Pearson's r of its runs, a table for each pooled group.
        ablations: The same for the ablation of each metric that has one.
    """

    data: JudgedData
    signatures: dict[str, str | None]
    tables: list[Table]
    sweeps: dict[str, list[Table]]
    ablations: dict[str, list[Table]]


@contextmanager
def loaded(plan: Plan) -> Iterator[list[Metric]]:
    """Load the plan's metrics; those that run several times get a vector store."""
    again = bool(plan.sweeps) or plan.ablate
    with ExitStack() as stack:
        yield [stack.enter_context(with_store(spec)) if again else Metric(spec) for spec in plan.metrics]


def read(name: str, plan: Plan) -> JudgedData:
    """Read what the plan selects of a data set, a key of `data_sets.DATA`.

    Raises:
        OSError: the data are not there.
        ValueError: they are not in the format that was expected, or the selection does not suit them.
    """
    data = DATA[name](plan.selection)
    return with_synthetic_answers(data, plan.synthetic_answers) if plan.synthetic_answers else data


def run(data: JudgedData, plan: Plan, metrics: Sequence[Metric]) -> Agreement:
    """Score judged answers with every metric and baseline, and compare with people.

    Args:
        data: The answers, as `read`.
        plan: What to do.
        metrics: The plan's metrics, as `loaded`.

    Raises:
        ValueError: a metric's options or its results are not what was expected.
    """
    runs = [_Runs.of(metric, plan, data.rows) for metric in metrics]
    baselines = [score_baseline(baseline, data.rows) for baseline in BASELINES.values()]
    return Agreement(
        data=data,
        signatures={of.whole.name: of.whole.signature for of in runs},
        tables=compare(data, [*(of.whole for of in runs), *baselines], plan.bootstrap),
        sweeps={
            f"{of.whole.name}: {option}": _compare_runs(data, scores, plan, "sweep")
            for of in runs
            for option, scores in of.sweeps.items()
        },
        ablations={of.whole.name: _compare_runs(data, of.ablation, plan, "ablation") for of in runs if of.ablation},
    )


def as_json(plan: Plan, agreement: Agreement) -> dict[str, Any]:
    """Return everything: options, counts, signatures, and figures unrounded, null where undefined."""
    data = agreement.data
    return {
        "selection": {name: _plain(value) for name, value in asdict(plan.selection).items()},
        "counts": {
            "answers": len(data.rows),
            "questions": len({row.question_id for row in data.rows}),
            "dropped": {name: dict(reasons) for name, reasons in data.dropped.items()},
        },
        "bootstrap": asdict(plan.bootstrap),
        "metrics": [asdict(spec) | {"signature": agreement.signatures[spec.title]} for spec in plan.metrics],
        "synthetic_answers": _plain(plan.synthetic_answers),
        "tables": [asdict(table) for table in agreement.tables],
        "sweeps": {title: [asdict(table) for table in tables] for title, tables in agreement.sweeps.items()},
        "ablations": {title: [asdict(table) for table in tables] for title, tables in agreement.ablations.items()},
    }


@dataclass(frozen=True)
class _Runs:
    """The scores of one metric: as it is, for each swept option, and without its components."""

    whole: RowScores
    sweeps: dict[str, list[RowScores]]
    ablation: list[RowScores]

    @classmethod
    def of(cls, metric: Metric, plan: Plan, rows: list[JudgedRow]) -> "_Runs":
        whole = metric.score(rows)
        return cls(
            whole=whole,
            sweeps={given.option: sweep(metric, given, rows) for given in plan.sweeps},
            ablation=ablate(metric, whole, rows) if plan.ablate else [],
        )


def _compare_runs(data: JudgedData, runs: list[RowScores], plan: Plan, published: str) -> list[Table]:
    return compare(data, runs, plan.bootstrap, data.overview, ["pearson"], published)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
