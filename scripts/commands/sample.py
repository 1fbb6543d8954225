"""`evaluate-qa sample`: draw rows to label, or plan the number of labels."""

from shlex import quote
from typing import Annotated

import typer

from evaluate_qa.metrics._shared.messages import pluralize

from ..parameters import Source, role_columns
from ..terminal import options_of, reported_errors, warn

_columns, _draw = map(options_of, ("Columns", "Drawing"))
_ROLES = ("score", "id", "cluster")


def sample(
    source: Source,
    target: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the rows to label to this new CSV or JSONL file.")
    ] = None,
    rows: Annotated[int, _draw("Draw this many rows.")] = 200,
    stratified: Annotated[
        bool,
        _draw(
            "Draw more of the rows with scores near the threshold of the verdicts, or 0.5, and write sampling weights.",
            "--stratified",
        ),
    ] = False,
    by: Annotated[
        str | None,
        _draw("Draw more of the rows with large values in this column, such as disagreement, and write weights."),
    ] = None,
    seed: Annotated[int, _draw("Set the random seed.")] = 0,
    plan: Annotated[
        bool, _draw("Print the expected margin of error for several numbers of labels, and draw nothing.", "--plan")
    ] = False,
    column: Annotated[list[str] | None, role_columns(*_ROLES)] = None,
    show: Annotated[list[str] | None, _columns("Show the labeler this column, too. Repeatable.")] = None,
) -> None:
    """Draw a random sample to label by hand, or plan how many labels you need.

    The file has question, references and prediction, and an empty column label: fill in 1 or 0, right or wrong, or
    skip. Rows are in random order, so the first hundred are a random sample, too. Scores are left out so they do not
    influence the labeler.
    """
    with reported_errors("sample"):
        from ..joining.column_roles import parse_columns

        names = parse_columns(column, _ROLES)
        if seed < 0:
            raise ValueError(f"--seed is {seed}; expected 0 or more")
        if plan:
            from ..joining.labels import parse_probabilities, read_scored
            from ..sampling.planning import plan_labels, show_plan

            scores = parse_probabilities(read_scored(source, names), names.score)
            show_plan(plan_labels(scores[scores >= 0], seed=seed))  # rows without a score have NaN
            return
        if target is None:
            raise ValueError("there is no file to write to. Name it with --output, or plan with --plan.")
        if by is not None and stratified:
            raise ValueError(f"--by {by} and --stratified are both given. Leave one of them out.")
        from ..sampling.sheet import write_sample

        count, scored, warnings = write_sample(source, target, names, show or [], rows, stratified, seed, by)
        how = "more of those with uncertain scores, with weights" if stratified else "simple random sample"
        if by is not None:
            how = f"more of those with a large {by}, with weights"
        typer.echo(f"Wrote {count:,} of {pluralize(scored, 'row')} ({how}) to {target}.", err=True)
        warn("sample", warnings)
        typer.echo(
            f"Label them with: evaluate-qa label {quote(target)}\n"
            f"Then, when {quote(source)} has scores, run: evaluate-qa estimate --scored {quote(source)} --labels "
            f"{quote(target)}",
            err=True,
        )
