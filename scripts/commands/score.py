"""`evaluate-qa score`: score a file of answers with any metric that gives each row a score."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..scoring import parameters
from ..terminal import open_console, options_of, told_errors

if TYPE_CHECKING:
    from ..scoring.run import Job
    from ..scoring.work import Progress

_ray = options_of("Several processes or machines")


class Engine(StrEnum):
    """What scores the rows."""

    LOCAL = "local"
    RAY = "ray"


def score(
    metric: Annotated[str, parameters.METRIC],
    source: parameters.Source,
    target: parameters.Target,
    config: parameters.Config = None,
    load: parameters.Load = None,
    compute: parameters.Compute = None,
    column: parameters.Column = None,
    prefix: parameters.Prefix = "",
    errors: parameters.Errors = None,
    chunk_size: parameters.ChunkSize = 1000,
    resume: parameters.Resume = False,
    engine: Annotated[Engine, _ray("This process, or actors of Ray.")] = Engine.LOCAL,
    num_actors: Annotated[int | None, _ray("Default: as many as CPUs, or GPUs, suffice for.")] = None,
    num_gpus: Annotated[float | None, _ray("GPUs of each actor; 0.5 puts two on one.")] = None,
    address: Annotated[str | None, _ray("Of a Ray cluster: host:port, or auto. Default: this machine.")] = None,
) -> None:
    """Score answers: each row of the input comes out with the score, the verdict and the metric's other columns.

    In CSV, a list is written as JSON: ["Paris", "Paris, France"]. --resume continues a run that was stopped.
    """
    with told_errors("score", "stopped" if target == "-" else "stopped; continue with --resume"):
        job = parameters.typed_job(
            metric, source, target, config, load, compute, column, prefix, errors, chunk_size, resume
        )
        progress = _run(job, engine, num_actors, num_gpus, address)
    report(metric, progress, errors)


def _run(job: "Job", engine: Engine, num_actors: int | None, num_gpus: float | None, address: str | None) -> "Progress":
    if engine is Engine.RAY:
        from ..scoring.cluster import Cluster
        from ..scoring.ray_engine import run_on_ray

        return run_on_ray(job, Cluster(num_actors, num_gpus or 0, address))
    from ..scoring.run import run

    given = {"--num-actors": num_actors, "--num-gpus": num_gpus, "--address": address}
    if foreign := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{foreign[0]} is an option of --engine ray")
    return run(job)


def report(metric: str, progress: "Progress", errors: Path | None) -> None:
    """Print how many rows there were and the means of their scores, on the standard error."""
    from rich.table import Table

    table = Table(title=Path(metric).name, title_justify="left", show_header=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    _, scored = progress.sums.get("score", (0.0, progress.scored))
    table.add_row("rows scored", f"{scored:,}")
    if missing := progress.scored - scored:  # of a judge that gave no verdict: the column `error` says why
        table.add_row("rows without a score", f"{missing:,}")
    if progress.bad:
        table.add_row("rows set aside", f"{progress.bad:,}")
    for name, (total, count) in progress.sums.items():
        if not count:
            continue
        table.add_row("accuracy" if name == "verdict" else f"mean {name}", f"{total / count:.4f}")
    console = open_console(stderr=True)
    console.print(table)
    for signature in progress.signatures:
        console.print(f"signature: {signature}", markup=False, soft_wrap=True)
    if progress.bad:
        console.print(f"rows that were not scored, with the reason: {errors}", markup=False, soft_wrap=True)
