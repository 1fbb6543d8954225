"""`evaluate-qa sample`: which rows to label, and how many labels are enough."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ..estimation.arguments import Answer, Probability
from ..terminal import options_of, told_errors

if TYPE_CHECKING:
    from ..estimation.joining import Names

_columns, _draw, _plan = map(options_of, ("Columns", "Drawing", "Planning"))


def sample(
    source: Annotated[str, typer.Option("--input", "-i", help="The rows, scored: JSONL, CSV or Parquet.")],
    target: Annotated[
        str | None, typer.Option("--output", "-o", help="New file for the rows to label: CSV or JSONL.")
    ] = None,
    rows: Annotated[int, _draw("How many rows to label.")] = 200,
    stratified: Annotated[
        bool,
        _draw("Draw more of the rows whose scores, as probabilities, are unsure; weights are written.", "--stratified"),
    ] = False,
    seed: Annotated[int, _draw("The same seed draws the same rows.")] = 0,
    plan: Annotated[
        bool, _plan("Tell how wide intervals will be, by numbers of labels; draw nothing.", "--plan")
    ] = False,
    margin: Annotated[float | None, _plan("Half the width of the interval that is wished for, such as 0.03.")] = None,
    labels: Annotated[
        str | None, _plan("Labels of some rows: scores are right as often as these say. By default, as they say.")
    ] = None,
    score_column: Probability = "score",
    label: Annotated[str | None, _columns("Labels, of --labels. By default label or correct.")] = None,
    identity: Answer = None,
    show: Annotated[list[str] | None, _columns("Another column for the person to see. Repeatable.")] = None,
) -> None:
    """Draw rows for a person to label, for `evaluate-qa estimate`; or plan how many.

    The file has question, references and prediction, and an empty column label: fill in 1 or 0, right or wrong, or
    skip. Rows are in random order, so that the first hundred are a sample too. Scores are left out: they would lead.
    """
    with told_errors("sample"):
        from ..estimation.joining import Names

        names = Names(score_column, identity or (), label)
        if plan or margin is not None:
            _show_plan(source, labels, names, seed, margin)
        elif target is None:
            raise ValueError("name the file for the rows to label by --output, or ask for a plan: --plan")
        else:
            from ..estimation.asking import ask

            asked = ask(source, target, names, show or [], rows, stratified, seed)
            by = "more of those whose scores are unsure, with weights" if stratified else "all alike"
            typer.echo(f"{asked.rows:,} of {asked.of:,} rows, drawn {by}: {target}", err=True)
            told = f"evaluate-qa estimate --scored {quote(source)} --labels {quote(str(target))}"
            typer.echo(f"fill in its column label, then: {told}", err=True)


def _show_plan(source: str, labels: str | None, names: "Names", seed: int, margin: float | None) -> None:
    from ..estimation.joining import join, probabilities, read_labels, read_scored
    from ..estimation.plan import plan
    from ..estimation.report import show_plan

    scored = read_scored(source, names)
    if labels is None:
        every = probabilities(scored, names.score)
        scores, known = every[every >= 0], None  # where there is none, it is NaN
    else:
        joined = join(scored, read_labels(labels, names), names)
        scores, known = joined.scores, joined.labels
    show_plan(plan(scores, known, seed=seed), margin, labels)
