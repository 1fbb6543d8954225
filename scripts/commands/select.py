"""`evaluate-qa select`: keep the best rows of a scored file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..parameters import Source, Target, role_columns
from ..terminal import new_table, open_console, options_of, reported_errors, warn

if TYPE_CHECKING:
    from ..selection import Criterion, Selection
    from ..uncertainty.arrays import Floats

_rule = options_of("Rule (give one)")


def select(
    source: Source,
    target: Target,
    fraction: Annotated[float | None, _rule("Keep this share of the scored rows, above 0 and up to 1.")] = None,
    top: Annotated[int | None, _rule("Keep this many rows.")] = None,
    threshold: Annotated[float | None, _rule("Keep the rows with at least this score.")] = None,
    per_group: Annotated[
        str | None, typer.Option(help="Select within each value of this column (default: among all rows).")
    ] = None,
    column: Annotated[list[str] | None, role_columns("score")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file if it exists.")] = False,
) -> None:
    """Keep the best rows of a file: a fraction, a number, or all with at least a given score.

    The rows need scores, which `evaluate-qa score` adds. Rows are written unchanged, in the order of the input. If rows
    tie, the first ones are kept. From CSV to another format, cells become numbers or true/false in the score column
    and in columns of `evaluate-qa score` that hold nothing else; others stay text.
    """
    from ..files.rows import file_format, read_rows
    from ..files.values import value_of
    from ..files.writing import check_absent, check_different, check_target, write_rows
    from ..joining.column_roles import parse_columns
    from ..selection import Criterion, numeric_columns, select_rows

    with reported_errors("select"):
        scores = parse_columns(column, ["score"]).score
        criterion = Criterion(fraction, top, threshold)
        check_target(target)
        if source == "-":
            raise ValueError("select reads its input twice. Give a file as --input instead of standard input.")
        check_different({"--input": source, "--output": target})
        if not overwrite:
            check_absent(target, "--output")
        selection = select_rows(Path(source), scores, per_group, criterion)
        rows = (row for number, row in read_rows(source) if number in selection.numbers)
        if file_format(source) == ".csv" != file_format(target):
            numeric = numeric_columns(Path(source), selection.columns, scores)
            rows = (row | {name: value_of(row[name]) for name in numeric} for row in rows)
        write_rows(target, rows, selection.columns)
    _report(criterion, selection)


def _report(criterion: "Criterion", selection: "Selection") -> None:
    """Print numbers of rows and mean scores, in each group and in all, on stderr."""
    import numpy as np
    from rich.markup import escape

    rule = next(f"{name} {value}" for name, value in vars(criterion).items() if value is not None)
    headings = ("rows", "kept", "mean kept", "mean dropped", "lowest kept")
    everything = _cells(*map(np.concatenate, zip(*selection.groups.values(), strict=True)))
    if [*selection.groups] == [""]:
        table = new_table(f"kept: {rule}", headings, names=())
        table.add_row(*everything)
    else:
        table = new_table(f"kept: {rule}", headings, names=("group",))
        for name, (kept, dropped) in selection.groups.items():
            table.add_row(escape(name), *_cells(kept, dropped))
        table.add_row("all", *everything)
    console = open_console(stderr=True)
    console.print(table)
    if selection.unscored:
        console.print(f"Rows without a score were not kept: {selection.unscored:,}.")
    if not selection.numbers:
        best = max(float(dropped.max()) for _, dropped in selection.groups.values())
        warn("select", [f"no score reaches the {rule}; the output has no rows, and the highest score is {best:g}"])


def _cells(kept: "Floats", dropped: "Floats") -> list[str]:
    means = [f"{scores.mean():.4f}" if len(scores) else "–" for scores in (kept, dropped)]
    return [f"{len(kept) + len(dropped):,}", f"{len(kept):,}", *means, f"{kept.min():.4f}" if len(kept) else "–"]
