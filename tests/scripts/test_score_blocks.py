"""A damaged block is scored again; the other blocks are kept."""

import pytest

from evaluate_qa.files.rows import read_rows
from evaluate_qa.scoring.blocks import Blocks
from evaluate_qa.scoring.row_scorer import BadRow, Progress, ScoredChunk


def _blocks(folder, resume=True):
    work = folder / "out.jsonl.work"
    work.mkdir(exist_ok=True)
    return Blocks(work, folder / "out.jsonl", folder / "bad.jsonl", {"metric": "any"}, resume)


def _add(blocks, number):
    """Add row 2n + 1 with the score n, and the bad row 2n + 2."""
    records = [(2 * number + 1, {"a": number}), (2 * number + 2, {"a": None})]
    bad = [BadRow(2 * number + 2, "bad", {"a": None})]
    progress = Progress(2, 1, {"score": (number, 1)}, ["s"])
    blocks.add(number, records, ScoredChunk([{"a": number, "score": number}], bad, progress))


@pytest.fixture
def work(tmp_path):
    blocks = _blocks(tmp_path, resume=False)
    for number in (3, 0, 2, 1):
        _add(blocks, number)
    # The sum of the scores is 0 + 1 + 2 + 3.
    assert blocks.progress == Progress(8, 4, {"score": [6, 4]}, ("s",))
    return tmp_path / "out.jsonl.work"


@pytest.mark.parametrize("name", ["000001.jsonl", "000001.bad.jsonl", "000001.block"])
def test_only_a_damaged_block_is_made_again(tmp_path, work, name):
    path = work / name
    content = path.read_bytes()
    path.write_bytes(content[:-4] + bytes([content[-4] ^ 1]) + content[-3:])  # flip a bit
    blocks = _blocks(tmp_path)
    assert sorted(blocks.finished) == [0, 2, 3]
    assert blocks.progress.sums == {"score": [5, 3]}
    _add(blocks, 1)
    blocks.finish()
    assert [row["a"] for _, row in read_rows(tmp_path / "out.jsonl")] == [0, 1, 2, 3]
    assert [row["row"] for _, row in read_rows(tmp_path / "bad.jsonl")] == [2, 4, 6, 8]
