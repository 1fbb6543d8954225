"""`python -m evaluate_qa.toy_clip FOLDER`: train the demo's CLIP and save it in a folder."""

from pathlib import Path
from typing import Annotated

import typer

from .training import Recipe, train


def main(
    folder: Annotated[Path, typer.Argument(help="Where the model goes.")],
    steps: Annotated[int, typer.Option(min=2, help="Batches to train on.")] = Recipe.steps,
    seed: int = Recipe.seed,
) -> None:
    """Train the demo's CLIP on generated clips; takes some minutes on one core."""
    train(folder, Recipe(steps=steps, seed=seed), typer.echo)


if __name__ == "__main__":
    typer.run(main)
