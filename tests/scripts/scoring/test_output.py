"""A damaged chunk is scored again; the other chunks are kept."""

import pytest

from evaluate_qa.files.rows import read_rows
from evaluate_qa.scoring.chunk_scorer import BadRow, Chunk, Progress, ScoredChunk
from evaluate_qa.scoring.output import SavedChunks


def _open(folder, resume=True):
    work = folder / "out.jsonl.work"
    work.mkdir(exist_ok=True)
    return SavedChunks(work, folder / "out.jsonl", folder / "bad.jsonl", {"metric": "any"}, resume)


def _add(chunks, number):
    """Add row 2n + 1 with the score n, and the bad row 2n + 2."""
    records = [(2 * number + 1, {"a": number}), (2 * number + 2, {"a": None})]
    bad = [BadRow(2 * number + 2, "bad", {"a": None})]
    progress = Progress(2, 1, {"score": (number, 1)}, ["s"])
    chunks.add(Chunk(number, records), ScoredChunk([{"a": number, "score": number}], bad, progress))


@pytest.fixture
def work(tmp_path):
    chunks = _open(tmp_path, resume=False)
    for number in (3, 0, 2, 1):
        _add(chunks, number)
    # The sum of the scores is 0 + 1 + 2 + 3.
    assert chunks.progress == Progress(8, 4, {"score": [6, 4]}, ("s",))
    return tmp_path / "out.jsonl.work"


@pytest.mark.parametrize("name", ["000001.jsonl", "000001.bad.jsonl", "000001.block"])
def test_only_a_damaged_chunk_is_scored_again(tmp_path, work, name):
    path = work / name
    content = path.read_bytes()
    path.write_bytes(content[:-4] + bytes([content[-4] ^ 1]) + content[-3:])  # flip a bit
    chunks = _open(tmp_path)
    assert sorted(chunks.finished) == [0, 2, 3]
    assert chunks.progress.sums == {"score": [5, 3]}
    _add(chunks, 1)
    chunks.finish()
    assert [row["a"] for _, row in read_rows(tmp_path / "out.jsonl")] == [0, 1, 2, 3]
    assert [row["row"] for _, row in read_rows(tmp_path / "bad.jsonl")] == [2, 4, 6, 8]
