"""The command `evaluate-qa` with all subcommands, which are defined in `commands/`."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module

import typer

from .commands.verdicts import verdicts

app = typer.Typer(
    name="evaluate-qa",
    help="Evaluate answers from language models.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)

# The panels of `evaluate-qa --help`.
_COMMANDS = {
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


for _panel, _names in _COMMANDS.items():
    for _name in _names:
        _command = getattr(import_module(f".commands.{_name}", __package__), _name)
        app.command(rich_help_panel=_panel, help=_paragraphs(_command))(_command)
app.add_typer(verdicts, name="verdicts", rich_help_panel="Judge")
