"""The run behind `evaluate-qa score --engine ray`: blocks of rows go to actors, and come back in any order.

A pool of actors with a queue of numbered blocks, and not `ray.data.map_batches`: there a batch has no identity, so a
run that was stopped could not tell which are done, and the files that are written are named and cut as Ray pleases.
Here a block is a range of rows of the input, whatever becomes of the actors: a finished one is never scored again, an
unfinished one leaves nothing, and the blocks joined are the file that one machine would have written.

This process reads and writes, so that the machines of the cluster need no file system in common, unless the rows name
videos. Two blocks for each actor are in memory at a time.
"""

import itertools
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from evaluate_qa.metrics._shared.progress import progress

from ..files.claiming import claimed, claimed_too
from ..files.rows import STANDARD
from .blocks import Block, Blocks
from .cluster import Cluster, actor_pool, import_ray
from .pool import PoolTask
from .run import ScoringJob, changed, checked, chunks, require_scores
from .work import Progress, digest


def run_on_ray(job: ScoringJob, cluster: Cluster) -> Progress:
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


def _score(job: ScoringJob, cluster: Cluster, blocks: Blocks, code: str, total: int | None) -> None:
    unfinished = _unfinished(job, dict(blocks.finished))
    if (first := next(unfinished, None)) is None:
        return
    with (
        actor_pool(cluster, job, code) as pool,
        progress(Path(job.metric).name, total, "row", blocks.progress.records, stays=True) as bar,
    ):
        for task, chunk in pool.score(itertools.chain([first], unfinished)):
            blocks.add(task.number, task.records, chunk)
            bar.update(len(task.records))


def _unfinished(job: ScoringJob, finished: dict[int, Block]) -> Iterator[PoolTask]:
    """Read the blocks that are to be scored, after a check that finished ones are still the same."""
    for number, records in enumerate(chunks(job.records(), job.chunk_size)):
        earlier = finished.pop(number, None)
        if earlier is None:
            yield PoolTask(number, records)
        elif digest(records) != earlier.read:
            raise changed(job, f"rows {number * job.chunk_size + 1} to {number * job.chunk_size + len(records)}")
    if finished:
        raise changed(job, "the last rows")
