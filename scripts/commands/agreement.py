"""`evaluate-qa agreement`: how far metrics agree with people, in the tables of the papers."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..terminal import DataDir, options_of, told_errors

if TYPE_CHECKING:
    from ..agreement.metric_runs import MetricSpec
    from ..agreement.run import Plan


_run, _part, _out = map(options_of, ("Metrics", "Part of the data", "Output"))


def agreement(
    data: Annotated[
        list[str],
        typer.Option(
            help="Labelled answers: evouna, diver_qa, morqa, ragchecker, efficientqa, semeval2013, saf, board (those "
            "side by side), sample, near_names, traps, or a file with the columns question, references, prediction "
            "and label. Repeatable."
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Name or folder of a metric, with :column to choose one of its scores. Repeatable."),
    ] = None,
    data_dir: DataDir = None,
    systems: Annotated[str | None, _part("Systems whose answers are used, by commas.")] = None,
    limit: Annotated[
        int | None, _part("First so many questions of each set; of board by default evouna 100, diver_qa 60.")
    ] = None,
    split: Annotated[str | None, _part("train, dev, test or valid, as the data have them.")] = None,
    split_file: Annotated[
        Path | None, _part("Questions of each split; by default DATA_DIR/split.json or our own.")
    ] = None,
    load: Annotated[list[str] | None, _run("name=value for evaluate.load; smile.name=value for smile only.")] = None,
    compute: Annotated[list[str] | None, _run("name=value for compute, likewise.")] = None,
    threshold: Annotated[float | None, _run("Score from which an answer is called correct.")] = None,
    synthetic_answers: Annotated[Path | None, _run("Rows from evaluate-qa synthesize.")] = None,
    sweep: Annotated[list[str] | None, _run("Option of compute and its values: w=0,0.1,...,1. Repeatable.")] = None,
    ablate: Annotated[bool, _run("Leave out SMILE's parts.", "--ablate")] = False,
    reference_counts: Annotated[str | None, _run("Run with so many references a row only, by commas: 3,2,1.")] = None,
    gold_holdout: Annotated[bool, _run("Score gold answers by each other (morqa).", "--gold-holdout")] = False,
    bootstrap: Annotated[int, _out("Resamples; 0 for no intervals.")] = 1000,
    seed: Annotated[int, _out("Seed of the resamples.")] = 0,
    group: Annotated[
        list[str] | None, _out("Print only this group's table, such as all; files have every group. Repeatable.")
    ] = None,
    json_file: Annotated[Path | None, _out("File for all figures, unrounded.", "--json")] = None,
    plot: Annotated[Path | None, _out("File for a drawing: .png, .svg or .pdf.")] = None,
    calibration: Annotated[
        Path | None, _out("File for a drawing of scores, as probabilities, against verdicts.")
    ] = None,
) -> None:
    """Compare metrics with people's labels, beside simple baselines and published figures."""
    with told_errors("agreement"):
        from ..agreement.experiments import parse_sweep
        from ..agreement.run import Plan
        from ..labeled_data.rows import DataSelection
        from ..uncertainty.resampling import Bootstrap

        plan = Plan(
            selection=DataSelection(
                data_dir, tuple(filter(None, (systems or "").split(","))), limit, split, split_file
            ),
            metrics=specs(metric or [], load or [], compute or [], threshold),
            bootstrap=Bootstrap(bootstrap, seed),
            synthetic_answers=synthetic_answers,
            sweeps=[parse_sweep(text) for text in sweep or []],
            ablate=ablate,
            reference_counts=[int(count) for count in filter(None, (reference_counts or "").split(","))],
            gold_holdout=gold_holdout,
            calibration=calibration is not None,
        )
        carry_out(list(dict.fromkeys(data)), plan, json_file, plot, group or [], calibration)


def carry_out(
    names: list[str],
    plan: "Plan",
    json_file: Path | None = None,
    plot_file: Path | None = None,
    groups: Collection[str] = (),
    calibration_file: Path | None = None,
) -> None:
    """Carry out a plan on data sets, one after the other; each is printed and written as soon as it is done."""
    from ..agreement.drawing import draw
    from ..agreement.reliability import draw_calibration
    from ..agreement.report import show
    from ..agreement.run import as_json, loaded, read, run
    from ..files.outputs import check_outputs, write_json

    inputs = {"--synthetic-answers": plan.synthetic_answers, "--split-file": plan.selection.split_file}
    files = {f"--data {name}": Path(name) for name in names if Path(name).suffix}
    check_outputs(json_file, plot_file, calibration_file, {**inputs, **files})
    done = []
    sets = [read(name, plan) for name in names]  # all of them first, so that a missing file is told at once
    if twice := [name for name, count in Counter(data.name for data in sets).items() if count > 1]:
        raise ValueError(f"two of the data sets are named {twice[0]!r}; rename a file")
    with loaded(plan) as metrics:
        for data in sets:
            done.append(run(data, plan, metrics))
            if json_file is not None:
                figures = {agreement.data.name: as_json(plan, agreement) for agreement in done}
                write_json(json_file, {"evaluate_qa": __version__, "data_sets": figures})
            if plot_file is not None:
                draw(plot_file, done)
            if calibration_file is not None and any(agreement.calibrations for agreement in done):
                draw_calibration(calibration_file, done)
            show(plan, done[-1], groups)
    for path in filter(None, (json_file, plot_file, calibration_file)):
        if path.is_file():
            typer.echo(f"Written: {path}")


def specs(names: list[str], load: list[str], compute: list[str], threshold: float | None) -> "list[MetricSpec]":
    """Turn metrics and their options, as typed, into specifications."""
    from ..agreement.metric_runs import MetricSpec, parse_metric
    from ..options import parse_options

    parsed = [parse_metric(name) for name in names]
    all_names = [name for name, _ in parsed]
    return [
        MetricSpec(
            name, column, parse_options(load, name, all_names), parse_options(compute, name, all_names), threshold
        )
        for name, column in parsed
    ]
