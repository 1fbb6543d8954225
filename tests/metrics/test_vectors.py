"""The store returns what was written, to the model that wrote it, whoever else writes and whoever is killed."""

import pickle
import signal
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluate_qa.metrics.smile.vectors import VectorStore

DIM = 8


def vector(number):
    """The vector that stands for the text "text <number>": anybody can tell whether it is whole."""
    return np.arange(DIM, dtype=np.float32) + number


def read_all(store, texts):
    found = {}
    for positions, vectors in store.read(texts):
        found |= {texts[i]: vector for i, vector in zip(positions, vectors, strict=True)}
    return found


def assert_whole(store, numbers):
    """Exactly the texts of these numbers are there, each with its own vector."""
    found = read_all(store, [f"text {number}" for number in numbers])
    assert len(found) == len(numbers) == len(store)
    for number in numbers:
        assert found[f"text {number}"].tolist() == vector(number).tolist()


BEGIN = f"""
import sys, time
from pathlib import Path
import numpy as np
from evaluate_qa.metrics.smile.vectors import VectorStore
def vector(number): return np.arange({DIM}, dtype=np.float32) + number
def write(store, numbers):
    store.write([f"text {{number}}" for number in numbers], np.stack([vector(number) for number in numbers]))
"""


@pytest.fixture
def python(processes):
    """Starts a process that runs code in which VectorStore, np and vector(number) are known."""
    # Not a fork: its output is read line by line while it runs, and it has little to import.
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


def test_only_what_is_stored_is_found_in_any_order(tmp_path):
    store = VectorStore(tmp_path, "model")
    store.write(["a", "b", "c"], np.stack([vector(1), vector(2), vector(3)]))
    ((positions, vectors),) = store.read(["x", "c", "y", "a"])
    assert {int(i): row[0] for i, row in zip(positions, vectors, strict=True)} == {1: 3.0, 3: 1.0}
    assert list(store.read(["x"])) == []
    assert list(store.read([])) == []


def test_more_texts_than_a_query_may_have_parameters(tmp_path):
    store = VectorStore(tmp_path, "model")
    numbers = range(1234)
    store.write([f"text {number}" for number in numbers], np.stack([vector(number) for number in numbers]))
    assert_whole(store, numbers)


def test_vectors_of_another_fingerprint_are_not_seen(tmp_path):
    VectorStore(tmp_path, "model|float32|torch|").write(["a"], vector(1)[None])
    assert list(VectorStore(tmp_path, "model|bfloat16|torch|").read(["a"])) == []
    assert len(VectorStore(tmp_path, "model|float32|torch|")) == 1


def test_similar_texts_are_different_texts(tmp_path):
    texts = ["a", "A", "a ", "a\0", "", "\0", "é", "e\u0301"]
    store = VectorStore(tmp_path, "model")
    store.write(texts, np.stack([vector(number) for number in range(len(texts))]))
    assert {text: row[0] for text, row in read_all(store, texts).items()} == {t: n for n, t in enumerate(texts)}


def test_a_store_is_there_when_opened_again_and_its_folder_is_made(tmp_path):
    VectorStore(tmp_path / "new" / "folder", "model").write(["text 5"], vector(5)[None])
    assert_whole(VectorStore(tmp_path / "new" / "folder", "model"), [5])


def test_a_text_written_twice_is_stored_once(tmp_path):
    store = VectorStore(tmp_path, "model")
    for _ in range(2):
        store.write(["text 1", "text 2"], np.stack([vector(1), vector(2)]))
    assert_whole(store, [1, 2])


def test_reading_goes_on_while_others_write(tmp_path):
    store = VectorStore(tmp_path, "model")
    store.write([f"text {number}" for number in range(600)], np.stack([vector(number) for number in range(600)]))
    reading = store.read([f"text {number}" for number in range(1200)])
    next(reading)
    store.write(["text 600"], vector(600)[None])
    rest = sum(len(positions) for positions, _ in reading)
    assert rest in {100, 101}


def test_a_failed_write_leaves_nothing(tmp_path):
    store = VectorStore(tmp_path, "model")
    with pytest.raises(ValueError, match="shorter"):
        store.write(["a", "b"], vector(1)[None])
    assert len(store) == 0


def test_several_processes_create_and_write_one_store_at_once(python, tmp_path):
    """All wait for a signal, then open a store that is not there yet and write ranges that overlap by half."""
    code = """
folder, begin = Path(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
while not (folder / "go").exists(): time.sleep(0.001)
store = VectorStore(folder, "model")
for start in range(begin, begin + 200, 10):
    write(store, range(start, start + 10))
    assert sum(len(positions) for positions, _ in store.read([f"text {start}"])) == 1
"""
    writers = [python(code, tmp_path, 100 * number) for number in range(4)]
    assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 4
    (tmp_path / "go").touch()
    assert [(writer.communicate(timeout=60)[1], writer.returncode) for writer in writers] == [("", 0)] * 4
    assert_whole(VectorStore(tmp_path, "model"), range(500))


def test_stores_are_created_by_all_processes_in_the_same_instant(python, tmp_path):
    """Forty times over, six processes meet at a barrier: none may be told that the database is locked."""
    code = """
import multiprocessing
context = multiprocessing.get_context("fork")
barrier = context.Barrier(6)
def create(rank):
    for number in range(40):
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
    for number in range(40):
        assert_whole(VectorStore(tmp_path / str(number), "model"), range(18))


@pytest.mark.parametrize("after", [0, 0.003, 0.02, 0.1])
def test_a_process_killed_while_it_writes_leaves_whole_vectors_only(python, tmp_path, after):
    code = """
store = VectorStore(sys.argv[1], "model")
for start in range(0, 10**9, 50):
    write(store, range(start, start + 50))
    if not start: print("writing", flush=True)
"""
    writer = python(code, tmp_path)
    assert writer.stdout.readline() == "writing\n"
    time.sleep(after)
    writer.kill()
    writer.communicate(timeout=60)
    assert writer.returncode == -signal.SIGKILL

    store = VectorStore(tmp_path, "model")
    count = len(store)
    assert count >= 50
    assert count % 50 == 0, "a transaction is there in part"
    assert_whole(store, range(count))
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store.write([f"text {count}"], vector(count)[None])
    assert_whole(store, range(count + 1))


def test_the_file_is_sqlite_with_the_floats_themselves(tmp_path):
    store = VectorStore(tmp_path, "model")
    store.write(["a"], vector(1)[None])
    assert store.path.read_bytes().startswith(b"SQLite format 3\0")
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("SELECT value FROM entries").fetchall() == [(vector(1).tobytes(),)]


class Payload:
    """Would make a folder if anybody unpickled it."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return type(self.folder).mkdir, (self.folder,)


def test_a_pickle_put_into_the_store_is_not_run(tmp_path):
    store = VectorStore(tmp_path / "store", "model")
    planted = pickle.dumps(Payload(tmp_path / "run"))
    store.write(["a"], np.frombuffer(planted + b"." * (-len(planted) % 4), dtype=np.float32)[None])
    assert read_all(store, ["a"])["a"].tobytes().startswith(planted)
    assert not (tmp_path / "run").exists()
    pickle.loads(planted)
    assert (tmp_path / "run").exists(), "the payload does nothing, so the test shows nothing"
