"""`python -m evaluate_qa.dev.toy_clip FOLDER`: train the demo's CLIP model and save it in a folder."""

from pathlib import Path
from typing import Annotated

import typer

from .training import train


def main(
    folder: Annotated[Path, typer.Argument(help="Save the model here.")],
    steps: Annotated[int, typer.Option(min=2, help="Train on N batches.")] = 3000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Train the demo's CLIP model on generated clips. It needs some minutes on one core."""
    train(folder, typer.echo, steps=steps, seed=seed)


if __name__ == "__main__":
    typer.run(main)
