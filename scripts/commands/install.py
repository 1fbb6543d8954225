"""`evaluate-qa install`: make `evaluate.load("smile")` work by name, from any folder."""

from collections.abc import Iterator
from typing import Annotated

import typer

from .. import metric_names, path
from ..terminal import told_errors


def install(
    names: Annotated[list[str] | None, typer.Argument(help="Metrics; all of this package if none is named.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Say which are installed, up to date, and where.")] = False,
    remove: Annotated[bool, typer.Option("--uninstall", help="Remove them.")] = False,
) -> None:
    """Install metrics where evaluate.load finds them by name, or bring them up to date.

    evaluate asks the Hub for a metric of that name first. Set HF_EVALUATE_OFFLINE=1 to keep it from that.
    """
    with told_errors("install"):
        if show and remove:
            raise ValueError("--list and --uninstall do not go together")
        chosen = names or metric_names()
        for name in chosen:
            path(name)  # raises ValueError for an unknown one
        act = _listed if show else _uninstalled if remove else _installed
        for line in act(chosen):
            typer.echo(line)


def _installed(names: list[str]) -> Iterator[str]:
    from ..installation import install_metrics

    for name, folder in install_metrics(names).items():
        yield f'{name}: evaluate.load("{name}") takes {folder}'


def _uninstalled(names: list[str]) -> Iterator[str]:
    from .. import installation

    modules = installation.modules_folder()
    for name in names:
        yield f"{name}: {'removed' if installation.uninstall(name, modules) else 'was not installed'}"


def _listed(names: list[str]) -> Iterator[str]:
    from .. import installation

    modules = installation.modules_folder()
    for name in names:
        folder = installation.metric_folder(name, modules)
        yield f"{name:<12} {installation.state(name, installation.standalone_files(name), modules).value:<14} {folder}"
