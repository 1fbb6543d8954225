"""`evaluate-qa report`: write one page of figures and examples from scored files."""

from pathlib import Path
from typing import Annotated

import typer

from ..parameters import SYSTEM_ROLES, AllowMixed, Labels, SystemColumns, Systems
from ..terminal import options_of, reported_errors, warn

_columns = options_of("Columns")
_ROWS = 10


def report(
    systems: Systems,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the page to this .html file, or replace it.")],
    column: SystemColumns = None,
    labels: Labels = None,
    by: Annotated[list[str] | None, _columns("Add a table by the values of this column. Repeatable.")] = None,
    allow_mixed: AllowMixed = False,
) -> None:
    """Write a self-contained page: figures with intervals, charts, slices, lowest scores and changed answers.

    The page works offline, in light and dark mode, and in print. It loads nothing from other sites.
    """
    with reported_errors("report"):
        from ..files.writing import check_outputs, write_file
        from ..joining.column_roles import parse_columns
        from ..joining.labels import LABELS
        from ..joining.signatures import signature_warnings
        from ..reporting.examples import choose_sections
        from ..reporting.facts import gather
        from ..reporting.page import check_page_name, render

        check_page_name(output)
        if "-" in systems:
            raise ValueError("report reads its rows twice. Give a file instead of standard input.")
        inputs = {f"input {place}": file for place, file in enumerate([*systems, *(labels or [])], 1)}
        check_outputs({"--output": output}, inputs)
        columns = parse_columns(column, SYSTEM_ROLES)
        facts = gather(systems, labels or [], columns, by or [], allow_mixed)
        warn("report", signature_warnings(facts.joined.files, columns.score, allow_mixed=allow_mixed))
        used = [columns.score, columns.verdict or "verdict", columns.label or "", *LABELS, *(by or [])]
        page = render(facts, choose_sections(facts, _ROWS, used))
        write_file(output, page.encode(errors="replace"))
    typer.echo(f"Wrote {output}.")
