"""`evaluate-qa verdicts`: a judge's verdicts from its cache into a file, and back, to be used without its endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from ..terminal import told_errors

if TYPE_CHECKING:
    from ..recording.transfer import Imported

verdicts = typer.Typer(help="Write a judge's verdicts into a file, and read them back.", no_args_is_help=True)

CacheDir = Annotated[Path, typer.Option(help="The judge's cache_dir.")]


@verdicts.command()
def export(
    cache_dir: CacheDir,
    target: Annotated[str, typer.Option("--output", "-o", help="JSONL or Parquet; - for standard output.")],
    model: Annotated[str | None, typer.Option(help="Only the verdicts of this model.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Only those by this protocol: default, or default@…")] = None,
) -> None:
    """Write verdicts with all that they depend on: model, protocol, question, references, prediction."""
    from ..files.rows import file_format
    from ..recording.transfer import export as write

    with told_errors("verdicts export"):
        if file_format(target) == ".csv":
            raise ValueError(f"{target}: CSV has no numbers; expected .jsonl or .parquet")
        count = write(cache_dir, target, model, protocol)
    typer.echo(f"verdicts: {count:,}", err=True)


@verdicts.command("import")
def import_(
    source: Annotated[str, typer.Option("--input", "-i", help="JSONL or Parquet; - for JSONL on standard input.")],
    cache_dir: CacheDir,
    model: Annotated[str | None, typer.Option(help="The model's name, for rows without the column model.")] = None,
    protocol: Annotated[
        str, typer.Option(help="Protocol, by name or file, for rows without the column protocol.")
    ] = "default",
    column: Annotated[
        list[str] | None, typer.Option(help="Where a text is found: predictions=answer. Repeatable.")
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="Set bad rows aside in this JSONL file, instead of stopping.")
    ] = None,
) -> None:
    """Keep verdicts of any model: question, references, prediction, label (or verdict), and score where it is known.

    evaluate.load("judge", model=MODEL, cache_dir=DIR) then answers without an endpoint.
    """
    from evaluate_qa.metrics._shared.arguments import ANSWERS
    from evaluate_qa.metrics.judge.protocols import protocol as named

    from ..files.rows import file_format
    from ..recording.lines import Given
    from ..recording.transfer import import_rows
    from ..scoring.columns import Columns, parse_columns

    with told_errors("verdicts import", "stopped; import the file again"):
        if file_format(source) == ".csv":
            raise ValueError(f"{source}: CSV has no numbers; expected .jsonl or .parquet")
        given = Given(model, named(protocol), Columns(parse_columns(column or [], ANSWERS)))
        with _bad_rows(source, errors) as file:
            done = import_rows(source, cache_dir, given, None if file is None else file.write)
    report(done, errors)


@contextmanager
def _bad_rows(source: str, errors: Path | None) -> Iterator[BinaryIO | None]:
    """Open the file for bad rows, if there is to be one."""
    from ..files.bad_rows import check_bad_rows
    from ..files.writing import check_different

    if errors is None:
        yield None
        return
    check_different({"--input": source, "--errors": errors})
    check_bad_rows(errors)
    with errors.open("wb") as file:
        yield file


def report(done: "Imported", errors: Path | None) -> None:
    """Say how many verdicts came in, on the standard error."""
    typer.echo(f"imported: {done.new:,}", err=True)
    if done.known:
        typer.echo(f"there already: {done.known:,}", err=True)
    if done.differing:
        typer.echo(f"there otherwise, which stay: {done.differing:,}; for these take another --cache-dir", err=True)
    if done.bad:
        typer.echo(f"bad rows: {done.bad:,}, in {errors}", err=True)
