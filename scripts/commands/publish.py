"""`evaluate-qa publish`: put metrics with their Spaces, data sets and models on the Hub."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..publishing.repository import Kind


def publish(
    namespace: Annotated[str, typer.Option(help="User or organisation of the Hub.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Metrics, data sets or models; all metrics if nothing is named or chosen."),
    ] = None,
    datasets: Annotated[bool, typer.Option("--datasets", help="All data sets.")] = False,
    models: Annotated[bool, typer.Option("--models", help="All models. What a metric needs goes with it.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Build, validate and show differences only.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Build and validate in this new folder only.")
    ] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where downloads of data sets go.")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with the source files of each data set, DIR/evouna and so on.")
    ] = None,
) -> None:
    """Build, validate and upload. What is on the Hub already is not sent again, so the command may be repeated."""
    from ..publishing.account import errors, explained

    try:
        if output and dry_run:
            raise ValueError("--output and --dry-run do not go together: --output asks nothing of the Hub")
        chosen = selection(names or (), datasets, models)
        done = _publish(chosen, namespace, dry_run, output, data_dir, cache_dir)
    except errors() as error:
        typer.echo(f"evaluate-qa publish: {explained(error)}", err=True)
        raise typer.Exit(1) from error
    raise typer.Exit(0 if done else 1)


def selection(names: Sequence[str], datasets: bool, models: bool) -> "list[tuple[Kind, str]]":
    """Return kind and name of all that is to be published: models first, because metrics need them.

    Raises:
        ValueError: there is nothing of such a name.
    """
    from ..publishing.repository import KINDS
    from ..publishing.sources import names as names_of
    from ..publishing.sources import needed_metrics, needed_models

    chosen: set[tuple[Kind, str]] = set()
    for name in names:
        chosen |= {(kind, name) for kind in KINDS if name in names_of(kind)} or _unknown(name)
    asked: dict[Kind, bool] = {"dataset": datasets, "model": models, "space": not (names or datasets or models)}
    chosen |= {(kind, name) for kind in KINDS if asked[kind] for name in names_of(kind)}
    chosen |= {("space", metric) for kind, name in chosen if kind == "space" for metric in needed_metrics(name)}
    chosen |= {("model", model) for kind, name in chosen if kind == "space" for model in needed_models(name)}
    return sorted(chosen, key=lambda one: (KINDS.index(one[0]), one[1]))


def _unknown(name: str) -> "set[tuple[Kind, str]]":
    from ..publishing.repository import KINDS
    from ..publishing.sources import names as names_of

    known = ", ".join(known for kind in reversed(KINDS) for known in names_of(kind))
    raise ValueError(f"there is no {name!r} to publish; expected some of {known}")


def _publish(
    chosen: "list[tuple[Kind, str]]",
    namespace: str,
    dry_run: bool,
    output: Path | None,
    data_dir: Path | None,
    cache_dir: Path | None,
) -> bool:
    """Go as far as asked; return whether nothing was wrong."""
    from huggingface_hub import HfApi

    from .. import __version__
    from ..publishing import account, preparing, sending
    from ..publishing.repository import Repository

    api = HfApi(library_name="evaluate-qa", library_version=__version__)
    with _root(output) as root:
        repositories = [Repository(kind, namespace, name, root) for kind, name in chosen]
        if not (output or dry_run):
            account.check(api, namespace)
        if not preparing.prepare(repositories, data_dir, cache_dir):
            typer.echo("evaluate-qa publish: nothing was uploaded; fix the problems listed above", err=True)
            return False
        if output:
            return True
        changed = sending.differences(api, repositories)
        if dry_run:
            return True
        return sending.validate_cards(changed) and sending.send(api, changed)


@contextmanager
def _root(output: Path | None) -> Iterator[Path]:
    """Give the folder to build in."""
    if output is None:
        with tempfile.TemporaryDirectory(prefix="evaluate-qa-publish-") as folder:
            yield Path(folder)
    elif output.exists() and (output.is_file() or any(output.iterdir())):
        raise FileExistsError(f"{output} is there already; name a new or an empty folder")
    else:
        yield output.resolve()
