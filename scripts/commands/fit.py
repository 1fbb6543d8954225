"""`evaluate-qa fit`: train the matcher of BEM and NLI+lex on labeled answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..terminal import open_console, reported_errors

if TYPE_CHECKING:
    from rich.console import Console

    from ..training.job import TrainingJob


def fit(
    metric: Annotated[
        Literal["bem", "nli_lex", "both"],
        typer.Argument(help="Train the head of this metric, or the heads of both metrics. They share an encoder."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the matcher to this file, *.safetensors.")],
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Train on this file (JSONL, CSV or Parquet with the columns question, references, prediction and "
            "label) or on the training part of this data set: evouna, efficientqa, semeval2013, saf, traps. Repeatable "
            "(default: evouna)."
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Read the data sets' source files from this folder (default: download them).")
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            help="Read more settings from this YAML file: learning rate, mixture of examples, files to start from, to "
            "average or to learn from. scripts/training/README.md in the repository lists them (default: none)."
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Train for this number of epochs, each with new examples (default: 5).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed examples, batches and dropout (default: 0).")] = None,
    device: Annotated[
        str | None, typer.Option(help="Train on this device: cpu, cuda or mps (default: the fastest one).")
    ] = None,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="Train without each data set in turn and test on it, instead of writing a matcher; the figures go to "
            "OUTPUT's name with .left-out.json (default: off).",
        ),
    ] = False,
) -> None:
    """Train a matcher on labeled answers, and report how it agrees with people before and after.

    Use it like any other model: evaluate_qa.load("bem", model="mine.safetensors").

    Two fifths of the questions in your own file are held out: one half chooses the epoch and fits the final layers, the
    other half tests the result. An interrupted run resumes when you repeat the command.
    """
    console = open_console(stderr=True)
    with reported_errors("fit"):
        from ..files.claiming import claimed
        from ..training.job import TrainingJob, complete

        given = {"data": tuple(data or ()) or None, "epochs": epochs, "seed": seed, "device": device}
        tasks = ("bem", "nli_lex") if metric == "both" else (metric,)
        settings = _settings(recipe) | {name: value for name, value in given.items() if value is not None}
        job = TrainingJob(complete({**settings, "tasks": tasks}), output, data_dir)
        with claimed(output):
            if leave_one_out:
                _leave_one_out(job, console)
            else:
                _train(job, console)


def _settings(recipe: Path | None) -> dict[str, Any]:
    from ..training.recipe_file import read_recipe

    return {} if recipe is None else read_recipe(recipe)


def _train(job: "TrainingJob", console: "Console") -> None:
    from ..training.report import tables, teacher_table
    from ..training.run import run, run_compared

    outcome = run(job, console.print)
    if job.recipe.teaches:
        console.print(teacher_table(outcome.figures["teacher"]))
    else:
        for table in tables("on held-out questions, before → after", run_compared(job), outcome.figures):
            console.print(table)
        console.print(f"before: {job.compared}", markup=False, soft_wrap=True)
    console.print(f"written: {job.output}", markup=False, soft_wrap=True)
    job.forget(epochs=job.recipe.teaches)


def _leave_one_out(job: "TrainingJob", console: "Console") -> None:
    from ..training.left_out import leave_one_out, left_out_file
    from ..training.report import left_out_tables, mean_lines

    record = leave_one_out(job, console.print)
    for table in left_out_tables(record):
        console.print(table)
    for line in mean_lines(record):
        console.print(line, markup=False)
    console.print(f"before: {job.compared}", markup=False, soft_wrap=True)
    console.print(f"written: {left_out_file(job.output)}", markup=False, soft_wrap=True)
