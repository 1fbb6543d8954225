"""`evaluate-qa install`: make `evaluate.load("smile")` work by name, from any folder."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from . import metric_names, path
from .terminal import told_errors


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
        act = _listed if show else _uninstalled if remove else _installed
        for line in act(names or metric_names()):
            typer.echo(line)


def install_metrics(names: Iterable[str]) -> dict[str, Path]:
    """Install metrics of this package by name, for this user; returns the folder of each.

    Raises:
        ValueError: no metric of that name comes with this package; then none is installed.
        OSError: evaluate's folder of modules cannot be written.
    """
    sources = _sources(names)
    from . import installation

    modules = installation.modules_folder()
    return {source.name: installation.install(source, modules) for source in sources}


def _sources(names: Iterable[str]) -> list[Path]:
    return [Path(path(name)) for name in names]


def _installed(names: Iterable[str]) -> Iterator[str]:
    for name, folder in install_metrics(names).items():
        yield f'{name}: evaluate.load("{name}") takes {folder}'


def _uninstalled(names: Iterable[str]) -> Iterator[str]:
    sources = _sources(names)
    from . import installation

    modules = installation.modules_folder()
    for source in sources:
        yield f"{source.name}: {'removed' if installation.uninstall(source.name, modules) else 'was not installed'}"


def _listed(names: Iterable[str]) -> Iterator[str]:
    sources = _sources(names)
    from . import installation

    modules = installation.modules_folder()
    for source in sources:
        folder = installation.metric_folder(source.name, modules)
        yield f"{source.name:<12} {installation.state(source, modules).value:<14} {folder}"
