"""`evaluate-qa label`: a page on which a person says of answers whether they are right."""

from pathlib import Path
from typing import Annotated

import typer

from ..estimation.arguments import Label
from ..terminal import options_of, told_errors

_people, _page = options_of("Two people"), options_of("Page")


def label(
    file: Annotated[Path, typer.Argument(help="Rows to label, as `evaluate-qa sample` writes them: CSV or JSONL.")],
    second: Annotated[
        Path | None,
        _people("Label as another person, into this file: the same rows, without the labels of the first."),
    ] = None,
    kappa: Annotated[
        Path | None, _people("Tell how far its labels agree with those of this file, by Cohen's kappa; open no page.")
    ] = None,
    column: Label = None,
    show: Annotated[
        list[str] | None,
        _page("Show this column, and no other. By default all, but none beside scores or others' labels. Repeatable."),
    ] = None,
    port: Annotated[int | None, _page("Its port; by default the first free one from 7860 on.")] = None,
    browser: Annotated[bool, _page("Open it in the browser.")] = True,
) -> None:
    """Open a local page to label answers: R right, W wrong, S skip, B back.

    Each label is saved into the file at once, as right, wrong or skip, so that `estimate --labels` reads it; started
    again, it goes on where it ended. Scores are not shown, nor what looks like another person's labels: of
    rows that have any, only question, references and answer are.
    """
    with told_errors("label"):
        from ..files.claiming import claimed
        from ..labeling.sheet import Sheet, copy_without_labels, require_same_rows

        sheet = Sheet(file, column, show or [])
        if kappa is not None:
            from ..labeling.kappa import agreement, told

            typer.echo(told(agreement(sheet, Sheet(kappa, column))))
            return
        if second is not None:
            if not second.exists():
                copy_without_labels(sheet, second)
            own = Sheet(second, sheet.label, show or [])
            require_same_rows(sheet, own)
            sheet = own
        try:
            from ..labeling.page import launch
        except ImportError as error:
            raise ImportError("the page needs gradio: pip install 'evaluate-qa[spaces]'") from error
        if sheet.withheld:
            typer.echo(
                f"not shown: {', '.join(sheet.withheld)}, as scores or labels are among them; see --show", err=True
            )
        with claimed(sheet.path):
            page = launch(sheet, port, browser)
            typer.echo(f"{page.local_url} labels {sheet.path}; Ctrl+C ends it", err=True)
            page.block_thread()
        counts = ", ".join(f"{count:,} {name}" for name, count in sheet.counts().items())
        typer.echo(f"{sheet.path}: {counts}; evaluate-qa estimate --scored … --labels {sheet.path}", err=True)
