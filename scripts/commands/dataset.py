"""`evaluate-qa dataset`: build a data set with human labels as Parquet files with a card."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluate_qa.metrics._shared.messages import pluralize

from ..parameters import DataDir
from ..publishing.dataset import build
from ..terminal import reported_errors


def dataset(
    name: Annotated[Literal["evouna", "diver_qa", "morqa"], typer.Argument(help="Build this data set.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the data set to this folder.")],
    data_dir: DataDir = None,
) -> None:
    """Build a data set with human labels: Parquet files and a card, for load_dataset(OUTPUT) or the Hub.

    Downloads go to the cache of the package datasets. Set HF_DATASETS_CACHE to move it.
    """
    with reported_errors("dataset"):
        infos, missing = build(name, output, data_dir)
    for config, info in infos.items():
        for split in info.splits.values():
            typer.echo(f"{config}: {pluralize(split.num_examples, 'row')} in split {split.name}")
        typer.echo(f'  datasets.load_dataset("{output}", "{config}")')
    for config, reason in missing.items():
        typer.echo(f"{config} was skipped: {reason}", err=True)
