"""`evaluate-qa bench`: how fast a metric is, as ratios to baselines measured in the same run."""

from itertools import islice
from typing import Annotated

import typer

from .terminal import open_console

bench = typer.Typer(help="Measure speed and memory against baselines in the same run.", no_args_is_help=True)

Input = Annotated[str | None, typer.Option(help="Rows to score; by default the sample data.")]
Rows = Annotated[int, typer.Option(min=1, help="At most this many rows.")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, mps; by default the best there is.")]
Rounds = Annotated[int, typer.Option(min=1, help="How often each case runs; the median counts.")]


@bench.command()
def smile(
    input: Input = None,
    rows: Rows = 800,
    predictions_column: str = "prediction",
    references_column: str = "references",
    device: Device = None,
    rounds: Rounds = 1,
) -> None:
    """SMILE against a row-by-row loop and the encoder's raw forward throughput."""
    from importlib.util import find_spec

    from . import sample
    from .benchmarks.measure import measure
    from .benchmarks.smile import Job, cases
    from .benchmarks.tables import smile_table
    from .files.rows import read_rows

    taken = [row for _, row in islice(read_rows(input or str(sample())), rows)]
    load = {"device": device} if device else {}
    job = Job([row[predictions_column] for row in taken], [row[references_column] for row in taken], load)
    onnx = device in {None, "cpu"} and find_spec("onnxruntime") is not None
    open_console().print(smile_table(measure(cases(job, onnx), rounds), len(taken)))


@bench.command()
def deltableu(
    input: Annotated[str | None, typer.Option(help="Rows to take texts from; by default the sample data.")] = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows to make of them, by shuffling words.")] = 5000,
    references: Annotated[int, typer.Option(min=1, help="References of each row.")] = 8,
    tokenize: Annotated[str, typer.Option(help="sacrebleu's name of the tokenizer.")] = "13a",
    predictions_column: str = "prediction",
    references_column: str = "references",
    rounds: Rounds = 3,
) -> None:
    """ΔBLEU against sacrebleu's corpus_bleu on the same texts."""
    from . import sample
    from .benchmarks.deltableu import cases, lengthened, shuffled
    from .benchmarks.measure import measure
    from .benchmarks.tables import deltableu_table
    from .files.rows import read_rows, require_columns
    from .metrics.deltableu.options import Options
    from .metrics.deltableu.tokens import load_tokenizer

    try:
        load_tokenizer(Options(tokenize=tokenize).tokenize)
        given = [row for _, row in read_rows(input or sample())]
        require_columns(input or "the sample", given[0] if given else (), (predictions_column, references_column))
    except (ImportError, OSError, ValueError) as error:
        typer.echo(f"evaluate-qa bench deltableu: {error}", err=True)
        raise typer.Exit(1) from error
    texts = [{"prediction": row[predictions_column], "references": row[references_column]} for row in given]
    job = shuffled(texts if input else [lengthened(row) for row in given], rows, references, tokenize)
    open_console().print(deltableu_table(measure(cases(job), rounds), job.references))


@bench.command()
def bem(
    input: Input = None,
    rows: Rows = 2000,
    predictions_column: str = "prediction",
    references_column: str = "references",
    questions_column: str = "question",
    device: Device = None,
    rounds: Rounds = 1,
) -> None:
    """BEM against a row-by-row loop and the classifier's raw forward throughput."""
    _matcher("bem", input, rows, (predictions_column, references_column, questions_column), device, rounds)


@bench.command()
def nli_lex(
    input: Input = None,
    rows: Rows = 2000,
    predictions_column: str = "prediction",
    references_column: str = "references",
    questions_column: str = "question",
    device: Device = None,
    rounds: Rounds = 1,
) -> None:
    """NLI+lex against a row-by-row loop and the classifier's raw forward throughput."""
    _matcher("nli_lex", input, rows, (predictions_column, references_column, questions_column), device, rounds)


def _matcher(
    metric: str, source: str | None, rows: int, names: tuple[str, str, str], device: str | None, rounds: int
) -> None:
    from importlib.util import find_spec

    from . import sample
    from .benchmarks.matchers import Job, cases
    from .benchmarks.measure import measure
    from .benchmarks.tables import smile_table
    from .files.rows import read_rows, require_columns

    try:
        taken = [row for _, row in islice(read_rows(source or str(sample())), rows)]
        require_columns(source or "the sample", taken[0] if taken else (), names)
    except (OSError, ValueError) as error:
        typer.echo(f"evaluate-qa bench {metric}: {error}", err=True)
        raise typer.Exit(1) from error
    predictions, references, questions = ([row[name] for row in taken] for name in names)
    listed = [[row] if isinstance(row, str) else list(row) for row in references]
    job = Job(metric, predictions, listed, questions, {"device": device} if device else {})
    onnx = device in {None, "cpu"} and find_spec("onnxruntime") is not None
    open_console().print(smile_table(measure(cases(job, onnx), rounds), len(taken)))


@bench.command()
def evqascore(
    video: Annotated[str | None, typer.Option(help="A video file; by default one is made.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of the video that is made, 640x360.")] = 60,
    interval: Annotated[list[int] | None, typer.Option(help="Distance of sampled frames. Repeatable.")] = None,
    model: Annotated[str | None, typer.Option(help="A CLIP model; by default a random ViT-B-32.")] = None,
    device: Device = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that decode; by default all cores.")] = None,
    rounds: Rounds = 1,
) -> None:
    """EVQAScore's steps for one video against an OpenCV loop with Pillow and against pure decoding."""
    import tempfile
    from pathlib import Path

    from .benchmarks.evqascore import LOOP, PURE, RANDOM, Job, cases, write_video
    from .benchmarks.measure import measure
    from .benchmarks.tables import evqascore_table

    if video and not Path(video).is_file():
        typer.echo(f"evaluate-qa bench evqascore: there is no file {video}", err=True)
        raise typer.Exit(1)
    with tempfile.TemporaryDirectory() as folder:
        path = video or str(write_video(Path(folder) / "made.mp4", seconds))
        job = Job(path, model=model or RANDOM, device=device, threads=threads)
        measured = measure(cases(job, interval or [1, 10, 30]), rounds)
    open_console().print(evqascore_table(measured, PURE, LOOP))
