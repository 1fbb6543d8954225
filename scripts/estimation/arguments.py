"""What commands of this room take: files of systems, the columns in them, the rule of a gate."""

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

_columns, _tests, _out = map(options_of, ("Columns", "Tests", "Output"))

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
    """The columns of scored rows and of labels, each of which `with_options` makes an option of a command."""

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


@dataclass(frozen=True)
class Rule:
    """When a gate fails, each field of which `with_options` makes an option of a command."""

    max_drop: Annotated[float, typer.Option(help="The drop that is allowed; 0.01 is a point of accuracy.")] = 0.0
    by_score: Annotated[bool, _tests("Decide by the mean score, though there are verdicts.", "--by-score")] = False
    max_unscored: Annotated[
        float, _tests("Share of the rows that may lack a score, as of requests that failed; they are left out.")
    ] = 0.05
    confidence: Annotated[float, _tests("Of the bound: how sure it is that a drop is more than noise.")] = 0.95
    resamples: Annotated[int, _tests("Random halves of the rows, from which the bound is.")] = 5000
    seed: Annotated[int, _tests("Of these.")] = 0


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of `Columns` and `Rule` in place of a parameter that is one of them."""
    own = inspect.signature(command)
    fields = {
        name: (taken.annotation, inspect.signature(taken.annotation).parameters)
        for name, taken in own.parameters.items()
        if taken.annotation in (Columns, Rule)
    }
    parameters = [
        parameter
        for name, taken in own.parameters.items()
        for parameter in (fields[name][1].values() if name in fields else [taken])
    ]

    @wraps(command)
    def asked(**given: Any) -> None:
        made = {name: kind(**{field: given.pop(field) for field in names}) for name, (kind, names) in fields.items()}
        command(**made, **given)

    # What typer reads options from.
    asked.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    asked.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return asked
