"""`evaluate-qa fit`: train the matcher of BEM and NLI+lex on labeled answers."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..terminal import open_console, reported_errors, warn


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
            "average or to learn from. scripts/training/README.md in the repository explains them (default: none)."
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Train for this number of epochs, each with new examples (default: 5).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed examples, batches and dropout (default: 0).")] = None,
) -> None:
    """Train a matcher on labeled answers, and report how it agrees with people before and after.

    Use the result like any other model: evaluate_qa.load("bem", model="mine.safetensors").

    Two fifths of the questions in your own file are held out: one half chooses the epoch and fits the final layers, the
    other half tests the result. Below 100 questions, the test is too small for a confidence interval. An interrupted
    run resumes when you repeat the command. On two CPU cores, an epoch with 240 rows takes about a minute.
    """
    console = open_console(stderr=True)
    with reported_errors("fit"):
        from ..files.work_folder import lock_work_folder
        from ..training.evaluation import describe_gain, table, too_few_warnings
        from ..training.job import TrainingJob, complete
        from ..training.recipe import read_recipe
        from ..training.run import run, run_compared

        given = {"data": tuple(data or ()) or None, "epochs": epochs, "seed": seed}
        settings = (read_recipe(recipe) if recipe else {}) | {
            name: value for name, value in given.items() if value is not None
        }
        tasks = ("bem", "nli_lex") if metric == "both" else (metric,)
        job = TrainingJob(complete({**settings, "tasks": tasks}), output, data_dir)
        write = partial(console.print, markup=False, soft_wrap=True)
        with lock_work_folder(output):
            warn("fit", too_few_warnings(job.sets))
            after = run(job, write)
            before = {} if job.recipe.teaches else run_compared(job)
            for task, sets in after.items():
                matchers = {"before": before[task], "after": sets} if task in before else {"after": sets}
                console.print(table(f"{task}, on held-out questions, with 95% intervals", matchers))
                write(f"{task}: {describe_gain(matchers)}")
            if before:
                write(f"before: {job.compared}")
            write(f"written: {output}")
            job.forget()
