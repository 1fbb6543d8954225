"""The store of vectors returns what was written, also if several processes write.

A store that is damaged, locked, read-only or on a full disk: one warning, right scores, and no deleted file.
"""

import re
import shutil
import sqlite3
import tempfile
import warnings
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from damage import flip, no_room, without_privileges
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_qa
from evaluate_qa.metrics._shared import stores
from evaluate_qa.metrics.smile.encoder import VectorStore

DIM = 8
TEXTS = [f"text {number}" for number in range(400)]
VECTORS = np.random.default_rng(0).normal(size=(len(TEXTS), 16)).astype(np.float32)


@contextmanager
def one_warning(pattern):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    assert [re.search(pattern, str(one.message)) is not None for one in caught] == [True], list(map(str, caught))


def read_all(store, texts=TEXTS):
    return {texts[i]: row for at, rows in store.read(texts) for i, row in zip(at, rows, strict=True)}


def assert_right(found):
    for text, found_vector in found.items():
        assert found_vector.tobytes() == VECTORS[TEXTS.index(text)].tobytes(), text


@pytest.fixture
def path(tmp_path):
    """The file of a store with all texts, several pages long."""
    store = VectorStore(tmp_path, "model")
    store.write(TEXTS, VECTORS)
    assert len(read_all(store)) == len(TEXTS)
    return store.path


DAMAGE = {
    "truncated": lambda content: content[: len(content) // 2],
    "truncated within the header": lambda content: content[:50],
    "not a database": lambda content: b"id,score\n" * 100,
    "a page of zeros": lambda content: content[:4096] + bytes(4096) + content[8192:],
    "another table": lambda content: content.replace(b"value BLOB", b"valve BLOB"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_store_is_not_used_and_not_changed(path, damage):
    content = DAMAGE[damage](path.read_bytes())
    path.write_bytes(content)
    with one_warning(rf"smile: the store of vectors: {re.escape(str(path))} cannot be used .*delete the file"):
        store = VectorStore(path.parent, "model")
        found = read_all(store)
        store.write(TEXTS, VECTORS)
    assert_right(found)
    assert len(found) < len(TEXTS)
    assert path.read_bytes() == content


def test_no_flipped_bit_changes_a_vector(path):
    content, lost = path.read_bytes(), 0
    for position in range(0, len(content), 397):
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        path.write_bytes(flip(content, position))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            store = VectorStore(path.parent, "model")
            found = read_all(store)
            assert_right(found)
            store.write([text for text in TEXTS if text not in found], VECTORS[[text not in found for text in TEXTS]])
        assert len(caught) <= 1, [str(one.message) for one in caught]
        lost += len(found) < len(TEXTS)
    assert lost > len(content) / 397 / 4  # vectors fill most of the file, so most flips must be noticed


def test_a_flipped_bit_loses_one_vector(path):
    content = path.read_bytes()
    path.write_bytes(flip(content, content.index(VECTORS[7].tobytes()) + 5))
    store = VectorStore(path.parent, "model")
    found = read_all(store)
    assert set(TEXTS) - set(found) == {"text 7"}
    assert_right(found)
    store.write(["text 7"], VECTORS[7:8])
    assert len(read_all(store)) == len(TEXTS)


def test_a_full_disk_stops_writing(path):
    store, more = VectorStore(path.parent, "model"), [f"more {number}" for number in range(400)]
    with no_room(path.stat().st_size + 100), one_warning(rf"{re.escape(str(path))} cannot be used .* disk has room"):
        for _ in range(3):
            store.write(more, VECTORS)
        assert len(read_all(store)) == len(TEXTS)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    later = VectorStore(path.parent, "model")
    assert_right(read_all(later))
    assert read_all(later, more) == {}
    later.write(more, VECTORS)
    assert len(read_all(later, more)) == 400


def test_a_locked_store_is_left_alone(path, monkeypatch):
    monkeypatch.setattr(stores, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with one_warning("locked.*no program locks it"):
            store = VectorStore(path.parent, "model")
            store.write(TEXTS, VECTORS)
            assert read_all(store) == {}
        connection.rollback()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(read_all(VectorStore(path.parent, "model"))) == len(TEXTS)


@pytest.fixture
def read_only(path):
    """A read-only store in a read-only folder."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(shutil.copy(path, folder))
        there.chmod(0o444)
        there.parent.chmod(0o555)
        yield there
        there.parent.chmod(0o755)


def test_a_read_only_store_is_read(read_only):
    with without_privileges(), one_warning("readonly.*file is writable"):
        store = VectorStore(read_only.parent, "model")
        assert len(read_all(store)) == len(TEXTS)
        for _ in range(2):
            store.write(["more"], VECTORS[:1])
        assert len(read_all(store)) == len(TEXTS)


def test_a_deleted_store_is_created_again(path):
    store = VectorStore(path.parent, "model")
    shutil.rmtree(path.parent)
    assert read_all(store) == {}
    store.write(TEXTS, VECTORS)
    assert len(read_all(store)) == len(TEXTS)


# Writing and reading


def vector(number):
    """Return the vector of the text "text <number>"."""
    return np.arange(DIM, dtype=np.float32) + number


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


# The whole metric


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    import tiny_checkpoints

    return tiny_checkpoints.bert(tmp_path_factory.mktemp("model") / "tiny")


def scores(model, folder=None):
    metric = evaluate_qa.load("smile", model=str(model), device="cpu", cache_dir=folder and str(folder))
    names = [f"{number} {number + 1}" for number in range(600)]
    return metric.compute(predictions=names, references=names[::-1])["per_example"]["score"]


@pytest.mark.parametrize("folder", ["there", "a file/not to be made"])
def test_a_failing_cache_changes_no_score(tiny, tmp_path, folder):
    """Only some of the 600 vectors of 128 bytes fit on the disk."""
    (tmp_path / "a file").touch()
    with no_room(70_000), one_warning("smile: the store of vectors: .* cannot be used"):
        found = scores(tiny, tmp_path / folder)
    assert 0 < sum(path.stat().st_size for path in tmp_path.rglob("*.sqlite")) <= 70_000 or folder != "there"
    assert found == pytest.approx(scores(tiny), abs=1e-6)
