"""Score a file block by block, here or on Ray, so that a run can be stopped at any time and resumed.

A block is a range of rows of the input, so the output does not depend on who scored which block, or when. Ray's
`map_batches` is not used because its batches have no identity: a resumed run could not tell which ones are finished.
This process reads and writes all rows, so the machines of a cluster need no shared file system, except for videos.
"""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

from evaluate_qa.metrics._shared.progress import progress

from ..files.rows import STANDARD, Record, RowsError, source_name
from ..files.work_folder import holds_work, lock_work_folder, start_over
from .blocks import Block, Blocks, StandardOutput, digest
from .job import ScoringJob, ScoringTask
from .row_scorer import FileRowScorer, Progress, ScoredChunk

_Engine = Callable[[Iterator[ScoringTask]], Iterator[tuple[ScoringTask, ScoredChunk]]]


def run(job: ScoringJob) -> Progress:
    """Score all rows, in this process or in actors of a Ray cluster; finished blocks survive an interruption."""
    records, standard = job.records(), sys.stdout.buffer
    # Whatever a metric or a library prints must not come between the rows.
    with redirect_stdout(sys.stderr), lock_work_folder(job.errors) if job.errors else nullcontext():
        if job.target == STANDARD:
            output = StandardOutput(standard, job.errors)
            reached = _run(job, job.scorer(), records, output, {})
        else:
            with lock_work_folder(Path(job.target)) as folder:
                scorer = job.scorer()
                if job.overwrite and holds_work(folder):
                    _checked(job, scorer)  # keep the work if this run is refused
                    start_over(folder)
                blocks = job.blocks(folder, scorer.code)
                reached = _run(job, scorer, records, blocks, dict(blocks.finished))
                blocks.finish()
    if not reached.scored:
        raise RowsError(f"{source_name(job.source)}: no row can be scored. See {job.errors}.")
    return reached


def _run(
    job: ScoringJob,
    scorer: FileRowScorer,
    records: Iterator[Record],
    output: Blocks | StandardOutput,
    finished: dict[int, Block],
) -> Progress:
    total = _checked(job, scorer)
    unfinished = _unfinished(job, scorer, records, finished)
    if (first := next(unfinished, None)) is not None:
        done = output.progress.records
        with _engine(job, scorer) as engine, progress(Path(job.metric).name, total, "row", done, stays=True) as bar:
            for (number, chunk), scored in engine(itertools.chain([first], unfinished)):
                output.add(number, chunk, scored)
                bar.update(len(chunk))
    if not output.progress.records:
        raise RowsError(f"{source_name(job.source)}: there are no rows to score")
    return output.progress


def _checked(job: ScoringJob, scorer: FileRowScorer) -> int | None:
    """Check all rows of a file before a model is loaded, and count them; return None for a pipe."""
    if job.source == STANDARD:
        return None
    total = 0
    with progress("checking", None, "row") as bar:
        for chunk in _chunks(job.records(), job.chunk_size):
            scorer.require_columns(chunk, are_first=not total)
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
        scorer.require_columns(chunk, are_first=not number)
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
        f"{source_name(job.source)}: {rows} differ from those that the stopped run scored. Restore them, or start over "
        "with --overwrite in place of --resume."
    )


@contextmanager
def _engine(job: ScoringJob, scorer: FileRowScorer) -> Iterator[_Engine]:
    if job.engine == "local":
        yield lambda tasks: ((task, scorer.score(task[1])) for task in tasks)
    else:
        from .cluster import actor_pool

        with actor_pool(job, scorer.code) as pool:
            yield pool.score


def _chunks(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    records = iter(records)
    while chunk := list(itertools.islice(records, size)):
        yield chunk
