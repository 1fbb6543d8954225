"""The run behind `evaluate-qa score --engine ray`: blocks of rows go to actors, and come back in any order.

A pool of actors with a queue of numbered blocks, and not `ray.data.map_batches`: there a batch has no identity, so a
run that was stopped could not tell which are done, and the files that are written are named and cut as Ray pleases.
Here a block is a range of rows of the input, whatever becomes of the actors: a finished one is never scored again, an
unfinished one leaves nothing, and the blocks joined are the file that one machine would have written.

This process reads and writes, so that the machines of the cluster need no file system in common, unless the rows name
videos. Two blocks for each actor are in memory at a time. When an actor is killed, Ray restarts it and its unfinished
blocks are scored again.
"""

import itertools
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.claiming import claimed, claimed_too
from ..files.rows import STANDARD, Record, RowsError
from ..metrics._shared.progress import progress
from .blocks import Block, Blocks
from .cluster import Cluster, import_ray, started_actors
from .row_scorer import ScoredChunk
from .run import Job, changed, checked, chunks, require_scores
from .work import Progress, digest

_AHEAD = 2
"""Blocks that an actor has been given: one that it scores, and the next."""

_Block = tuple[int, list[Record]]


@dataclass(frozen=True)
class _Task:
    number: int
    records: list[Record]
    actor: Any


def run_on_ray(job: Job, cluster: Cluster) -> Progress:
    """Score all rows; finished blocks stay when it is stopped, whatever stops it.

    Returns:
        What became of the rows.

    Raises:
        ValueError: input, options or earlier work that cannot be used; the message says how to mend it.
        ConnectionError: there is no cluster at the address.
    """
    import_ray()
    if STANDARD in (job.source, job.target):
        raise ValueError("--engine ray needs an --input and an --output that are files")
    with redirect_stdout(sys.stderr), claimed_too(job.errors), claimed(Path(job.target)) as folder:
        scorer = job.scorer()
        blocks = job.blocks(folder, {"engine": "ray", "chunk size": str(job.chunk_size)}, scorer.code)
        total = checked(job, scorer, 0)
        _score(job, cluster, blocks, scorer.code, total)
        blocks.finish()
    require_scores(job, blocks.progress)
    return blocks.progress


def _score(job: Job, cluster: Cluster, blocks: Blocks, code: str, total: int | None) -> None:
    unfinished = _unfinished(job, dict(blocks.finished))
    if (first := next(unfinished, None)) is None:
        return
    with (
        started_actors(cluster, job, code) as actors,
        progress(Path(job.metric).name, total, "row", blocks.progress.records, stays=True) as bar,
    ):
        for task, chunk in _scored(itertools.chain([first], unfinished), actors):
            blocks.add(task.number, task.records, chunk)
            bar.update(len(task.records))


def _unfinished(job: Job, finished: dict[int, Block]) -> Iterator[_Block]:
    """Read the blocks that are to be scored, after a check that finished ones are still the same."""
    for number, records in enumerate(chunks(job.records(), job.chunk_size)):
        earlier = finished.pop(number, None)
        if earlier is None:
            yield number, records
        elif digest(records) != earlier.read:
            raise changed(job, f"rows {number * job.chunk_size + 1} to {number * job.chunk_size + len(records)}")
    if finished:
        raise changed(job, "the last rows")


def _scored(blocks: Iterable[_Block], actors: list[Any]) -> Iterator[tuple[_Task, ScoredChunk]]:
    """Keep all actors busy; yield each block as soon as it is scored."""
    free, running = deque(actors * _AHEAD), dict[Any, _Task]()
    for number, records in blocks:
        if not free:
            task, chunk = _next(running)
            free.append(task.actor)
            yield task, chunk
        actor = free.popleft()
        running[actor.score.remote(records)] = _Task(number, records, actor)
    while running:
        yield _next(running)


def _next(running: dict[Any, _Task]) -> tuple[_Task, ScoredChunk]:
    """Wait for one of the blocks."""
    import ray

    reference = ray.wait(list(running), num_returns=1)[0][0]
    task = running.pop(reference)
    try:
        return task, ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayActorError as error:
        raise RowsError(
            f"the actors that scored rows {task.records[0][0]} to {task.records[-1][0]} died ({error}); if they had "
            "too little memory, ask for fewer of them or a smaller --chunk-size. What is finished stays for --resume"
        ) from error
