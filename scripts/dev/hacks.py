"""`python -m evaluate_qa.dev.hacks`: the rewards that a metric gives to nonsense answers, best of n templates."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..terminal import open_console, told_errors

if TYPE_CHECKING:
    from rich.table import Table

    from .hacking.study import Found


def hacks(
    metric: Annotated[list[str], typer.Option(help="Test this metric with verdicts: its name or folder. Repeatable.")],
    load: Annotated[
        list[str] | None, typer.Option(help="Set an option at loading: name=value; bem.name=value for bem only.")
    ] = None,
    questions: Annotated[int | None, typer.Option(min=1, help="Use the first N questions (default: all).")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures, unrounded, to this file.")
    ] = None,
) -> None:
    """Try to trick a metric with empty or nonsense answers, by best-of-n over templates.

    The questions come from the package's sample and from the training part of its traps.
    """
    with told_errors("hacks"):
        from ..files.outputs import check_outputs, write_json
        from ..loading import load_metric
        from ..options import parse_options
        from .hacking import templates
        from .hacking.study import study

        check_outputs(json_file, None)
        asked = templates.questions(questions)
        done = {}
        for name in dict.fromkeys(metric):
            found, signature = study(load_metric(name, **parse_options(load or [], name, metric)), asked)
            done[name] = {"signature": signature, "families": [asdict(one) for one in found]}
            if json_file is not None:
                write_json(json_file, {"questions": len(asked), "metrics": done})
            console = open_console()
            console.print(signature, markup=False, highlight=False)
            console.print(table(Path(name).name, found, len(asked)))


def table(name: str, found: "list[Found]", questions: int) -> "Table":
    """Return a row for each family: the best template's score, and how often it and all of them are accepted."""
    from rich.table import Table

    grid = Table(title=f"{name}: {questions} questions")
    for heading in ("", "templates", "best score", "accepted: best", "mean"):
        grid.add_column(heading, justify="right" if heading else "left")
    for one in found:
        grid.add_row(one.family, str(one.templates), f"{one.reward:.3f}", f"{one.accepted:.1%}", f"{one.mean:.1%}")
    return grid
