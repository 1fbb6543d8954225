"""Score a file chunk by chunk, here or on Ray, so that a run can be stopped at any time and resumed.

A chunk is a range of rows of the input, so the output does not depend on who scored which chunk, or when. Ray's
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
from .chunk_scorer import Chunk, ChunkScorer, Progress, ScoredChunk
from .job import ScoringJob
from .output import SavedChunks, StandardOutput, hash_records

_Engine = Callable[[Iterator[Chunk]], Iterator[tuple[Chunk, ScoredChunk]]]


def run(job: ScoringJob) -> Progress:
    """Score all rows, in this process or in actors of a Ray cluster; finished chunks survive an interruption."""
    records, standard = job.records(), sys.stdout.buffer
    # Whatever a metric or a library prints must not come between the rows.
    with redirect_stdout(sys.stderr), lock_work_folder(job.errors) if job.errors else nullcontext():
        if job.target == STANDARD:
            reached = _score_all(job, job.scorer(), records, StandardOutput(standard, job.errors))
        else:
            with lock_work_folder(Path(job.target)) as folder:
                scorer = job.scorer()
                if job.overwrite and holds_work(folder):
                    _check_all(job, scorer)  # keep the work if this run is refused
                    start_over(folder)
                output = job.saved_chunks(folder, scorer.code)
                reached = _score_all(job, scorer, records, output)
                output.finish()
    if not reached.scored:
        raise RowsError(f"{source_name(job.source)}: no row can be scored. See {job.errors}.")
    return reached


def _score_all(
    job: ScoringJob, scorer: ChunkScorer, records: Iterator[Record], output: SavedChunks | StandardOutput
) -> Progress:
    """Score the chunks that are not finished, and add them to the output."""
    total = _check_all(job, scorer)
    unfinished = _unfinished_chunks(job, scorer, records, output)
    if (first := next(unfinished, None)) is not None:
        done = output.progress.records
        with _engine(job, scorer) as engine, progress(Path(job.metric).name, total, "row", done, stays=True) as bar:
            for chunk, scored in engine(itertools.chain([first], unfinished)):
                output.add(chunk, scored)
                bar.update(len(chunk.records))
                if scored.stopped:
                    again = "score the rows again" if job.target == STANDARD else "continue with --resume"
                    raise ValueError(f"The judge stopped: {scored.stopped}. Fix the cause, and {again}.")
    if not output.progress.records:
        raise RowsError(f"{source_name(job.source)}: there are no rows to score")
    return output.progress


def _check_all(job: ScoringJob, scorer: ChunkScorer) -> int | None:
    """Check all rows of a file before a model is loaded, and count them; return None for a pipe."""
    if job.source == STANDARD:
        return None
    total = 0
    with progress("checking", None, "row") as bar:
        for number, records in _chunks(job.records(), job.chunk_size):
            scorer.require_columns(records, are_first=not number)
            total += len(records)
            if job.errors is None:
                scorer.check(records)
            bar.update(len(records))
    return total


def _unfinished_chunks(
    job: ScoringJob, scorer: ChunkScorer, records: Iterator[Record], output: SavedChunks | StandardOutput
) -> Iterator[Chunk]:
    """Yield the chunks that are not finished, and check that the rows of finished ones have not changed."""
    finished = dict(output.finished)
    for chunk in _chunks(records, job.chunk_size):
        scorer.require_columns(chunk.records, are_first=not chunk.number)
        saved = finished.pop(chunk.number, None)
        if saved is None:
            if job.engine == "local" or Path(job.metric).name == "judge":  # with Ray, the model is loaded in actors
                scorer.require_free_names()
            yield chunk
        elif hash_records(chunk.records) != saved.read:
            start = chunk.number * job.chunk_size
            raise _change_error(job, f"rows {start + 1} to {start + len(chunk.records)}")
    if finished:
        raise _change_error(job, "the last rows")


def _change_error(job: ScoringJob, rows: str) -> RowsError:
    return RowsError(
        f"{source_name(job.source)}: {rows} differ from those that the stopped run scored. Restore them, or start over "
        "with --overwrite instead of --resume."
    )


@contextmanager
def _engine(job: ScoringJob, scorer: ChunkScorer) -> Iterator[_Engine]:
    """Yield a function that scores chunks, perhaps in another order."""
    if job.engine == "local":
        yield lambda chunks: ((chunk, scorer.score(chunk.records)) for chunk in chunks)
    else:
        from .cluster import actor_pool

        with actor_pool(job, scorer.code) as pool:
            yield pool.score


def _chunks(records: Iterable[Record], size: int) -> Iterator[Chunk]:
    records, numbers = iter(records), itertools.count()
    while rows := list(itertools.islice(records, size)):
        yield Chunk(next(numbers), rows)
