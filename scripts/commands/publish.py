"""`evaluate-qa publish`: put metrics with their Spaces, data sets and models on the Hub."""

from pathlib import Path
from typing import Annotated

import typer

from ..terminal import reported_errors


def publish(
    namespace: Annotated[str, typer.Option(help="Publish under this user or organization of the Hub.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Publish these metrics, data sets, models or folders of large matchers, or all of a kind: metrics "
            "(with the board), datasets, models (default: metrics). Models that a metric needs are always added."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Only build and test, in this new folder; upload nothing.")
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Read source files from DIR/evouna, DIR/diver_qa and so on (default: download them)."),
    ] = None,
) -> None:
    """Publish metrics with their Spaces, data sets or models to the Hub: build, test, upload.

    The command uploads only files that differ, so it can be repeated.
    """
    from evaluate_qa.metrics._shared.probes import is_installed

    from ..publishing import steps
    from ..publishing.sources import choose_repositories

    with reported_errors("publish"), steps.explain_errors():
        chosen = choose_repositories(names or ["metrics"])
        if {kind for kind, _ in chosen} != {"model"} and not is_installed("evaluate"):
            raise ValueError(
                "Metrics and data sets are tested before they are published, which needs evaluate. Install it with: "
                "pip install 'evaluate-qa[evaluate]'"
            )
        done = steps.publish(chosen, namespace, output, data_dir)
    raise typer.Exit(0 if done else 1)
