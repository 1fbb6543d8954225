"""Batches of rows of similar length, bounded by tokens, and halved when memory runs out."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .progress import progress

Indices = NDArray[np.intp]


def batches(lengths: NDArray[Any], token_budget: int, batch_size: int | None = None) -> Iterator[Indices]:
    """Yield row numbers in batches, longest rows first.

    Rows of one batch are of nearly the same length, so that little of it is padding; the longest come first, so that
    memory runs out at once if it does, and a progress bar's estimate errs on the late side.

    Args:
        lengths: Tokens of each row, shape (rows,).
        token_budget: A batch holds at most this many tokens, padding counted; a longer row is a batch of its own.
        batch_size: Maximum number of rows in a batch; None for no limit besides the budget.

    Yields:
        Integer arrays that together hold every row number once.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        size = max(1, token_budget // longest)
        size = min(size, batch_size) if batch_size else size
        yield order[start : start + size]
        start += size


def run(
    lengths: NDArray[Any],
    forward: Callable[[Indices], NDArray[Any]],
    *,
    token_budget: int,
    batch_size: int | None = None,
    describe: str | None = None,
) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run a model over all rows and yield (row numbers, outputs) batch by batch, so that nothing need be held.

    Args:
        lengths: Tokens of each row, shape (rows,).
        forward: Takes row numbers, returns one output for each, shape (batch, …).
        token_budget: Tokens of a batch, padding counted.
        batch_size: Rows of a batch at most.
        describe: Title of the progress bar; without it, or where evaluate's or datasets' bars are off, there is none.

    Yields:
        Row numbers, shape (batch,), and their outputs, shape (batch, …). Longest rows first.

    Raises:
        MemoryError: a single row does not fit.
    """
    with progress(describe, len(lengths), "text") as bar:
        for batch in batches(lengths, token_budget, batch_size):
            for indices, outputs in _halving(batch, forward):
                bar.update(len(indices))
                yield indices, outputs


def _halving(batch: Indices, forward: Callable[[Indices], NDArray[Any]]) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run one batch; where memory runs out, run its halves instead."""
    try:
        outputs = forward(batch)
    except (RuntimeError, MemoryError) as error:
        if not _out_of_memory(error):
            raise
        outputs = None
        reason = str(error)
    # The halves run outside the handler: while the exception lives, its traceback holds the failed batch's tensors.
    if outputs is not None:
        yield batch, outputs
    elif len(batch) == 1:
        raise MemoryError(f"out of memory with a single row; a device with more memory is needed ({reason})")
    else:
        middle = len(batch) // 2
        yield from _halving(batch[:middle], forward)
        yield from _halving(batch[middle:], forward)


def _out_of_memory(error: BaseException) -> bool:
    """CUDA raises torch.OutOfMemoryError, MPS and the CPU a RuntimeError that says so."""
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "allocate memory" in str(error)
