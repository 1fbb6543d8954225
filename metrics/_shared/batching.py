"""Run a model over rows in batches of similar length; halve a batch if memory runs out."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Indices
from .progress import progress


def batches(lengths: NDArray[Any], token_budget: int, batch_size: int | None = None) -> Iterator[Indices]:
    """Yield row indices in batches of similar length, which need little padding.

    The longest rows come first, so that memory runs out early if at all, and a progress bar overestimates the time.

    Args:
        lengths: Number of tokens in each row, shape (rows,).
        token_budget: Maximum number of tokens in a batch, with padding; a longer row is a batch of its own.
        batch_size: Maximum number of rows in a batch; None for no limit.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        size = max(1, token_budget // longest)
        size = min(size, batch_size) if batch_size else size
        yield order[start : start + size]
        start += size


def run_batches(
    lengths: NDArray[Any],
    forward: Callable[[Indices], NDArray[Any]],
    *,
    token_budget: int,
    batch_size: int | None = None,
    describe: str | None = None,
) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run a model over all rows and yield row indices and their outputs, batch by batch.

    Lengths are numbers of tokens, shape (rows,). `forward` returns the outputs for row indices, shape (batch, …).
    `describe` is the title of the progress bar; None for no bar. Raise MemoryError if a single row does not fit.
    """
    with progress(describe, len(lengths), "text") as bar:
        for batch in batches(lengths, token_budget, batch_size):
            for indices, outputs in _run_or_halve(batch, forward):
                bar.update(len(indices))
                yield indices, outputs


def _run_or_halve(batch: Indices, forward: Callable[[Indices], NDArray[Any]]) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run one batch; if memory runs out, run its halves."""
    try:
        outputs = forward(batch)
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
        outputs = None
        reason = str(error)
    # The halves run outside the handler, because the exception's traceback keeps the tensors of the failed batch.
    if outputs is not None:
        yield batch, outputs
    elif len(batch) == 1:
        raise MemoryError(f"out of memory with a single row; a device with more memory is needed ({reason})")
    else:
        middle = len(batch) // 2
        yield from _run_or_halve(batch[:middle], forward)
        yield from _run_or_halve(batch[middle:], forward)


def _is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error is CUDA's OutOfMemoryError, or a similar RuntimeError of MPS or the CPU."""
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "allocate memory" in str(error)
