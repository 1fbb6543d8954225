"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .terminal import options_of

_metric, _out, _data = map(options_of, ("Metric", "Output", "Data"))

Source = Annotated[
    str, typer.Option("--input", "-i", help="Read rows from this JSONL, CSV or Parquet file; - reads JSONL from stdin.")
]
Target = Annotated[
    str, typer.Option("--output", "-o", help="Write rows to this JSONL, CSV or Parquet file; - writes JSONL to stdout.")
]
METRIC = typer.Option(
    "--metric", "-m", metavar="<str>", help="Use this metric: its name, its folder, or its name on the Hub."
)
Systems = Annotated[
    list[str],
    typer.Argument(help="Scored rows of each system, as JSONL, CSV or Parquet files. The first is the baseline."),
]

Load = Annotated[
    list[str] | None,
    _metric("Set a loading option of the metric, such as --load device=cuda or config=paper. Repeatable."),
]
Compute = Annotated[
    list[str] | None, _metric("Set an option of the metric's compute, such as --compute w=0.3. Repeatable.")
]

DataDir = Annotated[
    Path | None, _data("Read the source files of the data set from this folder (default: download them).")
]

LABELS_HELP = "Read human labels of a random sample of the rows from this file"
Labels = Annotated[
    list[str] | None, typer.Option(help=f"{LABELS_HELP}; give one file per system, in the same order. Repeatable.")
]
Json = Annotated[Path | None, _out("Write all figures, unrounded, to this JSON file.", "--json")]
AllowMixed = Annotated[
    bool,
    options_of("Columns")(
        "Accept scores of different metrics or options, with a warning, and different references of a row.",
        "--allow-mixed",
    ),
]

_ROLES = {
    "score": "score (default: score)",
    "verdict": "verdict (default: verdict, if present)",
    "id": "id (default: id, or else question, with prediction if needed; repeat it for several columns)",
    "label": "label (default: label or correct)",
    "weight": "weight, 1 / probability of being drawn (default: weight, if present)",
    "cluster": "cluster, which groups related rows (default: question, if present)",
    "judge": "judge, the LLM's verdicts (default: judge_verdict or judge)",
}


def metric_columns(*names: str) -> Any:
    """Declare `--column` for a command that passes columns to a metric or a model."""
    of = f" ({', '.join(names)})" if names else ""
    column, name = (names[0], "NAME") if names else ("predictions", "output")
    return _metric(
        f"Read a column{of} under another name: --column {column}={name} reads {column} from the file's column {name} "
        f"(default: its own name, with or without the final s). Repeatable.",
        "--column",
    )


def role_columns(*roles: str) -> Any:
    """Declare `--column` for a command that reads scored or labeled rows."""
    columns = "; ".join(_ROLES[role] for role in roles)
    return options_of("Columns")(
        f"Read a column under another name: --column {roles[0]}=NAME reads it from the file's column NAME. Repeatable. "
        f"Columns: {columns}.",
        "--column",
    )


SYSTEM_ROLES = ("score", "verdict", "id", "cluster", "label", "weight")
"""The columns of commands that read the scored rows of systems, and perhaps labels of them."""

SystemColumns = Annotated[list[str] | None, role_columns(*SYSTEM_ROLES)]
