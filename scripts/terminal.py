"""Options in panels, consoles, and errors on one line for the commands."""

import errno
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH = 132
"""Width in characters if the output is not a terminal: room for seven figures with intervals."""


def options_of(panel: str) -> Callable[..., Any]:
    """Return a function that declares an option in a panel of `--help`, from its help text and flags."""
    return lambda help, *flags: typer.Option(*flags, help=help, rich_help_panel=panel)


def open_console(stderr: bool = False) -> "Console":
    """Return a console with the width of the terminal; in a pipe or a file, wide enough for every table."""
    from rich.console import Console

    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDTH)


def print_report(*parts: "Table | str") -> None:
    """Print tables and lines of plain text."""
    console = open_console()
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, highlight=False, soft_wrap=True)
        else:
            console.print(part)


def new_table(title: str, figures: Iterable[str], names: Iterable[str] = ("",)) -> "Table":
    """Return an empty table with names on the left and figures on the right.

    A narrow terminal breaks the lines of figures and intervals, but cuts nothing off.
    """
    from rich import box
    from rich.table import Table

    grid = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in names:
        grid.add_column(heading, overflow="fold")
    for heading in figures:
        grid.add_column(heading, justify="right", overflow="fold", min_width=max(map(len, heading.split())))
    return grid


def as_markdown(grid: "Table") -> str:
    """Return a table in Markdown, under its title."""
    columns = [[str(column.header), "---", *map(str, column.cells)] for column in grid.columns]
    rows = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in zip(*columns, strict=True)]
    return "\n".join([f"{grid.title}:", "", *(f"| {row} |" for row in rows), ""])


# Package → the extra that installs it.
_EXTRA_OF = {
    **dict.fromkeys(("datasets", "evaluate", "markdown_it", "pyarrow"), "evaluate"),
    **dict.fromkeys(("rouge_score", "scipy", "sklearn"), "agreement"),
    **dict.fromkeys(("fastapi", "uvicorn"), "serve"),
    **dict.fromkeys(("torch", "transformers"), "torch"),
    "aiohttp": "synthesize",
    "gradio": "spaces",
}


@contextmanager
def reported_errors(
    command: str, stopped: str | None = None, status: int = 1, program: str = "evaluate-qa"
) -> Iterator[None]:
    """Report warnings, and an error that the user can fix, on one line of stderr each; exit with a status after errors.

    `stopped` is the message after Ctrl+C; None lets KeyboardInterrupt pass.
    """
    name = f"{program} {command}".rstrip()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: typer.echo(f"{name}: warning: {message}", err=True)
            yield
    except BrokenPipeError:
        raise  # `head` has read enough; click then exits without a message.
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        typer.echo(f"{name}: {error}{_cure(error)}", err=True)
        raise typer.Exit(status) from error
    except KeyboardInterrupt as interrupt:
        if stopped is None:
            raise
        typer.echo(f"{name}: {stopped}", err=True)
        raise typer.Exit(128 + next(iter(interrupt.args), signal.SIGINT)) from None


def interrupt_on_sigterm() -> None:
    """Let SIGTERM raise KeyboardInterrupt, like Ctrl+C, so that `reported_errors` prints how to continue."""

    def interrupt(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, interrupt)


def warn(command: str, messages: Sequence[str]) -> None:
    """Print warnings, a line each, on the standard error."""
    for warning in messages:
        typer.echo(f"evaluate-qa {command}: warning: {warning}", err=True)


def _cure(error: Exception) -> str:
    """Return the fix for a full disk, or the command that installs a missing package, where Python reports them."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ". Free some space, and run the command again."
    if not isinstance(error, ModuleNotFoundError) or "pip install" in str(error):
        return ""
    extra = _EXTRA_OF.get((error.name or "").partition(".")[0])
    return f". Install it with: pip install 'evaluate-qa[{extra}]'" if extra else ""
