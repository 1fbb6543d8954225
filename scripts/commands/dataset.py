"""`evaluate-qa dataset`: build a data set with people's labels from its source files, as Parquet with a card."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..hub_folder import Built, build
from ..terminal import DataDir, told_errors


class Name(StrEnum):
    """The data sets, each by the name of its folder."""

    EVOUNA = "evouna"
    DIVER_QA = "diver_qa"
    MORQA = "morqa"


def dataset(
    name: Annotated[Name, typer.Argument(help="The data set.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    data_dir: DataDir = None,
    cache_dir: Annotated[
        Path | None, typer.Option(help="Where downloads and unfinished work go, instead of the cache of datasets.")
    ] = None,
) -> None:
    """Build a data set: DIR/<config>/<split>-00000-of-00001.parquet and a card, which load_dataset(DIR) reads."""
    with told_errors("dataset"):
        built = build(name.value, output, data_dir, cache_dir)
    report(built, output)


def report(built: Built, output: Path) -> None:
    """Say what was written, how to load it, and what is missing."""
    for config, info in built.infos.items():
        for split in info.splits.values():
            typer.echo(f"{config}: {split.num_examples:,} rows in split {split.name}")
        typer.echo(f'  datasets.load_dataset("{output}", "{config}")')
    for config, reason in built.missing.items():
        typer.echo(f"{config} is left out: {reason}", err=True)
