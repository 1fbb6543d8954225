"""`evaluate-qa verdicts`: export a judge's verdicts from its cache to a file, or import them."""

from pathlib import Path
from typing import Annotated

import typer

from evaluate_qa.metrics._shared.messages import pluralize

from ..parameters import metric_columns
from ..terminal import reported_errors

verdicts = typer.Typer(help="Export or import saved judge verdicts.", no_args_is_help=True)

CacheDir = Annotated[Path, typer.Option(help="Use this cache folder of the judge (its option cache_dir).")]


@verdicts.command()
def export(
    cache_dir: CacheDir,
    target: Annotated[
        str, typer.Option("--output", "-o", help="Write to this JSONL or Parquet file; - writes JSONL to stdout.")
    ],
) -> None:
    """Export all verdicts of a cache with model, protocol, question, references and prediction."""
    from ..files.rows import file_format
    from ..verdict_files import export_verdicts

    with reported_errors("verdicts export"):
        if file_format(target) == ".csv":
            raise ValueError(f"{target}: CSV cannot hold verdicts. Use .jsonl or .parquet.")
        count = export_verdicts(cache_dir, target)
    typer.echo(f"Exported {pluralize(count, 'verdict')}.", err=True)


@verdicts.command("import")
def import_(
    source: Annotated[
        str, typer.Option("--input", "-i", help="Read this JSONL or Parquet file; - reads JSONL from stdin.")
    ],
    cache_dir: CacheDir,
    model: Annotated[str | None, typer.Option(help="Set the judge's name for rows without a column model.")] = None,
    protocol: Annotated[
        str, typer.Option(help="Set the protocol, by name or file, for rows without a column protocol.")
    ] = "default",
    column: Annotated[list[str] | None, metric_columns("predictions", "references", "questions")] = None,
) -> None:
    """Import verdicts of any judge: question, references, prediction, verdict or judge_label, optional score.

    evaluate_qa.load("judge", model=MODEL, cache_dir=DIR) then answers without an endpoint.
    """
    from evaluate_qa.metrics._shared.columns import ANSWERS
    from evaluate_qa.metrics.judge.protocols import load_protocol

    from ..files.rows import file_format
    from ..scoring.columns import MetricColumns, parse_column_mapping
    from ..verdict_files import VerdictDefaults, import_verdicts

    with reported_errors("verdicts import", "stopped. Import the file again."):
        if file_format(source) == ".csv":
            raise ValueError(f"{source}: CSV cannot hold verdicts. Use .jsonl or .parquet.")
        defaults = VerdictDefaults(
            model, load_protocol(protocol), MetricColumns(parse_column_mapping(column or [], ANSWERS))
        )
        counts = import_verdicts(source, cache_dir, defaults)
    typer.echo(f"Imported {pluralize(counts['new'], 'verdict')}.", err=True)
    if counts["known"]:
        typer.echo(f"The cache had {pluralize(counts['known'], 'verdict')} already.", err=True)
    if counts["differing"]:
        typer.echo(
            f"The cache, which was not changed, has other values for {pluralize(counts['differing'], 'verdict')}. Use "
            "another --cache-dir for them.",
            err=True,
        )
