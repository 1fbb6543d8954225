"""`evaluate-qa select`: keep the best rows of a file by their scores, such as the data to train on."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..scoring import parameters
from ..terminal import open_console, options_of, told_errors

if TYPE_CHECKING:
    from ..scoring.work import Progress
    from ..selection.criterion import Criterion
    from ..selection.passes import Selection

_what = options_of("What is kept (one of three)")


def select(
    source: parameters.Source,
    target: parameters.Target,
    metric: Annotated[str | None, parameters.METRIC] = None,
    score_column: Annotated[
        str | None, typer.Option(help="Column of the input that has the scores already, instead of --metric.")
    ] = None,
    fraction: Annotated[float | None, _what("Share of the scored rows.")] = None,
    top: Annotated[int | None, _what("Number of rows.")] = None,
    threshold: Annotated[float | None, _what("Lowest score.")] = None,
    per_group: Annotated[
        str | None, typer.Option(help="Column; the rows of each of its values are selected by themselves.")
    ] = None,
    config: parameters.Config = None,
    load: parameters.Load = None,
    compute: parameters.Compute = None,
    column: parameters.Column = None,
    prefix: parameters.Prefix = "",
    scored: Annotated[
        Path | None, parameters.run("All scored rows. Default: beside the output, as kept.scored.jsonl.")
    ] = None,
    errors: parameters.Errors = None,
    chunk_size: parameters.ChunkSize = 1000,
    resume: parameters.Resume = False,
) -> None:
    """Keep the best rows of a file, in their order: the best fraction, so many, or those from a score on.

    All rows are scored first, into a file beside the output; --resume continues a run that was stopped. To select from
    it once more, without scoring: --input kept.scored.jsonl --score-column score.
    """
    from ..files.rows import LISTS, RowsError
    from ..files.writing import check_different, check_target
    from ..scoring.columns import Columns
    from ..scoring.run import run
    from ..selection.criterion import Criterion
    from ..selection.grouping import require_group
    from ..selection.passes import decide, write_kept

    with told_errors("select", "stopped; continue with --resume"):
        criterion = Criterion(fraction, top, threshold)
        check_target(target)
        if metric is None:
            file, progress = _already_scored(source, score_column), None
            check_different({"--input": source, "--output": target})
        else:
            file = _scored_file(target, scored, score_column, f"{prefix}score")
            check_different({"--input": source, "--output": target, "--scored": file, "--errors": errors})
            made = str(file)
            job = parameters.typed_job(
                metric, source, made, config, load, compute, column, prefix, errors, chunk_size, resume
            )
            if per_group is not None:
                require_group(source, per_group, metric, prefix)
            progress = run(job)
        scores = score_column or f"{prefix}score"
        try:
            selection = decide(file, scores, per_group, criterion)
        except RowsError as error:
            if metric is None:
                raise
            raise RowsError(f"{error}\n{_going_on(file, target, scores, per_group, criterion)}") from None
        write_kept(file, target, selection, LISTS if metric is None else {*LISTS, *Columns(job.columns).lists()})
    report(criterion, selection, progress, None if metric is None else file)


def _already_scored(source: str, score_column: str | None) -> Path:
    if score_column is None:
        raise ValueError("give --metric, or --score-column if the rows have scores")
    if source == "-":
        raise ValueError("--score-column needs an --input that is a file, as it is read twice")
    return Path(source)


def _scored_file(target: str, scored: Path | None, score_column: str | None, made: str) -> Path:
    if score_column is not None:
        raise ValueError("--metric makes the scores and --score-column says that they are there; give one of them")
    if scored is not None:
        return scored
    if target == "-":
        raise ValueError("--output - has no place beside it for all scored rows; name one: --scored scored.jsonl")
    path = Path(target)
    file = path.with_name(f"{path.stem}.scored{path.suffix}")
    if file.exists() and not _has(file, made):  # nobody named it, so it may be anything
        raise ValueError(f"{file} is there and not of an earlier run; name a place for all scored rows: --scored FILE")
    return file


def _going_on(file: Path, target: str, scores: str, per_group: str | None, criterion: "Criterion") -> str:
    """Return what to say to one whose rows are all scored, but not selected: the command for the rest of the work."""
    groups = [] if per_group is None else ["--per-group", per_group]
    options = ["--input", str(file), "--output", target, "--score-column", scores, *groups]
    command = shlex.join(["evaluate-qa", "select", *options, *f"--{_rule(criterion)}".split()])
    return f"All rows are scored already; with the right columns this goes on from them: {command}"


def _rule(criterion: "Criterion") -> str:
    return next(f"{name} {value}" for name, value in vars(criterion).items() if value is not None)


def _has(file: Path, column: str) -> bool:
    from ..files.rows import RowsError, read_rows

    try:
        return column in next((row for _, row in read_rows(file, lists=())), {})
    except RowsError:
        return False


def report(criterion: "Criterion", selection: "Selection", progress: "Progress | None", scored: Path | None) -> None:
    """Print what was kept: rows and mean scores, of all and of each group, on the standard error."""
    from rich.table import Table

    table = Table(title=f"kept: {_rule(criterion)}", title_justify="left")
    grouped = len(selection.groups) > 1 or bool(selection.groups[0].name)
    for heading in ("group", "rows", "kept", "mean kept", "mean dropped", "lowest kept")[not grouped :]:
        table.add_column(heading, justify="left" if heading == "group" else "right")
    for group in selection.groups if grouped else []:
        table.add_row(group.name, *_figures(group.kept, group.dropped))
    kept = [score for group in selection.groups for score in group.kept]
    dropped = [score for group in selection.groups for score in group.dropped]
    table.add_row(*["all"] * grouped, *_figures(kept, dropped))
    console = open_console(stderr=True)
    console.print(table)
    if selection.unscored:
        console.print(f"rows without a score, not kept: {selection.unscored:,}")
    if progress and progress.bad:
        console.print(f"rows that could not be scored and were set aside: {progress.bad:,}")
    for signature in progress.signatures if progress else ():
        console.print(f"signature: {signature}", markup=False, soft_wrap=True)
    if scored:
        console.print(f"all scored rows: {scored}", markup=False, soft_wrap=True)


def _figures(kept: list[float], dropped: list[float]) -> list[str]:
    means = [f"{sum(scores) / len(scores):.4f}" if scores else "–" for scores in (kept, dropped)]
    return [f"{len(kept) + len(dropped):,}", f"{len(kept):,}", *means, f"{min(kept):.4f}" if kept else "–"]
