"""What the buttons of the tab for files do, with videos: what is shown, kept and deleted."""

import os
import shutil
import time
from pathlib import Path

import pytest

from evaluate_qa.spaces._shared.page.file_tab import FileEvents
from evaluate_qa.spaces._shared.scoring.batch import ScoredFile
from evaluate_qa.spaces._shared.scoring.videos import Videos
from evaluate_qa.spaces._shared.visitors.limits import LIMITS

CLIPS = Path(__file__).parents[2] / "spaces" / "evqascore" / "clips"
RED, GREEN = CLIPS / "red_square.mp4", CLIPS / "green_ring.mp4"


@pytest.fixture
def events(specification_of, scorer_of):
    """Those of the Space that has videos."""
    return FileEvents(specification_of("evqascore"), scorer_of("evqascore"), "evqascore")


@pytest.fixture(autouse=True)
def upload(tmp_path, monkeypatch):
    """Puts a file where uploaded ones lie."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))

    def put(path):
        folder = tmp_path / "uploads" / path.stem
        folder.mkdir(parents=True)
        return shutil.copy(path, folder)

    return put


def opens(specification):
    """What the controls have when the page opens."""
    return [control.shown for control in specification.controls]


def test_nothing_can_be_scored_until_the_videos_are_read(events, upload):
    steps = list(events.videos([str(upload(RED)), str(upload(GREEN))], None))
    assert [len(videos.read) for _, videos, _, _ in steps] == [0, 1, 2, 2]
    assert [button["interactive"] for *_, button in steps] == [False, False, False, True]
    assert "1 of 2 videos" in steps[1][2]
    assert "2 videos read: red_square.mp4, green_ring.mp4." in steps[-1][2]
    # The box is emptied: what lay in it is gone.
    assert {box for box, *_ in steps} == {None}


def test_after_a_refusal_what_was_there_stays(events, upload):
    (*_, (_, known, _, _)) = events.videos([str(upload(RED))], None)
    ((_, videos, told, button),) = events.videos([str(upload(GREEN)), "/etc/passwd"], known)
    assert {*videos.read} == {RED.name}
    assert "Video: expected an uploaded file." in told
    assert "1 video read: red_square.mp4." in told
    assert button["interactive"] is True


def test_no_other_file_is_read_or_deleted_as_an_upload(events, upload, tmp_path):
    upload(RED)
    rows = tmp_path / "rows.txt"
    rows.write_text("secret")
    table, _, told = events.upload(str(rows))
    assert table is None
    assert "secret" not in told
    assert rows.exists()
    ((_, videos, _, _),) = events.videos([str(RED)], None)
    assert (videos, RED.exists()) == (Videos(), True)


def test_what_gradio_forgets_is_deleted_once_it_is_old(events, upload, tmp_path):
    upload(RED)
    old, young = (tmp_path / "uploads" / name for name in ("tmpold", "tmpyoung"))
    for path in (old, young):
        path.touch()
    os.utime(old, (time.time() - LIMITS.kept_seconds - 1,) * 2)
    list(events.videos([], None))
    assert (old.exists(), young.exists()) == (False, True)


def test_the_examples_bring_their_videos_which_stay(events, specification_of):
    videos, told, _ = events.example_videos()
    assert {*videos.read} == {RED.name, GREEN.name}
    assert "2 videos read" in told
    assert RED.exists()
    table, _, told = events.examples()
    assert [row["videos"] for row in table.rows] == [RED.name] * 4 + [GREEN.name]
    specification = specification_of("evqascore")
    *_, last = events.run(table, videos, *opens(specification))
    _, status, results, shown, download, _, _ = last
    assert "Done." in status
    assert "<dd>5</dd>" in results
    frame = shown["value"]
    assert list(frame)[:5] == ["row", "score", "prediction", "video", "question"]
    # 24 frames at 12 a second, of which every 6th is looked at.
    times = {time for cell in frame["best_times"] for time in cell.split(" · ")}
    assert times <= {"0", "0.5", "1", "1.5"}
    assert {frame for cell in frame["best_frames"] for frame in cell.split(" · ")} <= {"0", "6", "12", "18"}
    assert frame["keywords"][0] == "moves · large red · square"
    assert Path(download["value"]).read_text().startswith("row,score,prediction,video,question")


def test_who_stops_can_score_again(events, specification_of):
    videos, table = events.example_videos()[0], events.examples()[0]
    *_, button = events.stop(None)
    assert button["interactive"] is True
    steps = events.run(table, videos, *opens(specification_of("evqascore")))
    next(steps)
    scored = next(steps)[0]
    steps.close()
    assert isinstance(scored, ScoredFile)
    status, results, *_, button = events.stop(scored)
    assert "<dd>5</dd>" in results
    assert "Done." in status
    assert button["interactive"] is True
