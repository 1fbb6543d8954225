"""What the commands that score a file take on the command line, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

METRIC, RUN = "Metric", "Run"

Source = Annotated[str, typer.Option("--input", "-i", help="JSONL, CSV or Parquet; - for JSONL on standard input.")]
Target = Annotated[str, typer.Option("--output", "-o", help="JSONL, CSV or Parquet; - for standard output.")]

Config = Annotated[str | None, typer.Option(help="Configuration of the metric.", rich_help_panel=METRIC)]
Load = Annotated[
    list[str] | None, typer.Option(help="name=value for evaluate.load. Repeatable.", rich_help_panel=METRIC)
]
Compute = Annotated[list[str] | None, typer.Option(help="name=value for compute. Repeatable.", rich_help_panel=METRIC)]

Prefix = Annotated[str, typer.Option(help="Put before the name of each column that is added.", rich_help_panel=RUN)]
Errors = Annotated[
    Path | None, typer.Option(help="Set bad rows aside in this JSONL file, instead of stopping.", rich_help_panel=RUN)
]
ChunkSize = Annotated[int, typer.Option(help="Rows that are scored together.", rich_help_panel=RUN)]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.", rich_help_panel=RUN)]
