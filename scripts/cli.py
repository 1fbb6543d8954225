"""The command `evaluate-qa` with all subcommands, which are defined in `commands/`."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Annotated

import typer

from . import __version__
from .commands.verdicts import verdicts

app = typer.Typer(name="evaluate-qa", no_args_is_help=True, pretty_exceptions_show_locals=False)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"evaluate-qa {__version__}")
        raise typer.Exit


@app.callback()
def evaluate_qa(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate answers from language models."""


# The commands in the panels of `evaluate-qa --help`.
_PANELS = {
    "Score": ("score", "serve", "select"),
    "Validate": ("agreement", "sample", "label", "estimate"),
    "Compare": ("compare", "gate", "report"),
    "Judge": ("audit", "cascade", "synthesize"),
    "Train": ("fit",),
    "Publish": ("install", "dataset", "results", "publish"),
}


def _paragraphs(command: Callable[..., None]) -> str:
    """Return a docstring with each paragraph on one line, so that the terminal alone breaks its lines."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(command) or "")


for _panel, _names in _PANELS.items():
    for _name in _names:
        _command = getattr(import_module(f".commands.{_name}", __package__), _name)
        app.command(rich_help_panel=_panel, help=_paragraphs(_command))(_command)
app.add_typer(verdicts, name="verdicts", rich_help_panel="Judge")

if __name__ == "__main__":
    app()
