"""`evaluate-qa sample`: which rows to label, and how many labels are enough."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ..parameters import Source, role_columns
from ..terminal import options_of, reported_errors

if TYPE_CHECKING:
    from ..estimation.joining import Names

_columns, _draw, _plan = map(options_of, ("Columns", "Drawing", "Planning"))
_ROLES = ("score", "id", "label", "cluster")


def sample(
    source: Source,
    target: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the rows to label to this new CSV or JSONL file.")
    ] = None,
    rows: Annotated[int, _draw("Draw this many rows.")] = 200,
    stratified: Annotated[
        bool,
        _draw("Draw more of the rows whose scores are near 0.5, and write sampling weights.", "--stratified"),
    ] = False,
    seed: Annotated[int, _draw("Set the random seed.")] = 0,
    plan: Annotated[
        bool, _plan("Print the expected margin of error for several numbers of labels, and draw nothing.", "--plan")
    ] = False,
    margin: Annotated[
        float | None, _plan("Print how many labels reach this margin of error, such as 0.03, and draw nothing.")
    ] = None,
    labels: Annotated[
        str | None,
        _plan("Plan with these existing labels of some rows (default: assume that the scores are calibrated)."),
    ] = None,
    column: Annotated[list[str] | None, role_columns(*_ROLES)] = None,
    show: Annotated[list[str] | None, _columns("Show the labeler this column, too. Repeatable.")] = None,
) -> None:
    """Draw a random sample to label by hand, or plan how many labels you need.

    The file has question, references and prediction, and an empty column label: fill in 1 or 0, right or wrong, or
    skip. Rows are in random order, so the first hundred are a random sample, too. Scores are left out so they do not
    influence the labeler.
    """
    with reported_errors("sample"):
        from ..estimation.arguments import parse_columns

        names = parse_columns(column, _ROLES).names
        if plan or margin is not None:
            _show_plan(source, labels, names, seed, margin)
        elif target is None:
            raise ValueError("there is no file to write to. Name it with --output, or plan with --plan.")
        else:
            _draw_rows(source, target, names, show or [], rows, stratified, seed)


def _draw_rows(
    source: str, target: str, names: "Names", show: list[str], rows: int, stratified: bool, seed: int
) -> None:
    from ..estimation.asking import ask, warning

    asked = ask(source, target, names, show, rows, stratified, seed)
    how = "more of those with scores near 0.5, with weights" if stratified else "simple random sample"
    typer.echo(f"Wrote {asked.rows:,} of {asked.of:,} rows ({how}) to {target}.", err=True)
    if told := warning(asked):
        typer.echo(f"Warning: {told}", err=True)
    typer.echo(
        f"Label them with: evaluate-qa label {quote(target)}\n"
        f"Then run: evaluate-qa estimate --scored {quote(source)} --labels {quote(target)}",
        err=True,
    )


def _show_plan(source: str, labels: str | None, names: "Names", seed: int, margin: float | None) -> None:
    from ..estimation.joining import join, probabilities, read_labels, read_scored
    from ..estimation.plan import plan
    from ..estimation.report import show_plan

    scored = read_scored(source, names)
    if labels is None:
        every = probabilities(scored, names.score)
        scores, known = every[every >= 0], None  # rows without a score have NaN
    else:
        joined = join(scored, read_labels(labels, names), names)
        scores, known = joined.scores, joined.labels
    show_plan(plan(scores, known, seed=seed), margin, labels)
