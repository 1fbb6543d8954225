"""`python -m evaluate_qa.dev.bench`: the speed of metrics, as ratios to a baseline measured in the same run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..terminal import new_table, open_console, reported_errors

if TYPE_CHECKING:
    from rich.table import Table

    from .benchmarks.measure import Measurement

_PROGRAM = "python -m evaluate_qa.dev.bench"
_MEGABYTE = 1e6
# ΔBLEU is so fast that it gets more rows, with more references.
_TIMES, _REFERENCES = 36, 8
_METRICS = ("smile", "bem", "nli_lex", "deltableu")
NAMES, FIGURES = ("metric", "case"), ("seconds", "rows/s", "× baseline", "MB", "largest change")

app = typer.Typer()


@app.command()
def bench(
    metric: Annotated[
        Literal["all", "smile", "bem", "nli_lex", "deltableu"],
        typer.Argument(help="Measure this metric, or all of them."),
    ] = "all",
    rows: Annotated[int, typer.Option(min=1, help="Score the first N rows of the sample.")] = 138,
    device: Annotated[
        str | None, typer.Option(help="Run on cpu, cuda or mps (default: the fastest available).")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Run each case N times, and report the median.")] = 3,
    tokenize: Annotated[str, typer.Option(help="deltableu: use this tokenizer of sacrebleu.")] = "13a",
) -> None:
    """Measure speed and memory of each engine and precision against a plain baseline."""
    with reported_errors("", program=_PROGRAM):
        from .benchmarks import text
        from .benchmarks.measure import measure

        columns, grid = text.sample_columns(rows), new_table(_machine(device), FIGURES, NAMES)
        for name in _METRICS if metric == "all" else (metric,):
            if name == "deltableu":
                made = text.shuffled(text.with_questions(columns), _TIMES * rows, _REFERENCES)
                add(grid, name, _TIMES * rows, measure(text.deltableu_cases(made, tokenize), rounds))
            else:
                add(grid, name, rows, measure(text.cases(name, columns, device), rounds))
        open_console().print(grid)


def add(grid: "Table", metric: str, rows: int, measured: Mapping[str, "Measurement"]) -> None:
    """Add a row for each case of a metric; the change is the largest difference of a score from the default's."""
    baseline, default = next(iter(measured.values())), measured["default"]
    for name, case in measured.items():
        changes = [abs(score - other) for score, other in zip(case.result, default.result, strict=True)]
        grid.add_row(
            metric,
            name,
            f"{case.seconds:.3f}",
            f"{rows / case.seconds:,.1f}",
            f"{baseline.seconds / case.seconds:.2f}",
            f"{case.peak_bytes / _MEGABYTE:,.0f}",
            "" if case is baseline else f"{max(changes):.1e}",
        )


def _machine(device: str | None) -> str:
    """Return the device, the threads and the version of torch."""
    import torch

    from evaluate_qa.metrics._shared.devices import best_device

    return f"{device or best_device()}, threads: {torch.get_num_threads()}, torch {torch.__version__}"


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
