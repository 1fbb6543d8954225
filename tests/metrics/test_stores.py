"""A store that is damaged, locked, read-only or on a full disk: one warning, right scores, and no deleted file."""

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
from evaluate_qa.metrics.smile.encoder import VectorStore

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
    for text, vector in found.items():
        assert vector.tobytes() == VECTORS[TEXTS.index(text)].tobytes(), text


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


# The whole metric


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
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
