"""The command `evaluate-qa`: gathers the commands, each of which has a file of its own."""

from collections.abc import Callable

import typer

from .agree import agreement
from .bench import bench
from .cascade import cascade
from .comparing import compare
from .dataset import dataset
from .estimating import estimate
from .fit import fit
from .gating import gate
from .hacks import hacks
from .install import install
from .label import label
from .publish import publish
from .report import report
from .sampling import sample
from .score import score
from .select import select
from .synthesize import synthesize
from .verdicts import verdicts

app = typer.Typer(
    name="evaluate-qa",
    help="Score answers of language models with metrics that agree with people.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)

_COMMANDS: tuple[Callable[..., None], ...] = (
    dataset,
    install,
    score,
    select,
    agreement,
    hacks,
    sample,
    label,
    estimate,
    compare,
    gate,
    report,
    cascade,
    synthesize,
    fit,
    publish,
)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(bench, name="bench")
app.add_typer(verdicts, name="verdicts")
