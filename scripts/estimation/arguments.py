"""What several commands of this room take: files of systems, and the columns in them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..terminal import options_of

if TYPE_CHECKING:
    from .joining import Names

_columns, _out = options_of("Columns"), options_of("Output")

Systems = Annotated[
    list[str], typer.Argument(help="Scored rows of each system: JSONL, CSV or Parquet. The first is the baseline.")
]
Score = Annotated[str, _columns("Scores.")]
Probability = Annotated[str, _columns("Scores from 0 to 1, best a probability.")]
Verdict = Annotated[
    str | None, _columns("Verdicts of the metric, as true and false. By default verdict, if it is there.")
]
Label = Annotated[str | None, _columns("Labels: 1 or 0, true or false, right or wrong. By default label or correct.")]
Weight = Annotated[
    str | None,
    _columns("One over the probability with which a labelled row was drawn. By default weight, if it is there."),
]
Row = Annotated[
    list[str] | None, _columns("What says which row is which. By default id, or question. Repeatable.", "--id")
]
Answer = Annotated[
    list[str] | None,
    _columns("What says which row is which. By default id, or question and prediction. Repeatable.", "--id"),
]
Cluster = Annotated[str | None, _columns("What rows that belong together share. By default question, if it is there.")]
Json = Annotated[Path | None, _out("File for all figures, unrounded.", "--json")]


@dataclass(frozen=True)
class Columns:
    """The columns of scored rows and of labels, each of which `with_columns` makes an option of a command."""

    score_column: Score = "score"
    verdict_column: Verdict = None
    identity: Row = None
    cluster: Cluster = None
    label: Label = None
    weight: Weight = None

    @property
    def names(self) -> "Names":
        """All but that of verdicts, as rows are joined by them."""
        from .joining import Names

        return Names(self.score_column, self.identity or (), self.label, self.weight, self.cluster)


def with_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of `Columns` in place of its parameter `columns`."""
    options = inspect.signature(Columns).parameters
    own = inspect.signature(command)
    parameters = [
        parameter
        for name, taken in own.parameters.items()
        for parameter in (options.values() if name == "columns" else [taken])
    ]

    @wraps(command)
    def asked(**given: Any) -> None:
        command(columns=Columns(**{name: given.pop(name) for name in options}), **given)

    # What typer reads options from.
    asked.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    asked.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return asked
