"""Only one run at a time may use a work folder, and files of users stay in it."""

import json
import os
from pathlib import Path

import pytest

from evaluate_qa.files.rows import RowsError
from evaluate_qa.files.work_folder import _is_ours, finish_work, lock_work_folder, save_settings
from evaluate_qa.files.writing import replacing

RACE = """
import json, sys, time
from pathlib import Path
from evaluate_qa.files.work_folder import lock_work_folder
from evaluate_qa.files.rows import RowsError

had, refused, end = 0, 0, time.monotonic() + 2
while time.monotonic() < end:
    try:
        with lock_work_folder(Path("out.jsonl")) as folder:
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


def test_one_of_many_processes_has_the_folder_and_the_others_are_refused(processes, tmp_path):
    racing = [processes.start("-c", RACE, cwd=tmp_path) for _ in range(5)]
    ended = [process.communicate(timeout=60) for process in racing]
    assert [process.returncode for process in racing] == [0] * 5, [err for _, err in ended]
    assert sum(json.loads(out)[0] for out, _ in ended) > 100
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_ours_even_if_another_run_removes_it_meanwhile(tmp_path, monkeypatch):
    with lock_work_folder(tmp_path / "out.jsonl") as folder:
        (folder / "000000.jsonl").touch()
        # The other run removes the files after they were listed.
        monkeypatch.setattr(Path, "exists", lambda path: False)
        assert _is_ours(folder)


def test_the_folder_stays_while_it_holds_work(tmp_path):
    target = tmp_path / "out.jsonl"
    with lock_work_folder(target) as folder:
        assert folder == tmp_path / "out.jsonl.work"
        save_settings(folder, {})
        with pytest.raises(RowsError, match="another run is writing it"), lock_work_folder(target):
            pass
    with lock_work_folder(target) as folder:
        finish_work(folder)
        (folder / "cache").mkdir()
        (folder / "cache" / "kept").touch()
    assert list(tmp_path.iterdir()) == []


def test_temporary_files_are_in_the_work_folder(tmp_path):
    target = tmp_path / "out.jsonl"
    with lock_work_folder(target) as folder, replacing(target) as path:
        path.write_text("half")
        assert path.parent == folder
        os.link(path, folder / f".{target.name}.77.part")  # as a killed run leaves it
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]
    with replacing(target) as path:
        path.write_text("whole")
        assert path.parent == tmp_path


def test_files_of_a_run_that_was_killed_at_its_end_are_removed(tmp_path):
    target, folder = tmp_path / "out.jsonl", tmp_path / "out.jsonl.work"
    folder.mkdir()
    for name in ("evaluate-qa.lock", "000003.block", "000003.jsonl", ".000004.jsonl.77.part"):
        (folder / name).touch()
    with lock_work_folder(target):
        assert [path.name for path in folder.iterdir()] == ["evaluate-qa.lock"]
    assert not folder.exists()


def test_files_of_users_stay(tmp_path):
    target, folder = tmp_path / "out.jsonl", Path(tmp_path, "out.jsonl.work")
    with lock_work_folder(target):
        (folder / "notes.txt").write_text("mine")
        (folder / "000001.jsonl").touch()
        (folder / "deep").mkdir()
    assert sorted(path.name for path in folder.iterdir()) == ["deep", "notes.txt"]
    with (
        pytest.raises(RowsError, match=r"out\.jsonl\.work is needed for the work on .*, but another program made it\."),
        lock_work_folder(target),
    ):
        pass
    assert (folder / "notes.txt").read_text() == "mine"
