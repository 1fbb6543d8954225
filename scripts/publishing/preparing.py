"""Build and validate repositories one after the other, telling of each how it went."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from . import checks, trial_run
from .account import errors, explained
from .building import build
from .repository import Repository


def prepare(repositories: Sequence[Repository], data_dir: Path | None) -> bool:
    """Build all, tell what is wrong with them, and return whether nothing is."""
    models = [repository for repository in repositories if repository.kind == "model"]
    sound = True
    for number, repository in enumerate(repositories, 1):
        step = f"[{number}/{len(repositories)}] {repository}"
        typer.echo(f"{step}: building and validating")
        start = time.monotonic()
        problems = list(_problems(repository, models, data_dir))
        seconds = time.monotonic() - start
        result = f"{len(problems)} problems" if problems else f"{len(repository.files())} files, all in order"
        typer.echo(f"{step}: {result} ({seconds:.0f} s)")
        for problem in problems:
            typer.echo(f"  {problem}", err=True)
        sound = sound and not problems
    return sound


def _problems(repository: Repository, models: Sequence[Repository], data_dir: Path | None) -> Iterator[str]:
    """Yield what is wrong; what was not built is not looked at, and what has mistakes is not run."""
    try:
        build(repository, data_dir)
    except errors() as error:
        yield f"it cannot be built: {explained(error)}"
        return
    found = checks.problems(repository)
    yield from found or trial_run.problems(repository, models)
