"""Batches have every row once within the budget, and are halved if memory runs out."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics._shared.batching import batches, run_batches

lengths_lists = st.lists(st.integers(0, 300), max_size=60).map(lambda values: np.array(values, dtype=np.int32))


@given(lengths_lists, st.integers(1, 1000), st.one_of(st.none(), st.integers(1, 10)))
def test_every_row_is_in_one_batch_within_the_budget(lengths, budget, batch_size):
    made = list(batches(lengths, budget, batch_size))
    assert sorted(row for batch in made for row in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) == 1 or len(batch) * lengths[batch].max() <= budget
        assert batch_size is None or len(batch) <= batch_size


@given(lengths_lists, st.integers(1, 1000))
def test_batches_are_as_large_as_the_budget_allows(lengths, budget):
    """The next row would exceed the budget. The longest rows come first."""
    order = [lengths[row] for batch in batches(lengths, budget) for row in batch]
    assert order == sorted(order, reverse=True)
    made = list(batches(lengths, budget))
    for batch in made[:-1]:
        assert (len(batch) + 1) * max(1, lengths[batch].max()) > budget


def limited(lengths, limit, error, called):
    """A forward pass that doubles each length and runs out of memory above a number of padded tokens."""

    def forward(rows):
        called.append(len(rows))
        if len(rows) * lengths[rows].max() > limit:
            raise error
        return lengths[rows] * 2

    return forward


def gathered(lengths, forward, **options):
    outputs = np.full(len(lengths), -1)
    for rows, values in run_batches(lengths, forward, **options):
        assert (outputs[rows] == -1).all(), "a row came twice"
        outputs[rows] = values
    return outputs.tolist()


def out_of_memory_errors():
    import torch

    return [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("MPS backend out of memory (MPS allocated: 18.00 GB)"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 274877906944 bytes"),
        MemoryError(),
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_batch_is_halved_until_it_fits(number):
    lengths, called = np.array([4] * 8 + [3, 1]), []
    forward = limited(lengths, 8, out_of_memory_errors()[number], called)
    assert gathered(lengths, forward, token_budget=32) == [8] * 8 + [6, 2]
    # A batch of 8 rows · 4 tokens: 8 fail, 4 fail, 2 + 2 fit, 4 fail, 2 + 2 fit; then the rows of 3 and 1 (6 padded).
    assert called == [8, 4, 2, 2, 4, 2, 2, 2]


def test_the_error_of_the_cpus_allocator_is_recognized():
    import torch

    with pytest.raises(MemoryError, match="out of memory with a single row"):
        gathered(np.ones(2), lambda rows: torch.empty(len(rows), 2**50).numpy(), token_budget=2)


def test_a_row_that_does_not_fit_raises_a_memory_error():
    lengths = np.array([100, 1])
    forward = limited(lengths, 50, RuntimeError("CUDA out of memory. Tried 2 GiB"), [])
    with pytest.raises(MemoryError, match=r"single row; a device with more .* \(CUDA out of memory\. Tried 2 GiB\)"):
        gathered(lengths, forward, token_budget=200)


@pytest.mark.parametrize("error", [RuntimeError("CUDA error: device-side assert"), ValueError("out of memory")])
def test_other_errors_are_raised(error):
    called = []
    with pytest.raises(type(error)) as caught:
        gathered(np.ones(4), limited(np.ones(4), 0, error, called), token_budget=100)
    assert caught.value is error
    assert called == [4]


def test_a_failed_batch_is_freed_before_its_halves_run():

    class Tensor:
        pass

    alive = []

    def forward(rows):
        assert not any(tensor() for tensor in alive)
        tensor = Tensor()
        alive.append(weakref.ref(tensor))
        if len(rows) > 1:
            raise RuntimeError("out of memory")
        return np.zeros(len(rows))

    gc.disable()
    try:
        assert gathered(np.ones(4), forward, token_budget=100) == [0] * 4
    finally:
        gc.enable()
