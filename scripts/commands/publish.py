"""`evaluate-qa publish`: put metrics with their Spaces, data sets and models on the Hub."""

import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..terminal import reported_errors

if TYPE_CHECKING:
    from ..publishing.repository import Kind

METRICS = "metrics"


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
    from evaluate_qa.metrics._shared.arguments import is_installed

    from ..publishing.steps import explain_errors

    with reported_errors("publish"), explain_errors():
        chosen = selection(names or [METRICS])
        if {kind for kind, _ in chosen} != {"model"} and not is_installed("evaluate"):
            raise ValueError(
                "Metrics and data sets are tested before they are published, which needs evaluate. Install it with: "
                "pip install 'evaluate-qa[evaluate]'"
            )
        done = _publish(chosen, namespace, output, data_dir)
    raise typer.Exit(0 if done else 1)


def selection(names: Sequence[str]) -> "list[tuple[Kind, str]]":
    """Return kind and name of everything to publish: models first, because metrics need them.

    The name of a large matcher is the path of its folder.
    """
    from ..publishing.repository import KINDS
    from ..publishing.sources import large_matcher, needed_metrics, needed_models, pages
    from ..publishing.sources import names as names_of

    chosen: set[tuple[Kind, str]] = set()
    groups: dict[str, Kind] = {METRICS: "space", "datasets": "dataset", "models": "model"}
    for name in names:
        if name in groups:
            chosen |= {(groups[name], member) for member in names_of(groups[name])}
        else:
            chosen |= {(kind, name) for kind in KINDS if name in names_of(kind)} or {("model", large_matcher(name))}
    metrics = {name for kind, name in chosen if kind == "space"} - {*pages()}
    metrics |= {other for name in metrics for other in needed_metrics(name)}
    chosen |= {("space", name) for name in metrics}
    chosen |= {("model", model) for name in metrics for model in needed_models(name)}
    return sorted(chosen, key=lambda one: (KINDS.index(one[0]), one[1]))


def _publish(chosen: "list[tuple[Kind, str]]", namespace: str, output: Path | None, data_dir: Path | None) -> bool:
    """Build, test and upload; return True if there was no problem."""
    from huggingface_hub import HfApi

    from .. import __version__
    from ..publishing import steps
    from ..publishing.repository import Repository

    api = HfApi(library_name="evaluate-qa", library_version=__version__)
    with _root(output) as root:
        repositories = [
            Repository(kind, namespace, Path(name).name, Path(root), Path(name) if Path(name).is_absolute() else None)
            for kind, name in chosen
        ]
        if not output:
            steps.check_account(api, namespace)
        if not steps.prepare(repositories, data_dir):
            typer.echo("evaluate-qa publish: nothing was uploaded. Fix the problems listed above.", err=True)
            return False
        return bool(output) or steps.upload(api, repositories)


def _root(output: Path | None) -> AbstractContextManager[str]:
    """Return the folder to build in."""
    if output is None:
        return tempfile.TemporaryDirectory(prefix="evaluate-qa-publish-")
    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise FileExistsError(f"{output} already exists and is not empty. Name a new or empty folder.")
    return nullcontext(str(output.resolve()))
