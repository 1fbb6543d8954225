"""`evaluate-qa score`: score a file of answers with any metric that returns a score per row."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..parameters import METRIC, Compute, Load, Source, Target, metric_columns
from ..terminal import interrupt_on_sigterm, open_console, options_of, reported_errors

if TYPE_CHECKING:
    from ..scoring.chunk_scorer import Progress

_run, _ray = options_of("Run"), options_of("Several processes or machines")


def score(
    metrics: Annotated[list[str], METRIC],
    source: Source,
    target: Target,
    load: Load = None,
    compute: Compute = None,
    column: Annotated[list[str] | None, metric_columns()] = None,
    prefix: Annotated[str, _run("Put this prefix before the name of each added column (default: none).")] = "",
    errors: Annotated[
        Path | None, _run("Write bad rows to this JSONL file and continue (default: stop at the first bad row).")
    ] = None,
    chunk_size: Annotated[int, _run("Score this many rows together; a killed run repeats at most one chunk.")] = 1000,
    resume: Annotated[
        bool,
        _run(
            "Continue a stopped run, or ask a judge again about rows without a score. Do nothing if the output is "
            "complete and was made with the same settings.",
            "--resume",
        ),
    ] = False,
    overwrite: Annotated[
        bool,
        _run(
            "Start over: replace the files of --output and --errors, and drop the work of a stopped run.", "--overwrite"
        ),
    ] = False,
    max_unscored: Annotated[
        float, _run("Exit with code 1 if more than this share of the rows gets no score from a judge (0 to 1).")
    ] = 0.05,
    engine: Annotated[
        Literal["local", "ray"],
        _ray(
            "Score in this process (local) or in Ray actors (ray). The variable RAY_ADDRESS (host:port, or auto) names "
            "the cluster; if it is not set, the actors run on this machine."
        ),
    ] = "local",
    num_actors: Annotated[
        int | None, _ray("Start this many Ray actors (default: one per CPU, or as many as the GPUs allow).")
    ] = None,
    num_gpus: Annotated[
        float | None, _ray("Give each actor this many GPUs; 0.5 puts two actors on one GPU (default: 0).")
    ] = None,
) -> None:
    """Score answers: add score, verdict and the metric's other columns to each row.

    In CSV, a list is written as JSON: ["Paris", "Paris, France"].
    """
    from ..options import parse_options
    from ..scoring.columns import parse_column_mapping
    from ..scoring.job import ScoringJob
    from ..scoring.run import run

    again = "--resume --overwrite" if overwrite else "--resume"
    with reported_errors("score", "stopped" if target == "-" else f"stopped. Continue with {again}."):
        interrupt_on_sigterm()
        if not 0 <= max_unscored <= 1:
            raise ValueError(f"--max-unscored is {max_unscored:g}; expected a share from 0 to 1")
        metric, *more = metrics
        if more:
            raise ValueError(f"--metric was given {len(metrics)} times. Score once for each, with different prefixes.")
        loading = parse_options(load or [], metric)
        job = ScoringJob(
            metric=metric,
            source=source,
            target=target,
            config=loading.pop("config", None),
            load=loading,
            compute=parse_options(compute or [], metric),
            columns=parse_column_mapping(column or []),
            prefix=prefix,
            errors=errors,
            chunk_size=chunk_size,
            resume=resume,
            overwrite=overwrite and not resume,
            engine=engine,
            num_actors=num_actors,
            num_gpus=num_gpus,
        )
        if not overwrite and job.is_done():
            typer.echo(f"{target} is complete already. Use --overwrite to score the rows again.", err=True)
            return
        progress = run(job)
        pooled = job.scorer().pooled_score(progress) if progress.statistics else None
        report(metric, progress, pooled, errors, f"{prefix}error")
        if progress.unscored and target != "-":
            kept = f"{target}.work, which you can delete if you accept the output"
            typer.echo(f"With --resume, only these rows are scored again. This needs the folder {kept}.", err=True)
        progress.check_unscored(max_unscored)


def report(metric: str, progress: "Progress", pooled: float | None, errors: Path | None, reasons: str) -> None:
    """Print the number of rows, the mean score and the share judged correct, on stderr.

    `pooled` is the score of all rows together, if it is not the mean of their scores. The column `reasons` has the
    reasons for missing scores.
    """
    from rich.table import Column, Table

    from ..joining.signatures import merge_signatures

    table = Table("", Column(justify="right"), title=Path(metric).name, title_justify="left", show_header=False)
    _, scored = progress.sums.get("score", (0.0, progress.scored))
    table.add_row("rows scored", f"{scored:,.0f}")
    if missing := progress.scored - scored:
        table.add_row("rows without a score", f"{missing:,} ({missing / progress.scored:.1%})")
    if progress.bad:
        table.add_row("bad rows", f"{progress.bad:,}")
    if pooled is not None:
        table.add_row("score of all rows", f"{pooled:.4f}")
    shown = ["score"] if "score" in progress.sums else [name for name in progress.sums if name != "verdict"]
    for name in shown:  # the other columns explain a row, and their means are not meaningful
        of_column, count = progress.sums[name]
        if count:
            table.add_row(f"mean {name}", f"{of_column / count:.4f}")
    right, judged = progress.sums.get("verdict", (0, 0))
    if judged:
        table.add_row("judged correct", f"{right / judged:.1%} ({right:,.0f} of {judged:,.0f})")
    if "cost" in progress.sums and "score" in progress.sums:
        table.add_row("cost", f"{progress.sums['cost'][0]:.4g}")
    console = open_console(stderr=True)
    console.print(table)
    notes = [f"signature: {signature}" for signature in merge_signatures(progress.signatures)]
    if missing and progress.reason:
        notes.append(f"The column {reasons} says why scores are missing, such as: {progress.reason}")
    if progress.bad:
        notes.append(f"Bad rows left out: {progress.bad:,}. They are in {errors}, with their errors.")
    for note in notes:
        console.print(note, markup=False, soft_wrap=True)
