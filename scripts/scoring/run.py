"""The run behind `evaluate-qa score`: read chunks, score them, put them away, so that it can be stopped at any time."""

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from evaluate_qa.metrics._shared.progress import progress

from ..files.bad_rows import check_bad_rows
from ..files.claiming import CACHE, claimed, claimed_too
from ..files.rows import STANDARD, Record, RowsError, file_format, read_records
from ..files.writing import check_different, check_target, work_place
from ..loading import keep_few_shapes, load_metric
from .blocks import Block, Blocks
from .columns import MetricColumns, reads_videos
from .row_scorer import FileRowScorer
from .work import Output, Progress, StandardOutput, digest


@dataclass(frozen=True)
class ScoringJob:
    """What is to be scored, how, and where the scores go.

    Args:
        metric: One of this package's metrics, or whatever `evaluate.load` takes.
        source: File of rows, or `-`.
        target: File of scored rows, or `-`.
        config: Configuration of the metric.
        load: Keywords of `evaluate.load`.
        compute: Keywords of the metric's `compute`.
        columns: Column of the metric → column of the input.
        prefix: Put before the names of the columns that are added.
        errors: File for rows that cannot be scored; None stops at the first.
        chunk_size: Rows that are scored together, and that a kill can cost.
        resume: Go on with the work of a stopped run.

    Raises:
        ValueError: options that are wrong or do not go together.
    """

    metric: str
    source: str
    target: str
    config: str | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    errors: Path | None = None
    chunk_size: int = 1000
    resume: bool = False

    def __post_init__(self) -> None:
        check_target(self.target)
        if self.chunk_size < 1:
            raise ValueError(f"--chunk-size is {self.chunk_size}; expected at least 1")
        if self.resume and self.target == STANDARD:
            raise ValueError(
                "--resume needs an --output that is a file. Rows on the standard output cannot be resumed."
            )
        check_different({"--input": self.source, "--output": self.target, "--errors": self.errors})
        if self.errors is not None:
            if self.errors.suffix != ".jsonl":
                raise ValueError(
                    f"--errors is {self.errors}. Bad rows are written as JSONL. Name a file such as bad.jsonl."
                )
            check_bad_rows(self.errors)
            if work_place(Path(self.target)).resolve() in self.errors.resolve().parents:
                raise ValueError(
                    f"--errors {self.errors} is in the folder for unfinished work. Name a file outside of it."
                )

    def records(self) -> Iterator[Record]:
        """Read the input."""
        return read_records(self.source, self._columns.lists())

    def scorer(self) -> FileRowScorer:
        """Load the metric. A metric of this package loads its model later, when it scores the first rows."""
        keep_few_shapes()
        load = partial(load_metric, self.metric, self.config, **self.load)
        metric = load()
        if reads_videos(metric) and self.target != STANDARD and "cache_dir" not in self.load:
            # Rows of one video need not stand together: what was seen of it is kept until the end of the run.
            metric = load(cache_dir=str(work_place(Path(self.target)) / CACHE))
        return FileRowScorer(metric, self.source, self._columns, self.compute, self.prefix, self.errors is not None)

    def blocks(self, folder: Path, engine: Mapping[str, str], code: str) -> Blocks:
        """Return what an earlier run has finished, if it depends on the same besides the input.

        Args:
            folder: That of `claimed`.
            engine: What scores the rows.
            code: What identifies the metric's program.
        """
        named = {"metric": self.metric, "config": self.config, "prefix": self.prefix, "code": code}
        options = {"load": self.load, "compute": self.compute, "columns": self.columns}
        settings = {
            **engine,
            **{name: repr(value) for name, value in named.items()},
            **{name: str(dict(sorted(values.items()))) for name, values in options.items()},
        }
        return Blocks(folder, Path(self.target), self.errors, settings, self.resume)

    @property
    def _columns(self) -> MetricColumns:
        folder = Path() if self.source == STANDARD else Path(self.source).parent
        return MetricColumns(self.columns, file_format(self.source) == ".csv", folder)


def run(job: ScoringJob) -> Progress:
    """Score all rows; what was scored stays when it is stopped, whatever stops it.

    Returns:
        What became of the rows.

    Raises:
        ValueError: input, options or earlier work that cannot be used; the message says how to mend it.
    """
    records, standard = job.records(), sys.stdout.buffer
    # What a metric or a library prints must not come between the rows.
    with redirect_stdout(sys.stderr), claimed_too(job.errors):
        if job.target == STANDARD:
            return _run(job, job.scorer(), records, StandardOutput(standard, job.errors), [])
        with claimed(Path(job.target)) as folder:
            scorer = job.scorer()
            blocks = job.blocks(folder, {"engine": "local"}, scorer.code)
            return _run(job, scorer, records, blocks, blocks.unbroken())


def _run(
    job: ScoringJob, scorer: FileRowScorer, records: Iterator[Record], output: Output, earlier: Sequence[Block]
) -> Progress:
    total = checked(job, scorer, output.progress.records)
    _skip(job, records, earlier)
    _score(job, scorer, records, output, total)
    output.finish()
    require_scores(job, output.progress)
    return output.progress


def require_scores(job: ScoringJob, reached: Progress) -> None:
    """Raise RowsError if a run has come to its end without a score."""
    if not reached.records:
        raise RowsError(f"{job.source}: there are no rows to score")
    if not reached.scored:
        raise RowsError(f"{job.source}: none of the {reached.records} rows can be scored. See {job.errors}.")


def checked(job: ScoringJob, scorer: FileRowScorer, done: int) -> int | None:
    """Check all rows of a file before any model is loaded, and count them; what a pipe will bring is not known."""
    if job.source == STANDARD:
        return None
    total = 0
    with progress("checking", None, "row") as bar:
        for chunk in chunks(job.records(), job.chunk_size):
            if not total:
                scorer.require_columns(chunk)
            total += len(chunk)
            if job.errors is None and total > done:
                scorer.check(chunk)
            bar.update(len(chunk))
    return total


def _skip(job: ScoringJob, records: Iterator[Record], earlier: Sequence[Block]) -> None:
    """Go past the rows that are scored, after a check that they are still the same."""
    if any(digest(itertools.islice(records, block.outcome.records)) != block.read for block in earlier):
        raise changed(job, f"the first {sum(block.outcome.records for block in earlier)} rows")


def changed(job: ScoringJob, rows: str) -> RowsError:
    """Return the error for an input that is not the one that a stopped run has scored."""
    return RowsError(
        f"{job.source}: {rows} differ from those that the stopped run scored. Restore them, or start over "
        f"after: rm -r {quote(f'{job.target}.work')}"
    )


def _score(
    job: ScoringJob, scorer: FileRowScorer, records: Iterator[Record], output: Output, total: int | None
) -> None:
    done = output.progress.records
    with progress(Path(job.metric).name, total, "row", done, stays=True) as bar:
        for number, chunk in enumerate(chunks(records, job.chunk_size)):
            if not done and not number:
                scorer.require_columns(chunk)
            output.append(chunk, scorer.score(chunk))
            bar.update(len(chunk))


def chunks(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    """Divide records into lists of that size; the last may be shorter."""
    records = iter(records)
    while chunk := list(itertools.islice(records, size)):
        yield chunk
