"""Score a file block by block, here or on Ray, so that a run can be stopped at any time and resumed.

A block is a range of rows of the input, so the output does not depend on who scored which block, or when. Ray's
`map_batches` is not used because its batches have no identity: a resumed run could not tell which ones are finished.
This process reads and writes all rows, so the machines of a cluster need no shared file system, except for videos.
"""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from evaluate_qa.metrics._shared.progress import progress

from ..files.bad_rows import check_bad_rows
from ..files.claiming import CACHE, claimed, claimed_too
from ..files.rows import STANDARD, Record, RowsError, file_format, read_records
from ..files.writing import check_different, check_target, work_place
from ..loading import keep_few_shapes, load_metric
from .blocks import Block, Blocks
from .columns import MetricColumns, reads_videos
from .row_scorer import FileRowScorer, ScoredChunk
from .work import Progress, StandardOutput, digest

if TYPE_CHECKING:
    from .cluster import Cluster

ScoringTask = tuple[int, list[Record]]
"""A block to score: its number and its rows."""

_Engine = Callable[[Iterator[ScoringTask]], Iterator[tuple[ScoringTask, ScoredChunk]]]


@dataclass(frozen=True)
class ScoringJob:
    """What to score, how, and where the scores go.

    Args:
        metric: A metric of this package, or any name or folder that `evaluate.load` accepts.
        source: File of rows, or `-`.
        target: File of scored rows, or `-`.
        config: Configuration of the metric.
        load: Keywords of `evaluate.load`.
        compute: Keywords of the metric's `compute`.
        columns: Column of the metric → column of the input.
        prefix: Prefix of the names of the added columns.
        errors: File for rows that cannot be scored; None stops at the first one.
        chunk_size: Number of rows per block; a killed run loses at most the block it was scoring.
        resume: Continue the work of a stopped run.

    Raises:
        ValueError: an option is wrong, or two options exclude each other.
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
        """Load the metric. A metric of this package loads its model when it scores the first rows."""
        keep_few_shapes()
        load = partial(load_metric, self.metric, self.config, **self.load)
        metric = load()
        if reads_videos(metric) and self.target != STANDARD and "cache_dir" not in self.load:
            # The rows of a video may be far apart, so its features are kept until the end of the run.
            metric = load(cache_dir=str(work_place(Path(self.target)) / CACHE))
        return FileRowScorer(metric, self.source, self._columns, self.compute, self.prefix, self.errors is not None)

    def blocks(self, folder: Path, code: str) -> Blocks:
        """Open the finished blocks of an earlier run with the same settings.

        Args:
            folder: The work folder that `claimed` yields.
            code: Identifies the metric's code.
        """
        named = {"metric": self.metric, "config": self.config, "prefix": self.prefix, "code": code}
        options = {"load": self.load, "compute": self.compute, "columns": self.columns}
        settings = {
            "chunk size": str(self.chunk_size),
            **{name: repr(value) for name, value in named.items()},
            **{name: str(dict(sorted(values.items()))) for name, values in options.items()},
        }
        return Blocks(folder, Path(self.target), self.errors, settings, self.resume)

    @property
    def _columns(self) -> MetricColumns:
        folder = Path() if self.source == STANDARD else Path(self.source).parent
        return MetricColumns(self.columns, file_format(self.source) == ".csv", folder)


def run(job: ScoringJob, cluster: "Cluster | None" = None) -> Progress:
    """Score all rows, in this process or in actors of a Ray cluster; finished blocks survive an interruption.

    Returns:
        What became of the rows.

    Raises:
        ValueError: the input, an option or earlier work cannot be used; the message includes the fix.
        ConnectionError: there is no Ray cluster at the address.
    """
    records, standard = job.records(), sys.stdout.buffer
    # Whatever a metric or a library prints must not come between the rows.
    with redirect_stdout(sys.stderr), claimed_too(job.errors):
        if job.target == STANDARD:
            output = StandardOutput(standard, job.errors)
            reached = _run(job, job.scorer(), records, output, {}, cluster)
        else:
            with claimed(Path(job.target)) as folder:
                scorer = job.scorer()
                blocks = job.blocks(folder, scorer.code)
                reached = _run(job, scorer, records, blocks, dict(blocks.finished), cluster)
                blocks.finish()
    if not reached.scored:
        raise RowsError(f"{job.source}: none of the {reached.records} rows can be scored. See {job.errors}.")
    return reached


def _run(
    job: ScoringJob,
    scorer: FileRowScorer,
    records: Iterator[Record],
    output: Blocks | StandardOutput,
    finished: dict[int, Block],
    cluster: "Cluster | None",
) -> Progress:
    total = _checked(job, scorer)
    unfinished = _unfinished(job, scorer, records, finished)
    if (first := next(unfinished, None)) is not None:
        done = output.progress.records
        with (
            _engine(job, scorer, cluster) as engine,
            progress(Path(job.metric).name, total, "row", done, stays=True) as bar,
        ):
            for (number, chunk), scored in engine(itertools.chain([first], unfinished)):
                output.add(number, chunk, scored)
                bar.update(len(chunk))
    if not output.progress.records:
        raise RowsError(f"{job.source}: there are no rows to score")
    return output.progress


def _checked(job: ScoringJob, scorer: FileRowScorer) -> int | None:
    """Check all rows of a file before a model is loaded, and count them; return None for a pipe."""
    if job.source == STANDARD:
        return None
    total = 0
    with progress("checking", None, "row") as bar:
        for chunk in _chunks(job.records(), job.chunk_size):
            if not total:
                scorer.require_columns(chunk)
            total += len(chunk)
            if job.errors is None:
                scorer.check(chunk)
            bar.update(len(chunk))
    return total


def _unfinished(
    job: ScoringJob, scorer: FileRowScorer, records: Iterator[Record], finished: dict[int, Block]
) -> Iterator[ScoringTask]:
    """Yield the blocks that are not finished, and check that the rows of finished ones have not changed."""
    for number, chunk in enumerate(_chunks(records, job.chunk_size)):
        if not number:
            scorer.require_columns(chunk)
        earlier = finished.pop(number, None)
        if earlier is None:
            yield number, chunk
        elif digest(chunk) != earlier.read:
            start = number * job.chunk_size
            raise _changed(job, f"rows {start + 1} to {start + len(chunk)}")
    if finished:
        raise _changed(job, "the last rows")


def _changed(job: ScoringJob, rows: str) -> RowsError:
    return RowsError(
        f"{job.source}: {rows} differ from those that the stopped run scored. Restore them, or start over "
        f"after: rm -r {quote(f'{job.target}.work')}"
    )


@contextmanager
def _engine(job: ScoringJob, scorer: FileRowScorer, cluster: "Cluster | None") -> Iterator[_Engine]:
    """Yield a function that scores blocks."""
    if cluster is None:
        yield lambda tasks: ((task, scorer.score(task[1])) for task in tasks)
    else:
        from .cluster import actor_pool

        with actor_pool(cluster, job, scorer.code) as pool:
            yield pool.score


def _chunks(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    records = iter(records)
    while chunk := list(itertools.islice(records, size)):
        yield chunk
