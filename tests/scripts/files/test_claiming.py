"""One run at a time has the folder for the work on an output, and what is not ours in it stays."""

import json
import os
from pathlib import Path

import pytest

from evaluate_qa.files.claiming import PROGRESS, _is_ours, claimed
from evaluate_qa.files.rows import RowsError
from evaluate_qa.files.writing import replacing

RACE = """
import json, sys, time
from pathlib import Path
from evaluate_qa.files.claiming import claimed
from evaluate_qa.files.rows import RowsError

had, refused, end = 0, 0, time.monotonic() + 2
while time.monotonic() < end:
    try:
        with claimed(Path("out.jsonl")) as folder:
            part = folder / "000000.jsonl"
            part.touch(exist_ok=False)  # fails if another has the folder
            time.sleep(0.001 * (had % 3))
            assert [path.name for path in sorted(folder.iterdir())] == ["000000.jsonl", "evaluate-qa.lock"]
            if had % 2:
                part.unlink()  # else the folder's end removes it
        had += 1
    except RowsError as error:
        assert "another run is writing it" in str(error), error
        refused += 1
print(json.dumps([had, refused]))
"""


def test_of_many_processes_one_has_the_folder_and_none_fails(processes, tmp_path):
    racing = [processes.start("-c", RACE, cwd=tmp_path) for _ in range(5)]
    ended = [process.communicate(timeout=60) for process in racing]
    assert [process.returncode for process in racing] == [0] * 5, [err for _, err in ended]
    assert sum(json.loads(out)[0] for out, _ in ended) > 100
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_ours_also_if_the_run_that_had_it_ends_while_another_looks(tmp_path, monkeypatch):
    with claimed(tmp_path / "out.jsonl") as folder:
        (folder / "000000.jsonl").touch()
        # What is listed is all there; a moment later the other run has removed it.
        monkeypatch.setattr(Path, "exists", lambda path: False)
        assert _is_ours(folder)


def test_the_folder_stays_as_long_as_there_is_work_in_it(tmp_path):
    target = tmp_path / "out.jsonl"
    with claimed(target) as folder:
        assert folder == tmp_path / "out.jsonl.work"
        (folder / PROGRESS).touch()
        with pytest.raises(RowsError, match="another run is writing it"), claimed(target):
            pass
    with claimed(target) as folder:
        (folder / PROGRESS).unlink()
        (folder / "cache").mkdir()
        (folder / "cache" / "kept").touch()
    assert list(tmp_path.iterdir()) == []


def test_what_is_unfinished_lies_in_the_folder_so_that_a_kill_leaves_nothing_beside_the_output(tmp_path):
    target = tmp_path / "out.jsonl"
    with claimed(target) as folder, replacing(target) as path:
        path.write_text("half")
        assert path.parent == folder
        os.link(path, folder / f".{target.name}.77.part")  # what a kill would leave
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]
    with replacing(target) as path:
        path.write_text("whole")
        assert path.parent == tmp_path


def test_what_a_run_left_that_was_killed_at_its_end_is_no_part_of_the_next_one(tmp_path):
    target, folder = tmp_path / "out.jsonl", tmp_path / "out.jsonl.work"
    folder.mkdir()
    for name in ("evaluate-qa.lock", "000003.block", "000003.jsonl", ".000004.jsonl.77.part"):
        (folder / name).touch()
    with claimed(target):
        assert [path.name for path in folder.iterdir()] == ["evaluate-qa.lock"]
    assert not folder.exists()


def test_what_is_not_ours_stays(tmp_path):
    target, folder = tmp_path / "out.jsonl", Path(tmp_path, "out.jsonl.work")
    with claimed(target):
        (folder / "notes.txt").write_text("mine")
        (folder / "000001.jsonl").touch()
        (folder / "deep").mkdir()
    assert sorted(path.name for path in folder.iterdir()) == ["deep", "notes.txt"]
    with (
        pytest.raises(RowsError, match=r"out\.jsonl\.work is needed for the work on .*, but another program made it\."),
        claimed(target),
    ):
        pass
    assert (folder / "notes.txt").read_text() == "mine"
