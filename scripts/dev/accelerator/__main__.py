"""`python -m evaluate_qa.dev.accelerator`: train candidates for the matcher on a borrowed machine.

`pack` runs here and needs the data. `train` runs there and needs torch, transformers and scikit-learn. `join` runs here
and makes a checkpoint from the large encoder and what `train` changed in it. `skills` tests metrics on held-out pairs.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from evaluate_qa.metrics._shared.checkpoints import MINILM, find_checkpoint
from evaluate_qa.metrics._shared.matcher import find_matcher

from ...parameters import Load
from ...terminal import reported_errors

_PROGRAM = "python -m evaluate_qa.dev.accelerator"

app = typer.Typer(help=__doc__, no_args_is_help=True)

Parcels = Annotated[Path, typer.Argument(help="Folder of the parcels: minilm/ (with the data) and mpnet/.")]


@app.command()
def pack(
    parcels: Parcels,
    data_dir: Annotated[Path, typer.Option(help="Read the data sets from this folder, with a folder for each set.")],
    pairs: Annotated[Path, typer.Option(help="Read sentence pairs from the .jsonl.gz files in this folder.")],
    verdicts: Annotated[Path, typer.Option(help="Read judged answers from the .jsonl.gz files in this folder.")],
    large: Annotated[
        Path | None, typer.Option(help="Pack the large encoder in this folder, all-mpnet-base-v2.")
    ] = None,
    pair_rows: Annotated[int, typer.Option(min=1, help="Pack about N sentence pairs.")] = 200_000,
    rows: Annotated[int, typer.Option(min=1, help="Draw examples from N judged answers.")] = 32_000,
    unlabeled: Annotated[int, typer.Option(min=0, help="Draw N pairs of answers for the teacher.")] = 16_000,
    part_mb: Annotated[float, typer.Option(min=0.001, help="Split parcels into parts of N megabytes.")] = 36,
) -> None:
    """Draw the examples, and write them with the encoders into parcels, whose parts can travel one at a time."""
    with reported_errors("pack", program=_PROGRAM):
        from .packing import pack as write

        minilm = find_checkpoint("fit", MINILM).folder
        sizes = write(
            parcels, data_dir, pairs, verdicts, minilm, large, pair_rows=pair_rows, rows=rows, unlabeled=unlabeled,
            part_bytes=round(1e6 * part_mb),
        )  # fmt: skip
        for name, size in sizes.items():
            typer.echo(f"{size / 1e6:8.2f} MB  {name}")
        typer.echo(f"{sum(sizes.values()) / 1e6:8.2f} MB  in {parcels}")


@app.command()
def train(
    parcels: Parcels,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write figures and models to this folder, in files of at most 16 MB.")
    ],
    work: Annotated[Path, typer.Option(help="Write the file of each candidate here.")],
    minutes: Annotated[float, typer.Option(min=0, help="Stop after N minutes.")] = 9.0,
    shipped: Annotated[Path | None, typer.Option(help="Compare with this matcher (default: the shipped one).")] = None,
    device: Annotated[str | None, typer.Option(help="Use this device, as torch names it.")] = None,
    tokens: Annotated[int, typer.Option(min=64, help="Put at most N tokens into a batch.")] = 16_384,
    bfloat16: Annotated[bool, typer.Option(help="Compute in bfloat16.")] = True,
) -> None:
    """Train all candidates, and write figures and files after each run, so that a run that is cut keeps its best."""
    with reported_errors("train", program=_PROGRAM), TemporaryDirectory() as encoders:
        from ...training.recipe import TrainingRecipe
        from .evaluation import table
        from .packing import unpack
        from .stages import Clock, Trainer

        clock = Clock(minutes)
        packed = unpack(parcels, Path(encoders))
        recipe = TrainingRecipe(token_budget=tokens, max_tokens=256, device=device, bfloat16=bfloat16)
        start = shipped or find_matcher("fit")
        results = Trainer(packed, Path(encoders), start, output, work, recipe, clock, typer.echo).run()
        typer.echo(table(results["candidates"]))


@app.command()
def join(
    parcels: Parcels,
    returned: Annotated[Path, typer.Argument(help="The folder large/ that `train` wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write both to this folder.")],
) -> None:
    """Write the large encoder with its training as a checkpoint for BEM, and as a teacher for `evaluate-qa fit`."""
    with reported_errors("join", program=_PROGRAM):
        from .packing import LARGE
        from .stages import join as write

        write(parcels / LARGE, returned, output)


@app.command()
def skills(
    pairs: Annotated[Path, typer.Argument(help="Read sentence pairs from the .jsonl.gz files in this folder.")],
    metric: Annotated[list[str], typer.Option("--metric", "-m", help="Test this metric. Repeatable.")],
    load: Load = None,
) -> None:
    """Print the AUC of metrics on held-out pairs of each skill and language; --load model=FILE tests a candidate."""
    with reported_errors("skills", program=_PROGRAM):
        from ...loading import load_metric
        from ...options import parse_options
        from .sentence_pairs import read_pairs
        from .sentence_pairs import skills as measure

        metrics = {name: load_metric(name, **parse_options(load or [], name, metric)) for name in metric}
        for (skill, language), found in measure(read_pairs(pairs, 0).held_out, metrics).items():
            figures = "  ".join(f"{name} {auc:.3f}" for name, auc in found.items())
            typer.echo(f"{skill}, {language}: {figures}")


if __name__ == "__main__":
    app()
