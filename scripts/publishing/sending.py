"""Compare repositories with the Hub, and upload those that differ."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from .account import errors, explained
from .difference import Difference, compare
from .repository import Repository
from .upload import upload

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def differences(api: "HfApi", repositories: Iterable[Repository]) -> dict[Repository, Difference]:
    """Compare all with what is published; show it as a table and return what differs."""
    from rich.console import Console
    from rich.table import Table

    found = {repository: compare(api, repository) for repository in repositories}
    table = Table("repository", "change", "file", title="Differences to the Hub", title_justify="left")
    for repository, difference in found.items():
        name = str(repository) if difference.commit else f"{repository} (new)"
        for change in ("added", "changed", "deleted"):
            for file in getattr(difference, change):
                table.add_row(name, change, file)
                name = ""
        if not difference:
            typer.echo(f"{repository}: as published")
    changed = {repository: difference for repository, difference in found.items() if difference}
    if changed:
        Console(soft_wrap=True).print(table, markup=False)
    return changed


def validate_cards(repositories: Iterable[Repository]) -> bool:
    """Have the Hub look at the cards' front matter; tell what it objects to, and return whether to nothing."""
    from huggingface_hub import RepoCard

    sound = True
    for repository in repositories:
        try:
            RepoCard.load(repository.card).validate(repository.kind)
        except ValueError as error:
            typer.echo(f"{repository}: README.md: the Hub refuses its front matter: {error}", err=True)
            sound = False
    return sound


def send(api: "HfApi", changed: Mapping[Repository, Difference]) -> bool:
    """Upload all, tell of each where it is, and return whether all went well.

    Whatever stops it, those that are not published are named.
    """
    waiting = list(changed)
    try:
        for number, (repository, difference) in enumerate(changed.items(), 1):
            step = f"[{number}/{len(changed)}] {repository}"
            typer.echo(f"{step}: uploading")
            typer.echo(f"{step}: published, {upload(api, repository, difference)}")
            waiting.remove(repository)
    except errors() as error:
        typer.echo(f"evaluate-qa publish: {waiting[0]}: {explained(error)}", err=True)
    finally:
        _report(waiting)
    return not waiting


def _report(waiting: Sequence[Repository]) -> None:
    if waiting:
        names = ", ".join(map(str, waiting))
        typer.echo(f"not published: {names}. The same command again publishes what is missing.", err=True)
