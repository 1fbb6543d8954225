"""Where tables are printed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 132
"""Columns where the output is no terminal: room for seven figures with intervals."""


def open_console(stderr: bool = False) -> "Console":
    """Return a console that is as wide as the terminal; in a pipe or a file, wide enough for every table."""
    from rich.console import Console

    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDTH)
