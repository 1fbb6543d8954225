"""What the commands that score a file take on the command line, each with its help."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from .run import Job

METRIC, RUN = "Metric", "Run"

Metric = Annotated[str, typer.Option("--metric", "-m", help="Name of a metric, or folder, or name on the Hub.")]

Source = Annotated[str, typer.Option("--input", "-i", help="JSONL, CSV or Parquet; - for JSONL on standard input.")]
Target = Annotated[str, typer.Option("--output", "-o", help="JSONL, CSV or Parquet; - for standard output.")]

Config = Annotated[str | None, typer.Option(help="Configuration of the metric.", rich_help_panel=METRIC)]
Load = Annotated[
    list[str] | None, typer.Option(help="name=value for evaluate.load. Repeatable.", rich_help_panel=METRIC)
]
Compute = Annotated[list[str] | None, typer.Option(help="name=value for compute. Repeatable.", rich_help_panel=METRIC)]

Column = Annotated[
    list[str] | None,
    typer.Option(
        help="Where a column of the metric is found: predictions=answer. By default under its own name, or that "
        "without its s. Repeatable.",
        rich_help_panel=METRIC,
    ),
]

Prefix = Annotated[str, typer.Option(help="Put before the name of each column that is added.", rich_help_panel=RUN)]
Errors = Annotated[
    Path | None, typer.Option(help="Set bad rows aside in this JSONL file, instead of stopping.", rich_help_panel=RUN)
]
ChunkSize = Annotated[int, typer.Option(help="Rows that are scored together.", rich_help_panel=RUN)]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.", rich_help_panel=RUN)]


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
