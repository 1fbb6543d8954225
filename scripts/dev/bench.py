"""`python -m evaluate_qa.dev.bench`: the speed of metrics, as ratios to a baseline measured in the same run."""

import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..parameters import Json
from ..terminal import open_console, reported_errors

if TYPE_CHECKING:
    from rich.table import Table

    from .benchmarks.measure import Cases, Measurement

_PROGRAM = "python -m evaluate_qa.dev.bench"
_MEGABYTE = 1e6
# ΔBLEU is so fast that it gets more rows, with more references.
_TIMES, _REFERENCES = 36, 8

app = typer.Typer()


@app.command()
def bench(
    metric: Annotated[
        Literal["all", "smile", "bem", "nli_lex", "deltableu", "evqascore"],
        typer.Argument(help="Measure this metric, or all of them."),
    ] = "all",
    rows: Annotated[int, typer.Option(min=1, help="Score the first N rows of the sample.")] = 138,
    device: Annotated[
        str | None, typer.Option(help="Run on cpu, cuda or mps (default: the fastest available).")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Run each case N times, and report the median.")] = 3,
    tokenize: Annotated[str, typer.Option(help="deltableu: use this tokenizer of sacrebleu.")] = "13a",
    interval: Annotated[int, typer.Option(min=1, help="evqascore: sample every Nth frame.")] = 30,
    seconds: Annotated[float, typer.Option(min=0.1, help="evqascore: generate a video of N seconds.")] = 60,
    json_file: Json = None,
) -> None:
    """Measure speed and memory of each engine and precision against a plain baseline."""
    with reported_errors("", program=_PROGRAM), _video(metric, seconds) as video:
        from ..files.writing import check_outputs, write_json
        from .benchmarks import evqascore, text
        from .benchmarks.measure import measure

        check_outputs({"--json": json_file}, {})
        columns = text.sample_columns(rows)
        listed: dict[str, tuple[int, Cases]] = {
            name: (rows, text.cases(name, columns, device))
            for name in ("smile", "bem", "nli_lex")
            if metric in ("all", name)
        }
        if metric in ("all", "deltableu"):
            made = text.shuffled(text.with_questions(columns), _TIMES * rows, _REFERENCES)
            listed["deltableu"] = _TIMES * rows, text.deltableu_cases(made, tokenize)
        if video:
            listed["evqascore"] = 1, evqascore.cases(evqascore.Job(video, interval, device=device))
        figures: list[dict[str, Any]] = []
        for name, (count, cases) in listed.items():
            figures += ratios(name, count, measure(cases, rounds))
            if json_file is not None:
                write_json(json_file, {"machine": _machine(device), "figures": figures})
        open_console().print(table(_machine(device), figures))


@contextmanager
def _video(metric: str, seconds: float) -> Iterator[str]:
    """Yield a video to read; "" if evqascore is not measured, or `all` is and a package is missing."""
    packages = all(find_spec(package) for package in ("av", "open_clip"))
    if metric != "evqascore" and not (metric == "all" and packages):
        yield ""
        return
    from .benchmarks.evqascore import write_video

    with TemporaryDirectory() as folder:
        yield str(write_video(Path(folder) / "made.mp4", seconds))


def ratios(metric: str, rows: int, measured: "Mapping[str, Measurement]") -> list[dict[str, Any]]:
    """Return the figures of each case; `change` is the largest difference of a score from the default's."""
    baseline, default = next(iter(measured.values())), measured["default"]
    return [
        {
            "metric": metric,
            "case": name,
            "seconds": case.seconds,
            "rows_per_second": rows / case.seconds,
            "to_baseline": baseline.seconds / case.seconds,
            "peak_bytes": case.peak_bytes,
            "change": None
            if case is baseline or not isinstance(case.result, list)
            else max(abs(score - other) for score, other in zip(case.result, default.result, strict=True)),
        }
        for name, case in measured.items()
    ]


def table(title: str, figures: list[dict[str, Any]]) -> "Table":
    """Return a row for each metric and case."""
    from rich.table import Table

    grid = Table(title=title, title_justify="left")
    for heading in ("metric", "case", "seconds", "rows/s", "× baseline", "MB", "largest change"):
        grid.add_column(heading, justify="left" if heading in ("metric", "case") else "right")
    for case in figures:
        grid.add_row(
            case["metric"],
            case["case"],
            f"{case['seconds']:.3f}",
            f"{case['rows_per_second']:,.1f}",
            f"{case['to_baseline']:.2f}",
            f"{case['peak_bytes'] / _MEGABYTE:,.0f}",
            "" if case["change"] is None else f"{case['change']:.1e}",
        )
    return grid


def _machine(device: str | None) -> str:
    """Return the processor, the device, the threads and the version of torch."""
    import torch

    from evaluate_qa.metrics._shared.devices import best_device

    device = device or best_device()
    return f"{processor(device)}, {device}, threads: {torch.get_num_threads()}, torch {torch.__version__}"


def processor(device: str = "cpu") -> str:
    """Return the name of the CPU or GPU behind a device of torch."""
    if device.startswith("cuda"):
        import torch

        return str(torch.cuda.get_device_name(device))
    with suppress(OSError):
        if named := re.search(
            r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE
        ):
            return named[1]
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
