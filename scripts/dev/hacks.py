"""`python -m evaluate_qa.dev.hacks`: the scores a metric gives to nonsense answers, by best-of-n over templates."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..parameters import Json, Load
from ..terminal import open_console, reported_errors

if TYPE_CHECKING:
    from rich.table import Table

    from .hacking.study import Exploit


_PROGRAM = "python -m evaluate_qa.dev.hacks"

app = typer.Typer()


@app.command()
def hacks(
    metric: Annotated[
        list[str], typer.Option("--metric", "-m", help="Test this metric with verdicts (name or folder). Repeatable.")
    ],
    load: Load = None,
    questions: Annotated[int | None, typer.Option(min=1, help="Use the first N questions (default: all).")] = None,
    json_file: Json = None,
) -> None:
    """Try to trick a metric with empty or nonsense answers.

    Each family of templates is filled in for the questions of the sample and of the traps' training part, and its best
    template is chosen, as an optimizer would.
    """
    with reported_errors("", program=_PROGRAM):
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


def table(name: str, found: "list[Exploit]", questions: int) -> "Table":
    """Return a row for each family: the best template's score, and how often it and all of them are accepted."""
    from rich.table import Table

    grid = Table(title=f"{name}: {questions} questions")
    for heading in ("", "templates", "best score", "accepted: best", "mean"):
        grid.add_column(heading, justify="right" if heading else "left")
    for one in found:
        grid.add_row(one.family, str(one.templates), f"{one.reward:.3f}", f"{one.accepted:.1%}", f"{one.mean:.1%}")
    return grid


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
