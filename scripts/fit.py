"""`evaluate-qa fit`: train the matchers that come with BEM and NLI+lex."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from .terminal import open_console, told_errors


def fit(
    metric: Annotated[Literal["bem", "nli_lex", "both"], typer.Argument(help="Whose head; both share an encoder.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The matcher's file, *.safetensors.")],
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with EVOUNA's NQ.json and TQ.json, instead of downloading them.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 5,
    seed: int = 0,
    learning_rate: float = 1e-4,
    token_budget: Annotated[int, typer.Option(min=64, help="Tokens of a batch.")] = 4096,
    mix: Annotated[
        list[str] | None, typer.Option(help="name=share of a kind of made examples, such as near=0.5. Repeatable.")
    ] = None,
    teacher: Annotated[
        list[Path] | None, typer.Option(help="A matcher to learn from beside the labels. Repeatable.")
    ] = None,
    start: Annotated[Path | None, typer.Option(help="A matcher to train on from.")] = None,
    average: Annotated[
        list[Path] | None, typer.Option(help="Do not train: take the mean of these matchers. Repeatable.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, mps; by default the best there is.")] = None,
    half: Annotated[bool, typer.Option("--half", help="Compute in bfloat16 where that is safe.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The first so many questions only, to try it.")] = None,
) -> None:
    """Train on EVOUNA's train questions, choose the epoch on dev, fit the final layers on dev.

    Each epoch's matcher is kept beside the output. Interrupted training resumes after its last epoch when run again.
    """
    from .options import parse_options
    from .training.examples import Mixture
    from .training.recipe import Recipe
    from .training.run import Job, run

    console = open_console(stderr=True)
    tasks = ("bem", "nli_lex") if metric == "both" else (metric,)
    recipe = Recipe(tasks, epochs, learning_rate, token_budget, seed=seed, device=device, half=half)
    with told_errors("fit"):
        mixture = Mixture(**parse_options(mix or []))
        job = Job(data_dir, output, recipe, mixture, teacher or [], start, average or [], limit)
        accuracy = run(job, console.print)
    for name, value in accuracy.items():
        console.print(f"{name}: accuracy {value:.4f} on dev, in five folds of questions")
    console.print(f"written: {output}", markup=False, soft_wrap=True)
