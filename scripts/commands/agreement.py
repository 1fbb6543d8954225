"""`evaluate-qa agreement`: compare metrics with human labels."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..parameters import Compute, DataDir, Json, Load
from ..terminal import options_of, reported_errors

if TYPE_CHECKING:
    from ..agreement.metric_runs import MetricSpec

_run, _data, _out = map(options_of, ("Metric", "Data", "Output"))


def agreement(
    data: Annotated[
        list[str],
        typer.Option(
            help="Compare on these labeled answers: evouna, diver_qa, efficientqa, semeval2013, saf; board (these five "
            "sets, traps and values, in one table); morqa, ragchecker, sample, near_names, traps, values; or a file "
            "with the columns question, references, prediction and label. Repeatable."
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="Compare this metric (name or folder); NAME:COLUMN compares another score. Repeatable.",
        ),
    ] = None,
    data_dir: DataDir = None,
    systems: Annotated[
        str | None, _data("Use the answers of these systems only, such as gpt35,gpt4 (default: all).")
    ] = None,
    limit: Annotated[
        int | None,
        _data(
            "Use the first N questions of each set, or of each source or kind of answer in it (default: all). With "
            "board: N random answers of each column."
        ),
    ] = None,
    split: Annotated[
        str | None,
        _data(
            "Use this split: train, dev, test or valid (default: evouna's whole set, other sets' split for reporting)."
        ),
    ] = None,
    load: Load = None,
    compute: Compute = None,
    threshold: Annotated[
        float | None, _run("Call answers with at least this score correct (default: the metric's own verdicts).")
    ] = None,
    synthetic_answers: Annotated[
        Path | None, _run("Read synthetic answers for SMILE from this file of `evaluate-qa synthesize`.")
    ] = None,
    bootstrap: Annotated[int, _out("Draw this many bootstrap resamples for intervals; 0 prints none.")] = 1000,
    group: Annotated[
        list[str] | None, _out("Print only the table of this group, such as all. --json writes all groups. Repeatable.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Compare metrics with human labels, next to simple baselines and published figures.

    If DATA_DIR contains the folder `verdicts` with judged answers, such as kqa_statements.jsonl.gz, the board also has
    data sets on which no matcher was trained. With --json, `--data board` writes an entry for the board's page.

    To set an option of only one of several metrics, put its name in front: --load smile.device=cuda.
    """
    with reported_errors("agreement"):
        from ..agreement.board import PARTS as BOARD_PARTS
        from ..agreement.bootstrap import Bootstrap
        from ..agreement.metric_runs import Metric
        from ..agreement.report import show
        from ..agreement.run import Plan, as_json, read, run
        from ..files.rows import did_you_mean
        from ..files.writing import check_outputs, write_json
        from ..labeled_data.rows import DataSelection

        plan = Plan(
            selection=DataSelection(data_dir, tuple(filter(None, (systems or "").split(","))), limit, split),
            metrics=_specs(metric or [], load or [], compute or [], threshold),
            bootstrap=Bootstrap(bootstrap),
            synthetic_answers=synthetic_answers,
        )
        files = {f"--data {name}": Path(name) for name in data if Path(name).suffix}
        check_outputs({"--json": json_file}, {"--synthetic-answers": synthetic_answers, **files})
        names = [part for name in data for part in (BOARD_PARTS if name == "board" else (name,))]
        sets = [read(name, plan) for name in dict.fromkeys(names)]  # all before the first run, to report missing files
        if twice := [name for name, count in Counter(one.name for one in sets).items() if count > 1]:
            raise ValueError(f"two of the data sets are named {twice[0]!r}. Rename one of the files.")
        groups = dict.fromkeys(name for one in sets for name in (*one.groups, *one.means))
        if unknown := [name for name in group or [] if name not in groups]:
            raise ValueError(
                f"--group is {unknown[0]!r}, but there is no such group. {did_you_mean(unknown[0], groups)}"
            )
        metrics = [Metric(spec) for spec in plan.metrics]
        done = []
        for one in sets:  # each is printed and written as soon as it is done
            done.append(run(one, plan, metrics))
            if json_file is not None:
                figures = {agreement.data.name: as_json(plan, agreement) for agreement in done}
                date = datetime.now(UTC).date().isoformat()
                write_json(json_file, {"evaluate_qa": __version__, "date": date, "data_sets": figures})
            show(plan, done[-1], group or [])
    if json_file is not None:
        typer.echo(f"Wrote {json_file}.")


def _specs(names: list[str], load: list[str], compute: list[str], threshold: float | None) -> "list[MetricSpec]":
    from ..agreement.metric_runs import MetricSpec, parse_metric
    from ..options import parse_options

    parsed = [parse_metric(name) for name in names]
    all_names = [name for name, _ in parsed]
    specs = []
    for name, column in parsed:
        loading, computing = (parse_options(given, name, all_names) for given in (load, compute))
        specs.append(MetricSpec(name, column, loading, computing, threshold))
    return specs
