"""Build, test and upload repositories one after the other, and report on each."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .. import __version__
from . import trial_run
from .account import errors, explained
from .building import build
from .repository import Repository

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def prepare(repositories: Sequence[Repository], data_dir: Path | None) -> bool:
    """Build and test all repositories, print their problems, and return True if there are none."""
    models = [repository for repository in repositories if repository.kind == "model"]
    sound = True
    for number, repository in enumerate(repositories, 1):
        step = f"[{number}/{len(repositories)}] {repository}"
        typer.echo(f"{step}: building and testing")
        start = time.monotonic()
        problems = list(_problems(repository, models, data_dir))
        result = "failed" if problems else f"{len(repository.files())} files"
        typer.echo(f"{step}: {result} ({time.monotonic() - start:.0f} s)")
        for problem in problems:
            typer.echo(f"  {problem}", err=True)
        sound = sound and not problems
    return sound


def _problems(repository: Repository, models: Sequence[Repository], data_dir: Path | None) -> Iterator[str]:
    try:
        build(repository, data_dir)
    except errors() as error:
        yield f"It cannot be built: {explained(error)}"
    else:
        yield from trial_run.problems(repository, models)


def upload(api: "HfApi", repositories: Sequence[Repository]) -> bool:
    """Upload all repositories, print where each one is, and return True if all were uploaded."""
    waiting = list(repositories)
    try:
        for number, repository in enumerate(repositories, 1):
            step = f"[{number}/{len(repositories)}] {repository}"
            typer.echo(f"{step}: uploading")
            typer.echo(f"{step}: published, {_upload(api, repository)}")
            waiting.remove(repository)
    except errors() as error:
        typer.echo(f"evaluate-qa publish: {waiting[0]}: {explained(error)}", err=True)
    finally:
        if waiting:
            names = ", ".join(map(str, waiting))
            typer.echo(f"Not published: {names}. Run the same command again to publish them.", err=True)
    return not waiting


def _upload(api: "HfApi", repository: Repository) -> str:
    """Create the repository if needed, upload the files that differ as one commit, and return the commit's address."""
    from huggingface_hub import metadata_load

    kind = repository.kind
    sdk = (metadata_load(repository.card) or {})["sdk"] if kind == "space" else None
    api.create_repo(repository.id, repo_type=kind, space_sdk=sdk, exist_ok=True)
    commit = api.upload_folder(
        repo_id=repository.id,
        repo_type=kind,
        folder_path=repository.folder,
        # Older versions of the metrics download the files of their own version of the matcher.
        delete_patterns=None if kind == "model" and not repository.source else "*",
        commit_message=f"Publish evaluate-qa {__version__}",
    )
    return str(commit.commit_url)
