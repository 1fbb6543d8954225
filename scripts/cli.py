"""The command `evaluate-qa` with all subcommands, which are defined in `commands/`."""

from collections.abc import Mapping
from importlib import import_module

import typer

app = typer.Typer(
    name="evaluate-qa",
    help="Evaluate answers from language models.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)

# The panels of `evaluate-qa --help`.
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "Score": ("score", "serve", "select"),
    "Validate": ("agreement", "sample", "label", "estimate"),
    "Compare": ("compare", "gate", "report"),
    "Judge": ("audit", "cascade", "synthesize", "verdicts"),
    "Train": ("fit",),
    "Publish": ("install", "dataset", "results", "publish"),
}
for _panel, _names in _COMMANDS.items():
    for _name in _names:
        _command = getattr(import_module(f"evaluate_qa.commands.{_name}"), _name)
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, rich_help_panel=_panel)
        else:
            app.command(rich_help_panel=_panel)(_command)
