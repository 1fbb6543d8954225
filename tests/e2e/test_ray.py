"""`evaluate-qa score --engine ray` writes the same output as one machine, even if processes are killed."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from commands import run_command
from processes import free_port

from evaluate_qa.dev.toy_clip.clips import all_clips, held_out, write_clip
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
from toy_metric import toy_rows, write_toy_metric
from waiting import when_there

# Ray reads these when it is imported. A cluster requires its token. By default, Ray's workers have a lower priority
# than other processes, such as other tests.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
pytest.importorskip("ray")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(processes, tmp_path_factory):
    """A Ray cluster with two CPUs, whose actors do not import torch: its process and its address."""
    address = f"127.0.0.1:{free_port()}"
    ray = ["-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus=2"]
    options = ["--include-dashboard=false", "--object-store-memory=100000000", f"--port={address.rpartition(':')[2]}"]
    options += ["--node-ip-address=127.0.0.1"]
    folder = tmp_path_factory.mktemp("ray")
    log, env = folder / "log", os.environ | {"PYTHONPATH": processes.path_without_torch(folder)}
    with (
        log.open("w") as file,
        processes.start(*ray, *options, env=env, stdout=file, stderr=subprocess.STDOUT) as process,
    ):
        deadline = time.monotonic() + 180
        while "Ray runtime started" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield psutil.Process(process.pid), address
        process.terminate()


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "metrics").mkdir()
    return write_toy_metric(tmp_path / "metrics")


@pytest.fixture
def score(working_folder):
    return lambda *arguments, code=0: run_command("score", *arguments, code=code).stderr


def actors(process):
    return [child for child in process.children(recursive=True) if "ray::ScoringActor" in command_line(child)]


def command_line(process):
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return ""


def test_a_killed_actor_is_replaced_and_nothing_is_lost_or_doubled(score, toy, cluster, monkeypatch):
    process, address = cluster
    write_rows("in.parquet", toy_rows(160))
    options = ["--metric", toy, "--input", "in.parquet", "--chunk-size", 10, "--compute", "seconds=0.3"]
    killed = []

    def kill():
        killed.append(actors(process)[0])
        killed[0].kill()

    thread = when_there(Path("out.parquet.work/000003.block"), kill, 180)
    ray = ["--engine", "ray", "--num-actors", 2]
    monkeypatch.setenv("RAY_ADDRESS", address)
    output = score(*options, "--output", "out.parquet", "--errors", "bad.jsonl", *ray)
    thread.join()
    assert killed
    assert killed[0].pid not in {child.pid for child in actors(process)}
    plain = score(*options, "--output", "plain.parquet", "--errors", "plain_bad.jsonl")
    assert Path("out.parquet").read_bytes() == Path("plain.parquet").read_bytes()
    assert Path("bad.jsonl").read_bytes() == Path("plain_bad.jsonl").read_bytes()
    # 5, 22, 39, …, 158: ten rows without a reference
    bad = Path("bad.jsonl").read_text().splitlines()
    assert [json.loads(line)["input"]["id"] for line in bad] == list(range(5, 160, 17))
    summary = output[output.index("rows scored") :].split("Bad rows")[0]
    assert summary == plain[plain.index("rows scored") :].split("Bad rows")[0]
    assert not Path("out.parquet.work").exists()


def test_a_killed_command_resumes(processes, score, toy, cluster, tmp_path, monkeypatch):
    write_rows("in.jsonl", toy_rows(160))
    options = ["--metric", toy, "--input", "in.jsonl", "--chunk-size", "10", "--compute", "seconds=0.3"]
    started = [*options, "--output", "out.csv", "--errors", "bad.jsonl"]
    ray = ["--engine", "ray", "--num-actors", "2"]
    env = os.environ | {"PYTHONPATH": processes.path_without_torch(tmp_path)}
    with processes.start("-c", "from evaluate_qa.cli import app; app()", "score", *started, *ray, env=env) as process:
        when_there(tmp_path / "out.csv.work" / "000004.block", process.kill, 180).join()
        _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors
    assert not Path("out.csv").exists()
    finished = {int(path.stem) for path in Path("out.csv.work").glob("[0-9]*.block")}
    assert 4 in finished
    assert len(finished) < 16
    # A chunk that is scored again would have another time.
    times = {path.name: path.stat().st_mtime_ns for path in Path("out.csv.work").glob("[0-9]*.csv")}
    monkeypatch.setenv("RAY_ADDRESS", cluster[1])
    assert "start over with --overwrite" in score(*started, *ray, code=1)
    assert "chunk size 10, but this run has chunk size 20" in score(
        *started, *ray, "--resume", "--chunk-size", 20, code=1
    )
    assert times == {path.name: path.stat().st_mtime_ns for path in Path("out.csv.work").glob("[0-9]*.csv")}
    output = score(*started, *ray, "--resume")
    assert f"{10 * len(finished)}/160" in output  # the progress bar begins where the run was stopped
    score(*options, "--output", "plain.csv", "--errors", "plain_bad.jsonl")
    assert Path("out.csv").read_bytes() == Path("plain.csv").read_bytes()
    assert Path("bad.jsonl").read_bytes() == Path("plain_bad.jsonl").read_bytes()


def test_sigterm_stops_the_command_and_says_how_to_continue(score, toy, cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster[1])
    write_rows("in.jsonl", toy_rows(160))
    options = ["--metric", toy, "--input", "in.jsonl", "--chunk-size", 10, "--compute", "seconds=0.3"]
    options += ["--output", "out.jsonl", "--errors", "bad.jsonl", "--engine", "ray"]
    thread = when_there(Path("out.jsonl.work/000001.block"), lambda: os.kill(os.getpid(), signal.SIGTERM), 180)
    assert "evaluate-qa score: stopped. Continue with --resume.\n" in score(*options, code=128 + signal.SIGTERM)
    thread.join()
    assert "150" in score(*options, "--resume")


def test_rows_with_videos(processes, score, tmp_path):
    """Without a cluster: relative paths start at the folder of the input, and a broken video is set aside."""
    for package in ("av", "transformers", "yake"):
        pytest.importorskip(package)
    (tmp_path / "data/clips").mkdir(parents=True)
    clips = [clip for clip in all_clips() if held_out(clip)][:3]
    for number, clip in enumerate(clips):
        write_clip(clip, tmp_path / f"data/clips/{number}.mp4")
    (tmp_path / "data/clips/3.mp4").write_text("no video")
    captions = [*(clip.caption() for clip in clips), "nothing"]
    given = [{"video": f"clips/{number}.mp4", "prediction": caption} for number, caption in enumerate(captions)]
    write_rows("data/in.parquet", given)
    metric = ["--metric", "evqascore", "--load", "config=demo", "--compute", "interval=6", "--chunk-size", 2]
    options = [*metric, "--input", "data/in.parquet"]
    ray = ["--engine", "ray", "--num-actors", 1]
    score(*options, "--output", "out.parquet", "--errors", "bad.jsonl", *ray)
    score(*options, "--output", "plain.parquet", "--errors", "plain_bad.jsonl")
    out, plain = ([row for _, row in read_rows(name)] for name in ("out.parquet", "plain.parquet"))
    assert [row["video"] for row in out] == ["clips/0.mp4", "clips/1.mp4", "clips/2.mp4"]
    assert [row["score"] for row in out] == pytest.approx([row["score"] for row in plain], abs=1e-6)
    assert Path("bad.jsonl").read_bytes() == Path("plain_bad.jsonl").read_bytes()
    assert "data/in.parquet, row 4: 3.mp4 is not a video" in Path("bad.jsonl").read_text()


def test_a_bad_row_stops_the_run_before_an_actor_is_started(score, toy, cluster, monkeypatch):
    write_rows("in.jsonl", toy_rows(20))
    ray = ["--engine", "ray"]
    monkeypatch.setenv("RAY_ADDRESS", cluster[1])
    output = score("--metric", toy, "--input", "in.jsonl", "--output", "out.jsonl", *ray, code=1)
    assert "in.jsonl, line 6: toy: references is []" in output
    assert not Path("out.jsonl.work").exists()


def test_wrong_options_are_reported(score, toy, cluster, monkeypatch):
    write_rows("in.jsonl", toy_rows(5))
    files = ["--metric", toy, "--input", "in.jsonl", "--output", "out.jsonl"]
    ray = ["--engine", "ray"]
    assert "--num-actors works with Ray only. Add --engine ray" in score(*files, "--num-actors", 2, code=1)
    assert "--num-actors is 0" in score(*files, *ray, "--num-actors", 0, code=1)
    assert "--num-gpus is -1" in score(*files, *ray, "--num-gpus", -1, code=1)
    assert "files" in score(*files, *ray, "--output", "-", code=1)
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{free_port()}")
    output = score(*files, *ray, code=1)
    assert "no Ray cluster answers" in output
    assert "Start one with: ray start --head" in output
    monkeypatch.setenv("RAY_ADDRESS", cluster[1])
    output = score(*files, *ray, "--num-actors", 3, code=1)
    assert "has CPU: 2, GPU: 0, but the actors need 3 × (CPU: 1, GPU: 0)" in output
    assert "the actors need 1 × (CPU: 1, GPU: 1)" in score(*files, *ray, "--num-gpus", 1, code=1)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'evaluate-qa[ray]'" in score(*files, *ray, code=1)
    assert sorted(path.name for path in Path().iterdir()) == ["in.jsonl", "metrics"]
