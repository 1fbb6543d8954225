"""`python -m evaluate_qa.dev.bench evqascore`: all steps see the same frames, and the command prints them."""

import pytest
from commands import run_program

from evaluate_qa.dev.benchmarks import measure
from evaluate_qa.dev.benchmarks.evqascore import (
    DECODE,
    ENCODE,
    LOOP,
    PREPARED,
    PURE,
    SCORE,
    WHOLE,
    Job,
    cases,
    copied,
    named,
    write_video,
)
from evaluate_qa.dev.benchmarks.measure import Measurement
from evaluate_qa.dev.benchmarks.tables import evqascore_table
from evaluate_qa.metrics.evqascore.clip_models import demo_folder

DEMO = str(demo_folder())


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return str(write_video(tmp_path_factory.mktemp("video") / "made.mp4", 1.5, (96, 64)))


def test_every_step_sees_the_sampled_frames(video):
    pytest.importorskip("cv2")
    listed = cases(Job((video,), model=DEMO, device="cpu", threads=2), [10, 30])
    found = {name: prepare(job)() for name, (prepare, job) in listed.items()}
    # 45 frames: of each ten 0, 10, …, 40; of each thirty 0 and 30.
    steps = (LOOP, DECODE, PREPARED, ENCODE, WHOLE)
    assert found == {PURE: 45, SCORE: 2} | {named(s, 10): 5 for s in steps} | {named(s, 30): 2 for s in steps}


def test_many_videos_are_read_beside_pure_decoding(video, tmp_path):
    listed = cases(Job(copied(video, tmp_path, 3), model=DEMO, device="cpu", threads=2), [30])
    # Three of 45 frames, of each 0 and 30.
    assert {name: prepare(job)() for name, (prepare, job) in listed.items()} == {
        PURE: 135,
        named(DECODE, 30): 6,
        named(PREPARED, 30): 6,
        named(WHOLE, 30): 6,
    }


def test_the_table_compares_with_the_baselines():
    # Half a second against two of pure decoding is 0.25 times as long; the loop's one second is twice as slow.
    found = {PURE: 2.0, named(LOOP, 30): 1.0, named(WHOLE, 30): 0.5, SCORE: 0.1}
    measured = {name: Measurement(seconds, 10**8, 0, 45) for name, seconds in found.items()}
    columns = [list(column.cells) for column in evqascore_table(measured, PURE, LOOP).columns]
    assert columns[0] == list(found)
    assert columns[3] == ["1.00", "0.50", "0.25", "0.05"]
    assert columns[4] == ["", "1.00", "2.00", ""]


@pytest.mark.slow
def test_the_command_prints_a_table(video, monkeypatch):
    # In this process: that each case gets one of its own, tests of its memory show.
    monkeypatch.setattr(measure, "_in_own_process", measure._run)
    pytest.importorskip("cv2")
    command = ["bench", "evqascore", "--video", video, "--model", DEMO, "--device", "cpu", "--interval", "30"]
    result = run_program(*command)
    assert "one video of 45 frames" in result.output
    for name in (PURE, named(LOOP, 30), named(WHOLE, 30), SCORE):
        assert name in result.output


def test_the_command_names_a_missing_video():
    result = run_program("bench", "evqascore", "--video", "no/such.mp4", code=1)
    assert "no/such.mp4" in result.output
