"""`evaluate-qa install`: install metrics for `evaluate.load("smile")` in any folder."""

from typing import Annotated

import typer

from .. import metric_names, path
from ..terminal import reported_errors


def install(
    names: Annotated[list[str] | None, typer.Argument(help="Install or remove these metrics (default: all).")] = None,
    remove: Annotated[bool, typer.Option("--uninstall", help="Remove the metrics.")] = False,
) -> None:
    """Install metrics for evaluate.load by name, or update them.

    `evaluate` first looks for a metric of that name on the Hub. Set HF_EVALUATE_OFFLINE=1 to skip the lookup.
    """
    with reported_errors("install"):
        chosen = names or metric_names()
        for name in chosen:
            path(name)  # raises ValueError for an unknown metric
        from ..publishing.install import install_metrics, modules_folder, uninstall

        if not remove:
            for name in install_metrics(chosen):
                typer.echo(f'{name} is installed. Use evaluate.load("{name}").')
            return
        for name in chosen:
            typer.echo(f"{name} {'was removed' if uninstall(name, modules_folder()) else 'was not installed'}.")
