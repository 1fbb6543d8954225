"""`evaluate-qa label`: label answers as right or wrong in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from evaluate_qa.metrics._shared.messages import pluralize

from ..parameters import role_columns
from ..terminal import options_of, reported_errors

_page = options_of("Page")


def label(
    file: Annotated[
        Path, typer.Argument(help="Label the rows of this CSV or JSONL file, as `evaluate-qa sample` writes it.")
    ],
    kappa: Annotated[
        Path | None,
        typer.Option(help="Print the agreement with a second person's labels in this file, and open no page."),
    ] = None,
    column: Annotated[list[str] | None, role_columns("label")] = None,
    show: Annotated[
        list[str] | None,
        _page("Also show this column (default: all columns, or none if one looks like scores or labels). Repeatable."),
    ] = None,
) -> None:
    """Label answers on a page in your browser: R right, W wrong, S skip, B back.

    Each label is saved to the file immediately, as right, wrong or skip, for `evaluate-qa estimate`. Run the command
    again to continue. To avoid bias, scores and other people's labels are hidden. For a second person, draw the same
    rows into another file: `evaluate-qa sample` with the same seed. --kappa then prints Cohen's kappa.

    The page has the first free port from 7860, or the port in the variable GRADIO_SERVER_PORT.
    """
    with reported_errors("label"):
        from ..joining.column_roles import parse_columns
        from ..labeling.sheet import Sheet, agreement

        named = parse_columns(column, ["label"]).label
        sheet = Sheet(file, named, show or [])
        if kappa is not None:
            both, alike, found = agreement(sheet, Sheet(kappa, named))
            typer.echo(
                f"The labels agree on {alike:,} of {pluralize(both, 'row')} that both labeled ({alike / both:.1%}). "
                "Cohen's kappa: "
                + ("not defined, because all labels are the same" if found is None else f"{found:.3f}")
            )
            return
        typer.echo("Loading the labeling page. This can take a minute on a busy machine…", err=True)
        from ..labeling.page import launch

        if sheet.hidden:
            typer.echo(
                f"Hidden columns: {', '.join(sheet.hidden)}. They may hold scores or labels; --show shows a column.",
                err=True,
            )
        page = launch(sheet)
        typer.echo(f"Label {sheet.path} at {page.local_url}. Press Ctrl+C to end.", err=True)
        page.block_thread()
        counts = ", ".join(f"{count:,} {name}" for name, count in sheet.counts().items())
        typer.echo(f"{sheet.path}: {counts}. Next: evaluate-qa estimate --scored FILE --labels {sheet.path}", err=True)
