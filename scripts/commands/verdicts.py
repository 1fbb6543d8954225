"""`evaluate-qa verdicts`: export a judge's verdicts from its cache to a file, or import them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from ..parameters import Errors, metric_columns
from ..terminal import reported_errors

if TYPE_CHECKING:
    from ..recording.transfer import Imported

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
    from ..recording.transfer import export as write

    with reported_errors("verdicts export"):
        if file_format(target) == ".csv":
            raise ValueError(f"{target}: CSV cannot hold verdicts. Use .jsonl or .parquet.")
        count = write(cache_dir, target)
    typer.echo(f"Exported {count:,} verdicts.", err=True)


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
    errors: Errors = None,
) -> None:
    """Import verdicts of any judge: question, references, prediction, verdict or the protocol's label, optional score.

    evaluate_qa.load("judge", model=MODEL, cache_dir=DIR) then answers without an endpoint.
    """
    from evaluate_qa.metrics._shared.arguments import ANSWERS
    from evaluate_qa.metrics.judge.protocols import protocol as named

    from ..files.rows import file_format
    from ..recording.lines import VerdictDefaults
    from ..recording.transfer import import_rows
    from ..scoring.columns import MetricColumns, parse_columns

    with reported_errors("verdicts import", "stopped. Import the file again."):
        if file_format(source) == ".csv":
            raise ValueError(f"{source}: CSV cannot hold verdicts. Use .jsonl or .parquet.")
        given = VerdictDefaults(model, named(protocol), MetricColumns(parse_columns(column or [], ANSWERS)))
        with _bad_rows(source, errors) as file:
            done = import_rows(source, cache_dir, given, None if file is None else file.write)
    _report(done, errors)


@contextmanager
def _bad_rows(source: str, errors: Path | None) -> Iterator[BinaryIO | None]:
    """Open the file for bad rows, if one is given."""
    from ..files.bad_rows import check_bad_rows
    from ..files.writing import check_different

    if errors is None:
        yield None
        return
    check_different({"--input": source, "--errors": errors})
    check_bad_rows(errors)
    with errors.open("wb") as file:
        yield file


def _report(done: "Imported", errors: Path | None) -> None:
    """Print the numbers of imported verdicts on stderr."""
    typer.echo(f"Imported {done.new:,} verdicts.", err=True)
    if done.known:
        typer.echo(f"{done.known:,} verdicts were in the cache already.", err=True)
    if done.differing:
        typer.echo(
            f"{done.differing:,} verdicts differ from the cache, which was not changed. Use another --cache-dir for "
            "them.",
            err=True,
        )
    if done.bad:
        typer.echo(f"{done.bad:,} bad rows are in {errors}.", err=True)
