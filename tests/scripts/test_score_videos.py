"""`evaluate-qa score` and `select` with videos: paths, broken files, keywords."""

import shutil
from pathlib import Path

import pytest
from commands import run_command

from evaluate_qa.dev.toy_clip.clips import all_clips, held_out, write_clip
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.metrics.evqascore import encoding

CLIPS = [clip for clip in all_clips() if held_out(clip)][:3]
ROWS = [
    {"id": number, "video": f"clips/{number}.mp4", "prediction": clip.caption(), "keywords": None}
    for number, clip in enumerate(CLIPS)
]
ROWS[1]["keywords"] = [CLIPS[1].shape]
OPTIONS = ["--load", "config=demo", "--compute", "interval=6"]


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "clips"
    folder.mkdir()
    for number, clip in enumerate(CLIPS):
        write_clip(clip, folder / f"{number}.mp4")
    return folder


@pytest.fixture
def run(working_folder, clips, tmp_path):
    """Runs a command in a folder with a subfolder `data` of clips."""
    shutil.copytree(clips, tmp_path / "data" / "clips")

    def run(command, *arguments, code=0):
        arguments = [*arguments, *(OPTIONS if "evqascore" in arguments else [])]
        return run_command(command, *arguments, code=code)

    return run


def rows(path):
    return [row for _, row in read_rows(path)]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_paths_start_at_the_folder_of_the_input(run, suffix):
    write_rows(f"data/rows.{suffix}", ROWS)
    error = run("score", "--metric", "evqascore", "--input", f"data/rows.{suffix}", "--output", "out.jsonl")
    out = rows("out.jsonl")
    assert [row["video"] for row in out] == [row["video"] for row in ROWS]
    assert [row["frames"] for row in out] == [4, 4, 4]
    assert out[1]["keywords"] == [CLIPS[1].shape]
    assert CLIPS[0].color in " ".join(out[0]["keywords"])
    assert all(isinstance(row["score"], float) for row in out)
    assert "mean score" in error.stderr
    assert "signature: evqascore|v:1.2.0|clip:" in error.stderr


def test_absolute_paths_and_other_columns(run, tmp_path):
    named = [{"clip": str(tmp_path / "data" / row["video"]), "prediction": row["prediction"]} for row in ROWS]
    write_rows("data/rows.jsonl", named)
    arguments = ["--metric", "evqascore", "--input", "data/rows.jsonl", "--output", "out.jsonl"]
    run("score", *arguments, "--column", "videos=clip")
    assert len(rows("out.jsonl")) == 3


def test_a_missing_video_stops_the_run_before_scoring(run):
    write_rows("data/rows.jsonl", [ROWS[0], ROWS[1] | {"video": "clips/9.mp4"}])
    arguments = ["--metric", "evqascore", "--input", "data/rows.jsonl", "--output", "out.jsonl"]
    error = run("score", *arguments, code=1).stderr
    assert "data/rows.jsonl, line 2: evqascore: video is 'data/clips/9.mp4'; expected the path of a video that" in error
    assert not Path("out.jsonl.work").exists()


@pytest.mark.parametrize("chunk_size", [1, 2, 100])
def test_broken_videos_are_set_aside(run, chunk_size):
    Path("data/clips/bad.mp4").write_text("no video")
    broken, missing = ({"id": name, "video": f"clips/{name}.mp4", "prediction": "a"} for name in ("bad", "none"))
    arguments = ["--metric", "evqascore", "--input", "data/rows.jsonl", "--output", "out.jsonl"]
    write_rows("data/rows.jsonl", [ROWS[0], broken])
    assert "line 2: evqascore: video: bad.mp4 is not a video" in run("score", *arguments, code=1).stderr
    write_rows("data/rows.jsonl", [ROWS[0], broken, missing, ROWS[1], broken])
    error = run("score", *arguments, "--errors", "bad.jsonl", "--chunk-size", chunk_size).stderr
    assert [row["id"] for row in rows("out.jsonl")] == [0, 1]
    assert "error" not in rows("out.jsonl")[0]
    aside = rows("bad.jsonl")
    assert [row["row"] for row in aside] == [2, 3, 5]
    assert aside[0]["input"] == broken
    assert aside[0]["error"].startswith("data/rows.jsonl, line 2: bad.mp4 is not a video")
    assert "none.mp4 does not exist" in aside[1]["error"]
    assert "bad rows" in error


def test_keywords_of_the_input_are_never_overwritten(run):
    write_rows("data/rows.jsonl", [ROWS[0] | {"keywords": "one text"}])
    arguments = ["--metric", "evqascore", "--input", "data/rows.jsonl", "--output", "out.jsonl"]
    assert "there is a column 'keywords' already" in run("score", *arguments, code=1).stderr
    run("score", *arguments, "--prefix", "evqa_")
    assert rows("out.jsonl")[0]["evqa_keywords"] == ["one text"]


def test_each_video_is_read_once_in_any_order_of_rows(run, monkeypatch):
    read, original = [], encoding.read_samples
    monkeypatch.setattr(encoding, "read_samples", lambda path, *rest: read.append(path) or original(path, *rest))
    write_rows("data/rows.jsonl", ROWS * 3)
    arguments = ["--metric", "evqascore", "--input", "data/rows.jsonl", "--output", "out.jsonl"]
    run("score", *arguments, "--chunk-size", 2)
    assert sorted(read) == [f"data/clips/{number}.mp4" for number in range(3)]
    assert sorted(path.name for path in Path().iterdir()) == ["data", "out.jsonl"]
    assert "out.jsonl is complete already." in run("score", *arguments, "--resume").stderr
    error = run("score", *arguments, "--resume", "--compute", "max_frames=2", code=1).stderr
    assert "out.jsonl exists, but the options of this run differ from its signature in most." in error
    assert len(read) == 3
