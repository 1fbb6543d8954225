"""The command `evaluate-qa`: gathers the commands, each of which has a file of its own."""

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

app.command()(dataset)
app.add_typer(bench, name="bench")
app.command()(install)
app.command()(score)
app.command()(select)
app.command()(agreement)
app.command()(hacks)
app.command()(sample)
app.command()(label)
app.command()(estimate)
app.command()(compare)
app.command()(gate)
app.command()(report)
app.command()(cascade)
app.command()(synthesize)
app.add_typer(verdicts, name="verdicts")
app.command()(fit)
app.command()(publish)
