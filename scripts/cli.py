"""The command `evaluate-qa`: gathers the commands, each of which has a file of its own."""

import typer

from .dataset import dataset
from .synthesize import synthesize

app = typer.Typer(
    name="evaluate-qa",
    help="Judge answers of language models with metrics that agree with people.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)

app.command()(dataset)
app.command()(synthesize)
