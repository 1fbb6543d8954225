"""What several commands of this room take: files of systems, and the columns in them."""

from pathlib import Path
from typing import Annotated

import typer

from ..terminal import options_of

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
