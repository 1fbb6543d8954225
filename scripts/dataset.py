"""`evaluate-qa dataset`: build a data set with people's labels from its source files, as Parquet with a card."""

import importlib
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from .hub_folder import Built, write_folder
from .terminal import DataDir, told_errors

FOLDER = Path(__file__).parent / "datasets_scripts"


class Name(str, Enum):
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


def build(name: str, output: Path, data_dir: Path | None = None, cache_dir: Path | None = None) -> Built:
    """Build a data set and write it to `output`; see `hub_folder.write_folder` for the errors."""
    if data_dir is not None and not data_dir.is_dir():
        raise FileNotFoundError(f"there is no folder {data_dir}")
    # Paths in datasets' cache are named after these, so that a relative one would mean different files by and by.
    options = {key: str(path.resolve()) for key, path in (("data_dir", data_dir), ("cache_dir", cache_dir)) if path}
    return write_folder(builder(name), FOLDER / name / "README.md", output, **options)


def builder(name: str) -> Any:
    """Return the builder class of a data set: the one that its module defines."""
    import datasets

    module = importlib.import_module(f".datasets_scripts.{name}.{name}", __package__)
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return next(found for found in classes if issubclass(found, datasets.GeneratorBasedBuilder))


def report(built: Built, output: Path) -> None:
    """Say what was written, how to load it, and what is missing."""
    for config, info in built.infos.items():
        for split in info.splits.values():
            typer.echo(f"{config}: {split.num_examples:,} rows in split {split.name}")
        typer.echo(f'  datasets.load_dataset("{output}", "{config}")')
    for config, reason in built.missing.items():
        typer.echo(f"{config} is left out: {reason}", err=True)
