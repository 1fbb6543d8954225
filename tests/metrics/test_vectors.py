"""The store of vectors returns what was written, also if several processes write or one is killed."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluate_qa.metrics.smile.encoder import VectorStore

DIM = 8


def vector(number):
    """Return the vector of the text "text <number>"."""
    return np.arange(DIM, dtype=np.float32) + number


def read_all(store, texts):
    found = {}
    for positions, vectors in store.read(texts):
        found |= {texts[i]: vector for i, vector in zip(positions, vectors, strict=True)}
    return found


def count(store):
    with closing(sqlite3.connect(store.path)) as connection:
        return connection.execute("SELECT count(*) FROM entries").fetchone()[0]


def assert_whole(store, numbers):
    """Check that exactly these texts are stored, each with its own vector."""
    found = read_all(store, [f"text {number}" for number in numbers])
    assert len(found) == len(numbers) == count(store)
    for number in numbers:
        assert found[f"text {number}"].tolist() == vector(number).tolist()


BEGIN = f"""
import sys, time
from pathlib import Path
import numpy as np
from evaluate_qa.metrics.smile.encoder import VectorStore
def vector(number): return np.arange({DIM}, dtype=np.float32) + number
def write(store, numbers):
    store.write([f"text {{number}}" for number in numbers], np.stack([vector(number) for number in numbers]))
"""


@pytest.fixture
def python(processes):
    """Start a process with VectorStore, np, vector(number) and write(store, numbers)."""
    return lambda code, *arguments: processes.start("-c", BEGIN + code, *arguments)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True, max_size=20),
    hnp.arrays(np.float32, DIM, elements=st.floats(width=32)),
)
def test_round_trip_is_exact(tmp_path_factory, texts, first):
    store = VectorStore(tmp_path_factory.mktemp("store"), "model")
    vectors = np.stack([np.roll(first, shift) for shift in range(len(texts))]) if texts else np.empty((0, DIM))
    store.write(texts, vectors.astype(np.float32))
    found = read_all(store, texts)
    assert [found[text].tobytes() for text in texts] == [row.tobytes() for row in vectors]


def test_read_returns_only_stored_texts(tmp_path):
    store = VectorStore(tmp_path, "model")
    store.write(["a", "b", "c"], np.stack([vector(1), vector(2), vector(3)]))
    ((positions, vectors),) = store.read(["x", "c", "y", "a"])
    assert {int(i): row[0] for i, row in zip(positions, vectors, strict=True)} == {1: 3.0, 3: 1.0}
    assert list(store.read(["x"])) == []
    assert list(store.read([])) == []


def test_vectors_of_another_fingerprint_are_not_seen(tmp_path):
    VectorStore(tmp_path, "model|float32|torch|").write(["a"], vector(1)[None])
    assert list(VectorStore(tmp_path, "model|bfloat16|torch|").read(["a"])) == []


def test_reading_continues_while_others_write(tmp_path):
    store = VectorStore(tmp_path, "model")
    store.write([f"text {number}" for number in range(600)], np.stack([vector(number) for number in range(600)]))
    reading = store.read([f"text {number}" for number in range(1200)])
    next(reading)
    store.write(["text 600"], vector(600)[None])
    rest = sum(len(positions) for positions, _ in reading)
    assert rest in {100, 101}


def test_processes_can_create_and_write_a_store_at_the_same_time(python, tmp_path):
    """Six processes create each store after a barrier, and none fails because the database is locked."""
    code = """
import multiprocessing
context = multiprocessing.get_context("fork")
barrier = context.Barrier(6)
def create(rank):
    for number in range(20):
        barrier.wait(timeout=30)
        store = VectorStore(Path(sys.argv[1]) / str(number), "model")
        for i in range(3):
            write(store, [3 * rank + i])
            list(store.read(["text 0"]))
processes = [context.Process(target=create, args=(rank,)) for rank in range(6)]
for process in processes: process.start()
for process in processes: process.join()
sys.exit(max(process.exitcode for process in processes))
"""
    racing = python(code, tmp_path)
    assert (racing.communicate(timeout=60)[1], racing.returncode) == ("", 0)
    for number in range(20):
        assert_whole(VectorStore(tmp_path / str(number), "model"), range(18))
