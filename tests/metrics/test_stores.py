"""A store returns what was written, also if several processes write.

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

import evaluate_qa
from evaluate_qa.metrics._shared import stores
from evaluate_qa.metrics._shared.stores import Store

TEXTS = [f"text {number}" for number in range(400)]
VECTORS = [vector.tobytes() for vector in np.random.default_rng(0).normal(size=(len(TEXTS), 16)).astype(np.float32)]


@contextmanager
def one_warning(pattern):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    assert [re.search(pattern, str(one.message)) is not None for one in caught] == [True], list(map(str, caught))


def opened(path):
    return Store(path, "smile: the store of vectors")


def read_all(store, texts=TEXTS):
    return {texts[at]: value for found in store.read(texts) for at, value in found.items()}


def assert_right(found):
    for text, vector in found.items():
        assert vector == VECTORS[TEXTS.index(text)], text


@pytest.fixture
def path(tmp_path):
    """The file of a store with all texts, several pages long."""
    store = opened(tmp_path / "store" / "vectors.sqlite")
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
        store = opened(path)
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
            store = opened(path)
            found = read_all(store)
            assert_right(found)
            missing = [number for number, text in enumerate(TEXTS) if text not in found]
            store.write([TEXTS[number] for number in missing], [VECTORS[number] for number in missing])
        assert len(caught) <= 1, [str(one.message) for one in caught]
        lost += len(found) < len(TEXTS)
    assert lost > len(content) / 397 / 4  # vectors fill most of the file, so most flips must be noticed


def test_a_flipped_bit_loses_one_vector(path):
    content = path.read_bytes()
    path.write_bytes(flip(content, content.index(VECTORS[7]) + 5))
    store = opened(path)
    found = read_all(store)
    assert set(TEXTS) - set(found) == {"text 7"}
    assert_right(found)
    store.write(["text 7"], VECTORS[7:8])
    assert len(read_all(store)) == len(TEXTS)


def test_a_full_disk_stops_writing(path):
    store, more = opened(path), [f"more {number}" for number in range(400)]
    with no_room(path.stat().st_size + 100), one_warning(rf"{re.escape(str(path))} cannot be used .* disk has room"):
        for _ in range(3):
            store.write(more, VECTORS)
        assert len(read_all(store)) == len(TEXTS)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    later = opened(path)
    assert_right(read_all(later))
    assert read_all(later, more) == {}
    later.write(more, VECTORS)
    assert len(read_all(later, more)) == 400


def test_a_locked_store_is_left_alone(path, monkeypatch):
    monkeypatch.setattr(stores, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with one_warning("locked.*no program locks it"):
            store = opened(path)
            store.write(TEXTS, VECTORS)
            assert read_all(store) == {}
        connection.rollback()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(read_all(opened(path))) == len(TEXTS)


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
        store = opened(read_only)
        assert len(read_all(store)) == len(TEXTS)
        for _ in range(2):
            store.write(["more"], VECTORS[:1])
        assert len(read_all(store)) == len(TEXTS)


def test_a_deleted_store_is_created_again(path):
    store = opened(path)
    shutil.rmtree(path.parent)
    assert read_all(store) == {}
    store.write(TEXTS, VECTORS)
    assert len(read_all(store)) == len(TEXTS)


# Writing and reading


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.binary(), max_size=20))
def test_round_trip_is_exact(tmp_path_factory, values):
    store = opened(tmp_path_factory.mktemp("store") / "a.sqlite")
    store.write(values.keys(), values.values())
    assert read_all(store, list(values)) == values


def test_read_returns_only_stored_texts(tmp_path):
    store = opened(tmp_path / "a.sqlite")
    store.write(["a", "b", "c"], [b"1", b"2", b"3"])
    assert list(store.read(["x", "c", "y", "a"])) == [{1: b"3", 3: b"1"}]
    assert list(store.read(["x"])) == []
    assert list(store.read([])) == []


def test_reading_continues_while_others_write(tmp_path):
    store = opened(tmp_path / "a.sqlite")
    store.write([f"text {number}" for number in range(600)], [b"a"] * 600)
    reading = store.read([f"text {number}" for number in range(1200)])
    next(reading)
    store.write(["text 600"], [b"a"])
    assert sum(map(len, reading)) in {100, 101}


RACE = """
import multiprocessing, sys
from pathlib import Path
from evaluate_qa.metrics._shared.stores import Store
context = multiprocessing.get_context("fork")
barrier = context.Barrier(6)
def create(rank):
    for number in range(20):
        barrier.wait(timeout=30)
        store = Store(Path(sys.argv[1]) / f"{number}.sqlite", "race")
        for i in range(3 * rank, 3 * rank + 3):
            store.write([f"text {i}"], [f"value {i}".encode()])
            list(store.read(["text 0"]))
processes = [context.Process(target=create, args=(rank,)) for rank in range(6)]
for process in processes: process.start()
for process in processes: process.join()
sys.exit(max(process.exitcode for process in processes))
"""


def test_processes_can_create_and_write_a_store_at_the_same_time(processes, tmp_path):
    """Six processes create each store after a barrier, and none fails because the database is locked."""
    racing = processes.start("-c", RACE, tmp_path)
    assert (racing.communicate(timeout=60)[1], racing.returncode) == ("", 0)
    expected = {f"text {number}": f"value {number}".encode() for number in range(18)}
    for number in range(20):
        store = opened(tmp_path / f"{number}.sqlite")
        assert read_all(store, list(expected)) == expected
        assert len(list(store)) == 18


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
