"""What the commands share on a terminal: options in panels, tables, errors in a line, progress."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from evaluate_qa.metrics._shared.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

_Item = TypeVar("_Item")

DataDir = Annotated[Path | None, typer.Option(help="Folder with the source files, instead of downloading them.")]
"""An option of commands that read data sets."""

_WIDTH = 132
"""Columns where the output is no terminal: room for seven figures with intervals."""


def options_of(panel: str) -> Callable[..., Any]:
    """Return what declares options, by their help and flags, that `--help` shows together under a heading."""
    return lambda help, *flags: typer.Option(*flags, help=help, rich_help_panel=panel)


def open_console(stderr: bool = False) -> "Console":
    """Return a console that is as wide as the terminal; in a pipe or a file, wide enough for every table."""
    from rich.console import Console

    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDTH)


@contextmanager
def told_errors(command: str, stopped: str | None = None, status: int = 1) -> Iterator[None]:
    """Tell what the user can mend in a line of the standard error, without a traceback, and end.

    Args:
        command: The command's name.
        stopped: What to tell when the run is interrupted.
        status: The exit status of an error.
    """
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError) as error:
        typer.echo(f"evaluate-qa {command}: {error}", err=True)
        raise typer.Exit(status) from error
    except KeyboardInterrupt:
        if stopped is None:
            raise
        typer.echo(f"evaluate-qa {command}: {stopped}", err=True)
        raise typer.Exit(130) from None


def followed(items: Sequence[_Item], describe: str, unit: str) -> Iterator[_Item]:
    """Yield the items under a progress bar."""
    with progress(describe, len(items), unit) as bar:
        for item in items:
            yield item
            bar.update()
