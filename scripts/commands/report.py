"""`evaluate-qa report`: one page of figures and examples from scored files, for people to mail."""

from pathlib import Path
from typing import Annotated

import typer

from ..estimation.arguments import Columns, Systems, with_options
from ..terminal import options_of, told_errors

_columns, _page = options_of("Columns"), options_of("Page")


@with_options
def report(
    systems: Systems,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page, *.html.")],
    columns: Columns,
    labels: Annotated[
        list[str] | None,
        typer.Option(help="People's verdicts on a random sample of a system's rows; a file for each system, in order."),
    ] = None,
    by: Annotated[list[str] | None, _columns("A table by the values of this column. Repeatable.")] = None,
    title: Annotated[str, _page("Its title.")] = "Evaluation report",
    note: Annotated[
        list[str] | None, _page("A line on how it was made, such as the metric's signature. Repeatable.")
    ] = None,
    rows: Annotated[int, _page("Rows shown under each heading.")] = 10,
) -> None:
    """Write one self-contained page: figures with intervals, charts, slices, the worst and the changed answers.

    It opens without a network, in light and dark, prints, and loads nothing.
    """
    with told_errors("report"):
        from ..estimation.joining import LABELS
        from ..files.writing import check_different, check_place, replacing
        from ..reporting.examples import choose, filled
        from ..reporting.facts import gather
        from ..reporting.page import render

        if output.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"{output}: a report is a page; expected .html")
        check_place(output)
        if "-" in systems:
            raise ValueError("a report reads its rows twice; give a file in place of the standard stream")
        for place, file in enumerate([*systems, *(labels or [])], 1):
            check_different({f"input {place}": file, "--output": output})
        facts = gather(systems, labels or [], columns.names, columns.verdict_column, by or [])
        used = [columns.score_column, columns.verdict_column or "verdict", columns.label or "", *LABELS, *(by or [])]
        page = render(facts, filled(choose(facts, rows), facts, used), title, note or [])
        with replacing(output) as path:
            path.write_text(page, "utf-8", errors="replace")
    typer.echo(f"Written: {output}")
