"""Damage to a store, a full disk, a lock: scores are computed, one warning tells, nothing is deleted."""

import re
import shutil
import sqlite3
import tempfile
import warnings
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
import tiny_checkpoints
from damage import flip, no_room, without_privileges

import evaluate_qa
from evaluate_qa.metrics._shared import stores
from evaluate_qa.metrics.smile.vectors import VectorStore

TEXTS = [f"text {number}" for number in range(400)]
VECTORS = np.random.default_rng(0).normal(size=(len(TEXTS), 16)).astype(np.float32)


@contextmanager
def one_warning(pattern):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield told
    assert [re.search(pattern, str(one.message)) is not None for one in told] == [True], list(map(str, told))


def read_all(store, texts=TEXTS):
    return {texts[i]: row for at, rows in store.read(texts) for i, row in zip(at, rows, strict=True)}


def assert_right(found):
    for text, vector in found.items():
        assert vector.tobytes() == VECTORS[TEXTS.index(text)].tobytes(), text


@pytest.fixture
def path(tmp_path):
    """A store of all the texts, several pages long."""
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
def test_a_damaged_store_is_renamed_and_a_new_one_begun(path, damage):
    content = DAMAGE[damage](path.read_bytes())
    path.write_bytes(content)
    with one_warning("smile: the store of vectors") as told:
        store = VectorStore(path.parent, "model")
        found = read_all(store)
        store.write(TEXTS, VECTORS)
    aside = re.search(rf"{re.escape(str(path))} is damaged \(.+\)\. It is (\S+) now", str(told[0].message))[1]
    assert (path.parent / aside).read_bytes() == content
    assert_right(found)
    assert len(found) < len(TEXTS)
    again = read_all(VectorStore(path.parent, "model"))
    assert len(again) == len(TEXTS)
    assert_right(again)


def test_an_empty_file_is_an_empty_store(path):
    path.write_bytes(b"")
    assert len(VectorStore(path.parent, "model")) == 0


def test_whatever_bit_is_flipped_no_vector_is_another(path):
    content, lost = path.read_bytes(), 0
    for position in range(0, len(content), 397):
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        path.write_bytes(flip(content, position))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            store = VectorStore(path.parent, "model")
            found = read_all(store)
            assert_right(found)
            store.write([text for text in TEXTS if text not in found], VECTORS[[text not in found for text in TEXTS]])
        assert len(told) <= 1, [str(one.message) for one in told]
        lost += len(found) < len(TEXTS)
    assert lost > len(content) / 397 / 4  # most of the file are vectors: a flipped bit cannot often go unnoticed


def test_a_flipped_bit_costs_one_vector(path):
    content = path.read_bytes()
    path.write_bytes(flip(content, content.index(VECTORS[7].tobytes()) + 5))
    store = VectorStore(path.parent, "model")
    found = read_all(store)
    assert set(TEXTS) - set(found) == {"text 7"}
    assert_right(found)
    store.write(["text 7"], VECTORS[7:8])
    assert len(read_all(store)) == len(TEXTS)


def test_a_vector_under_the_key_of_another_text_is_not_taken(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        values = "(SELECT value, checksum FROM entries WHERE key = ?)"
        first, second = (stores._key(text) for text in TEXTS[:2])
        connection.execute(f"UPDATE entries SET (value, checksum) = {values} WHERE key = ?", [first, second])
    assert set(TEXTS) - set(read_all(VectorStore(path.parent, "model"))) == {TEXTS[1]}


def test_on_a_full_disk_nothing_more_is_stored(path):
    store, more = VectorStore(path.parent, "model"), [f"more {number}" for number in range(400)]
    with (
        no_room(path.stat().st_size + 100),
        one_warning(rf"{re.escape(str(path))} cannot be used .* its disk has room"),
    ):
        for _ in range(3):
            store.write(more, VECTORS)
        assert len(read_all(store)) == len(TEXTS)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    later = VectorStore(path.parent, "model")
    assert_right(read_all(later))
    assert read_all(later, more) == {}
    later.write(more, VECTORS)
    assert len(later) == 800


def test_a_store_cannot_be_begun_on_a_full_disk(tmp_path):
    with no_room(100), one_warning("cannot be used"):
        store = VectorStore(tmp_path, "model")
        store.write(TEXTS, VECTORS)
        assert read_all(store) == {}


def test_a_locked_store_is_left_alone(path, monkeypatch):
    monkeypatch.setattr(stores, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with one_warning("locked.*no program holds it"):
            store = VectorStore(path.parent, "model")
            store.write(TEXTS, VECTORS)
            assert read_all(store) == {}
        connection.rollback()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(read_all(VectorStore(path.parent, "model"))) == len(TEXTS)


@pytest.fixture
def read_only(path):
    """A store that may be read, with its folder, and not be written."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(shutil.copy(path, folder))
        there.chmod(0o444)
        there.parent.chmod(0o555)
        yield there
        there.parent.chmod(0o755)


def test_what_is_read_only_is_read(read_only):
    with without_privileges(), one_warning("readonly.*that it can be written"):
        store = VectorStore(read_only.parent, "model")
        assert len(read_all(store)) == len(TEXTS)
        for _ in range(2):
            store.write(["more"], VECTORS[:1])
        assert len(read_all(store)) == len(TEXTS)


def test_what_is_damaged_and_cannot_be_renamed_is_not_used(read_only):
    content = read_only.read_bytes()[:5000]
    read_only.chmod(0o644)
    read_only.write_bytes(content)
    with without_privileges(), one_warning("malformed"):
        store = VectorStore(read_only.parent, "model")
        assert read_all(store) == {}
        store.write(TEXTS, VECTORS)
    assert {file.name: file.read_bytes() for file in read_only.parent.iterdir()} == {read_only.name: content}


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with one_warning("cannot be used"):
        store = VectorStore(tmp_path / "file" / "folder", "model")
        store.write(TEXTS, VECTORS)
        assert read_all(store) == {}


def test_a_store_that_is_deleted_meanwhile_is_begun_again(path):
    store = VectorStore(path.parent, "model")
    shutil.rmtree(path.parent)
    assert read_all(store) == {}
    store.write(TEXTS, VECTORS)
    assert len(read_all(store)) == len(TEXTS)


def test_vectors_without_checksums_are_taken_over(tmp_path):
    path = VectorStore(tmp_path, "model").path
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        rows = [(stores._key(text), vector.tobytes()) for text, vector in zip(TEXTS, VECTORS, strict=True)]
        connection.executemany("INSERT INTO vectors VALUES (?, ?)", rows)
    for _ in range(2):
        found = read_all(VectorStore(tmp_path, "model"))
        assert len(found) == len(TEXTS)
        assert_right(found)


# The whole metric, where trouble begins before or after some vectors are stored


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_checkpoints.bert(tmp_path_factory.mktemp("model") / "tiny")


def scores(model, folder=None):
    metric = evaluate_qa.load("smile", model=str(model), device="cpu", cache_dir=folder and str(folder))
    names = [f"{number} {number + 1}" for number in range(600)]
    return metric.compute(predictions=names, references=names[::-1])["per_example"]["score"]


@pytest.mark.parametrize("folder", ["there", "a file/not to be made"])
def test_trouble_with_the_cache_costs_no_score(tiny, tmp_path, folder):
    """Of 600 vectors of 128 bytes not all have room."""
    (tmp_path / "a file").touch()
    with no_room(70_000), one_warning("smile: the store of vectors: .* cannot be used"):
        found = scores(tiny, tmp_path / folder)
    assert 0 < sum(path.stat().st_size for path in tmp_path.rglob("*.sqlite")) <= 70_000 or folder != "there"
    assert found == pytest.approx(scores(tiny), abs=1e-6)
