"""What the commands that score a file take on the command line, each with its help."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..terminal import options_of

if TYPE_CHECKING:
    from .run import Job

_metric, run = options_of("Metric"), options_of("Run")

Source = Annotated[str, typer.Option("--input", "-i", help="JSONL, CSV or Parquet; - for JSONL on standard input.")]
Target = Annotated[str, typer.Option("--output", "-o", help="JSONL, CSV or Parquet; - for standard output.")]
METRIC = typer.Option("--metric", "-m", help="Name of a metric, or folder, or name on the Hub.")

Config = Annotated[str | None, _metric("Configuration of the metric.")]
Load = Annotated[list[str] | None, _metric("name=value for evaluate.load. Repeatable.")]
Compute = Annotated[list[str] | None, _metric("name=value for compute. Repeatable.")]
Column = Annotated[
    list[str] | None,
    _metric(
        "Where a column of the metric is found: predictions=answer. By default under its own name, or that without "
        "its s. Repeatable."
    ),
]

Prefix = Annotated[str, run("Put before the name of each column that is added.")]
Errors = Annotated[Path | None, run("Set bad rows aside in this JSONL file, instead of stopping.")]
ChunkSize = Annotated[int, run("Rows that are scored together.")]
Resume = Annotated[bool, run("Go on with a run that was stopped.", "--resume")]


def typed_job(
    metric: str,
    source: str,
    target: str,
    config: str | None,
    load: list[str] | None,
    compute: list[str] | None,
    column: list[str] | None,
    prefix: str,
    errors: Path | None,
    chunk_size: int,
    resume: bool,
) -> "Job":
    """Return the job that was typed; raises ValueError for options that are wrong or do not go together."""
    from ..options import parse_options
    from .columns import parse_columns
    from .run import Job

    return Job(
        metric=metric,
        source=source,
        target=target,
        config=config,
        load=parse_options(load or [], metric),
        compute=parse_options(compute or [], metric),
        columns=parse_columns(column or []),
        prefix=prefix,
        errors=errors,
        chunk_size=chunk_size,
        resume=resume,
    )
