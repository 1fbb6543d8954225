"""`python -m evaluate_qa.dev.bench`: the speed of metrics, as ratios to baselines measured in the same run."""

from pathlib import Path
from typing import Annotated

import typer

from ..parameters import metric_columns
from ..terminal import open_console, reported_errors

_PROGRAM = "python -m evaluate_qa.dev.bench"

app = typer.Typer(help="Measure speed and memory against baselines in the same run.", no_args_is_help=True)

Input = Annotated[str | None, typer.Option(help="Score the rows of this file (default: the sample).")]
Rows = Annotated[int, typer.Option(min=1, help="Score at most this many rows.")]
Column = Annotated[list[str] | None, metric_columns()]
Device = Annotated[str | None, typer.Option(help="Run on cpu, cuda or mps (default: the fastest available).")]
Rounds = Annotated[int, typer.Option(min=1, help="Run each case this often, and report the median.")]


@app.command()
def all(
    input: Input = None,
    rows: Rows = 138,
    column: Column = None,
    device: Device = None,
    rounds: Rounds = 3,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures, unrounded, to this JSON file.")
    ] = None,
    against: Annotated[Path | None, typer.Option(help="Compare with this --json file of another machine.")] = None,
) -> None:
    """Compare all metrics with loops, raw forward passes and the peak matrix speed of this machine."""
    from .. import __version__
    from ..files.outputs import check_outputs, write_json
    from .benchmarks.every import read_report, run
    from .benchmarks.tables import machine_table

    with reported_errors("all", program=_PROGRAM):
        check_outputs(json_file, None, inputs={"--input": Path(input) if input else None, "--against": against})
        other = read_report(against) if against else None
        report = run(input, column, rows, device, rounds)
        if json_file is not None:
            write_json(json_file, {"evaluate_qa": __version__, "rows": rows, **report.as_json()})
        open_console().print(machine_table(report, other))


@app.command()
def smile(
    input: Input = None, rows: Rows = 800, column: Column = None, device: Device = None, rounds: Rounds = 1
) -> None:
    """Compare SMILE with a row-by-row loop and the encoder's raw forward throughput."""
    from .benchmarks.measure import measure
    from .benchmarks.rows import given_rows
    from .benchmarks.smile import Job, cases
    from .benchmarks.tables import smile_table

    with reported_errors("smile", program=_PROGRAM):
        given = given_rows(input, column, ("predictions", "references"), rows)
        job = Job(given["predictions"], given["references"], {"device": device} if device else {})
        open_console().print(smile_table(measure(cases(job), rounds), len(job.predictions)))


@app.command()
def deltableu(
    input: Annotated[str | None, typer.Option(help="Take texts from this file (default: the sample).")] = None,
    rows: Annotated[int, typer.Option(min=1, help="Make this many rows by shuffling words.")] = 5000,
    references: Annotated[int, typer.Option(min=1, help="Give each row this many references.")] = 8,
    tokenize: Annotated[str, typer.Option(help="Use this tokenizer of sacrebleu.")] = "13a",
    column: Column = None,
    rounds: Rounds = 3,
) -> None:
    """Compare ΔBLEU with sacrebleu's corpus_bleu on the same texts."""
    from evaluate_qa.metrics.deltableu.options import DeltaBleuOptions
    from evaluate_qa.metrics.deltableu.tokens import load_tokenizer

    from .benchmarks.deltableu import cases, lengthened, shuffled
    from .benchmarks.measure import measure
    from .benchmarks.rows import COLUMNS, given_rows
    from .benchmarks.tables import deltableu_table

    with reported_errors("deltableu", program=_PROGRAM):
        load_tokenizer(DeltaBleuOptions(tokenize=tokenize).tokenize)
        # The sample's references are of a word or two; with the question before it each is a sentence.
        given = given_rows(input, column, COLUMNS[:2]) if input else lengthened(given_rows(None, column, COLUMNS))
        job = shuffled(given, rows, references, tokenize)
        open_console().print(deltableu_table(measure(cases(job), rounds), job.references))


@app.command()
def bem(
    input: Input = None, rows: Rows = 2000, column: Column = None, device: Device = None, rounds: Rounds = 1
) -> None:
    """Compare BEM with a row-by-row loop and the classifier's raw forward throughput."""
    _matcher("bem", input, rows, column, device, rounds)


@app.command()
def nli_lex(
    input: Input = None, rows: Rows = 2000, column: Column = None, device: Device = None, rounds: Rounds = 1
) -> None:
    """Compare NLI+lex with a row-by-row loop and the classifier's raw forward throughput."""
    _matcher("nli_lex", input, rows, column, device, rounds)


def _matcher(
    metric: str, source: str | None, rows: int, column: list[str] | None, device: str | None, rounds: int
) -> None:
    from .benchmarks.matchers import Job, cases
    from .benchmarks.measure import measure
    from .benchmarks.rows import COLUMNS, given_rows
    from .benchmarks.tables import smile_table

    with reported_errors(metric.replace("_", "-"), program=_PROGRAM):
        given = given_rows(source, column, COLUMNS, rows)
        load = {"device": device} if device else {}
        job = Job(metric, given["predictions"], given["references"], given["questions"], load)
        open_console().print(smile_table(measure(cases(job), rounds), len(job.predictions)))


@app.command()
def reward(
    metric: Annotated[str, typer.Option(help="Use this metric as the reward.")] = "bem",
    completions: Annotated[int, typer.Option(min=1, help="Score this many completions per step.")] = 64,
    group: Annotated[int, typer.Option(min=1, help="Generate this many completions per question.")] = 8,
    words: Annotated[int, typer.Option(min=1, help="Make completions of this many words (4/3 tokens each).")] = 75,
    device: Annotated[str | None, typer.Option(help="Run on cpu, cuda or mps (default: cpu, as rewards do).")] = None,
    parameters: Annotated[float, typer.Option(min=1, help="Assume a policy with this many parameters.")] = 7e9,
    operations: Annotated[float, typer.Option(min=1, help="Assume this many operations per second.")] = 4e14,
    bandwidth: Annotated[
        float, typer.Option(min=1, help="Assume this memory bandwidth in bytes per second.")
    ] = 3.35e12,
    rounds: Rounds = 5,
) -> None:
    """Compare a metric as TRL's reward with its plain compute, and estimate its share of a step on an H100 at 40%."""
    from .. import sample
    from ..files.rows import read_rows
    from ..loading import load_metric
    from .benchmarks.reward import Step, made_of, measured, reward_table

    with reported_errors("reward", program=_PROGRAM):
        given = made_of([row for _, row in read_rows(sample())], completions, group, words)
        loaded = load_metric(metric, **({"device": device} if device else {}))
        alone, took = measured(loaded, given, rounds)
        tokens = round(words * 4 / 3)  # of the sample's words: 99.7 for 75 of them
        step = Step(parameters, operations, bandwidth, prompt=tokens, completion=tokens)
        open_console().print(reward_table(metric, completions, alone, took, step))


@app.command()
def evqascore(
    video: Annotated[str | None, typer.Option(help="Read this video (default: a generated one).")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Generate a 640x360 video of this many seconds.")] = 60,
    copies: Annotated[int, typer.Option(min=1, help="Read this many copies of the video.")] = 1,
    interval: Annotated[list[int] | None, typer.Option(help="Sample every Nth frame. Repeatable.")] = None,
    model: Annotated[str | None, typer.Option(help="Use this CLIP model (default: a random ViT-B-32).")] = None,
    device: Device = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Decode with this many threads (default: all cores).")
    ] = None,
    rounds: Rounds = 1,
) -> None:
    """Compare EVQAScore's steps with an OpenCV loop with Pillow, and with pure decoding."""
    import tempfile
    from pathlib import Path

    from .benchmarks.evqascore import LOOP, PURE, RANDOM, Job, cases, copied, write_video
    from .benchmarks.measure import measure
    from .benchmarks.tables import evqascore_table

    with reported_errors("evqascore", program=_PROGRAM), tempfile.TemporaryDirectory() as folder:
        if video and not Path(video).is_file():
            raise FileNotFoundError(f"there is no file {video}")
        path = video or str(write_video(Path(folder) / "made.mp4", seconds))
        videos = copied(path, folder, copies) if copies > 1 else (path,)
        job = Job(videos, model=model or RANDOM, device=device, threads=threads)
        measured = measure(cases(job, interval or [1, 10, 30]), rounds)
        open_console().print(evqascore_table(measured, PURE, LOOP, copies))


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
