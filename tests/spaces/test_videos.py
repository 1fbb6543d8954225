"""Videos of a file's rows: what is taken for one, that each is read once, and that none stays."""

import dataclasses
import shutil
import struct
import time
from pathlib import Path

import av
import numpy as np
import pytest

from evaluate_qa.metrics.evqascore import video
from evaluate_qa.spaces._shared.metric.specification import VideoReader
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect
from evaluate_qa.spaces._shared.scoring.records import records_of
from evaluate_qa.spaces._shared.scoring.videos import Videos, read_videos
from evaluate_qa.spaces._shared.visitors.limits import Limits, Refusal
from evaluate_qa.spaces._shared.visitors.uploads import delete
from evaluate_qa.spaces._shared.visitors.video import FORMATS, check_video, in_time

CLIPS = Path(__file__).parents[2] / "spaces" / "evqascore" / "clips"
RED, GREEN = CLIPS / "red_square.mp4", CLIPS / "green_ring.mp4"


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    """Where uploaded files lie, with two videos and one that is broken."""
    folder = tmp_path / "uploads"
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    for clip in (RED, GREEN):
        (folder / clip.stem).mkdir(parents=True)
        shutil.copy(clip, folder / clip.stem)
    broken = folder / "broken.mp4"
    broken.write_bytes(b"no video")
    return [folder / "red_square" / RED.name, folder / "green_ring" / GREEN.name, broken]


@pytest.fixture
def evqascore(specification_of):
    """The Space that has videos."""
    return specification_of("evqascore")


def read_all(specification, scorer, paths, known=Videos(), limits=Limits()):  # noqa: B008
    *_, videos = read_videos(specification, scorer, known, paths, limits)
    return videos


def write(path, frames, size=(32, 16), rate=30):
    """Write a grey video."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height = size
        for _ in range(frames):
            pixels = np.full((size[1], size[0], 3), 128, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return path


def test_videos_are_read_and_deleted_and_broken_ones_named(evqascore, scorer_of, uploads):
    videos = read_all(evqascore, scorer_of("evqascore"), uploads)
    assert {*videos.read} == {RED.name, GREEN.name}
    assert not uploads[0].parent.exists()
    assert videos.problems == {
        "broken.mp4": "the file cannot be read as a video. Use MP4 or WebM.",
    }
    assert not any(path.exists() for path in uploads)


def test_what_was_not_uploaded_is_not_deleted(evqascore, scorer_of, uploads, tmp_path):
    copy = Path(shutil.copy(RED, tmp_path))
    read_all(evqascore, scorer_of("evqascore"), [copy])
    (uploads[0].parent / "link.mp4").symlink_to(copy)
    delete(uploads[0].parent / "link.mp4")
    assert copy.exists()


def test_the_last_video_of_a_name_counts(evqascore, scorer_of, uploads):
    scorer, (red, green, _) = scorer_of("evqascore"), uploads
    known = read_all(evqascore, scorer, [red])
    other = green.rename(green.with_name(RED.name))
    assert read_all(evqascore, scorer, [other], known).read[RED.name] != known.read[RED.name]
    other.parent.mkdir()
    other.write_bytes(b"no video")
    later = read_all(evqascore, scorer, [other], known)
    assert (dict(later.read), [*later.problems]) == ({}, [RED.name])


def test_too_many_videos_are_refused_and_deleted(evqascore, scorer_of, uploads):
    with pytest.raises(Refusal, match="There are 3 videos; this Space accepts 2"):
        read_all(evqascore, scorer_of("evqascore"), uploads, limits=Limits(videos=2))
    assert not any(path.exists() for path in uploads)


def test_when_it_is_broken_off_all_are_deleted(evqascore, scorer_of, uploads):
    steps = read_videos(evqascore, scorer_of("evqascore"), Videos(), uploads)
    assert next(steps) == Videos()
    steps.close()
    assert not any(path.exists() for path in uploads)


def test_an_error_of_the_program_is_that_videos_problem_only(evqascore, scorer_of, uploads, caplog):
    def read(scorer, path):
        if "red" in path:
            raise KeyError("secret")
        return b"content"

    broken = dataclasses.replace(evqascore, reader=VideoReader(read, "video_features", ".safetensors"))
    videos = read_all(broken, scorer_of("evqascore"), uploads)
    assert {*videos.read} == {GREEN.name, "broken.mp4"}
    assert "secret" not in videos.problems[RED.name]
    assert "secret" in caplog.text


@pytest.mark.parametrize("name", ["c.mp4", "/etc/passwd", "../red_square.mp4", str(RED), "", "clips/red_square.mp4"])
def test_a_name_is_nothing_but_a_name(name):
    with pytest.raises(Refusal, match=r"Video: there is no video “.*”\. Uploaded: a\.mp4, b\.mp4\."):
        Videos({"b.mp4": b"", "a.mp4": b""}).of(name)
    assert Videos({"whats: this.mp4": b"1"}).of("whats: this.mp4") == b"1"


def test_a_name_is_found_as_the_upload_has_changed_it():
    """An upload leaves out what a shell might take for something else."""
    assert Videos({"clip 1.mp4": b"1"}).of("clip `1`.mp4") == b"1"


def test_rows_of_a_video_read_it_once_and_broken_ones_are_left_out(evqascore, scorer_of, uploads):
    scorer, seen = scorer_of("evqascore"), []

    def read(metric, path):
        seen.append(Path(path).name)
        return evqascore.reader.read(metric, path)

    counting = dataclasses.replace(evqascore, reader=dataclasses.replace(evqascore.reader, read=read), chunk=2)
    names = [RED.name, GREEN.name, RED.name, "broken.mp4", "/etc/passwd", RED.name, GREEN.name]
    rows = [{"video": name, "question": "What moves?", "prediction": "A large red square moves."} for name in names]
    table = collect(UploadedTable("rows", ""), enumerate(rows, 1), evqascore.file_fields)
    videos = read_all(counting, scorer, uploads)
    *_, scored = batch.score(counting, scorer, table, evqascore.options(), videos)
    assert seen == [RED.name, GREEN.name, "broken.mp4"]
    assert scored.kept == [0, 1, 2, 5, 6]
    assert [problem.split(":")[0] for problem in scored.problems] == ["row 4", "row 5"]
    assert scored.problems[0].startswith("row 4: broken.mp4: the file cannot be read as a video.")
    assert scored.problems[1].endswith("no video “/etc/passwd”. Uploaded: green_ring.mp4, red_square.mp4.")
    score = scored.columns["score"]
    red, green = score[0], score[1]
    assert score == pytest.approx([red, green, red, red, green], abs=1e-6)
    assert abs(red - green) > 0.01
    assert [record["video"] for record in records_of(scored)] == [names[i] for i in scored.kept]


def test_other_options_need_no_videos_any_more(evqascore, scorer_of, uploads):
    scorer = scorer_of("evqascore")
    videos = read_all(evqascore, scorer, uploads)
    rows = [{"video": RED.name, "question": "What moves?", "prediction": "A large red square moves."}]
    table = collect(UploadedTable("rows", ""), enumerate(rows, 1), evqascore.file_fields)
    for options in ({}, {"max_keywords": 1}):
        *_, scored = batch.score(evqascore, scorer, table, dataclasses.replace(evqascore.options(), **options), videos)
        row = {"videos": str(RED), "questions": "What moves?", "predictions": "A large red square moves."}
        expected = scorer.compute([row], {**evqascore.fixed, **options})["per_example"]
        assert scored.columns["score"] == pytest.approx(expected["score"], abs=1e-6)
        assert scored.columns["best_frames"] == expected["best_frames"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.m3u8", f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:2,\n{RED}\n#EXT-X-ENDLIST\n"),
        ("a.mp4", f"ffconcat version 1.0\nfile '{RED.name}'\n"),
        ("a.mp4", "no video"),
        ("a.mp4", ""),
    ],
)
def test_a_list_of_other_files_is_no_video(name, content, tmp_path):
    """FFmpeg would open what such a list names, files of this machine among them."""
    shutil.copy(RED, tmp_path)
    path = tmp_path / name
    path.write_text(content)
    if "EXT" in content or "concat" in content:
        with av.open(str(path)) as container:
            assert container.streams.video
    with pytest.raises(Refusal, match="cannot be read as a video"):
        check_video(str(path))


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".avi", ".ts", ".mpg"])
def test_usual_formats_are_taken(suffix, tmp_path):
    check_video(str(write(tmp_path / f"a{suffix}", 10, size=(64, 32))))


def test_a_name_is_no_address_and_the_formats_are_the_metrics(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.mp4", 10).rename("12:30:05.mp4")
    check_video("12:30:05.mp4")
    assert FORMATS == video.FORMATS


@pytest.mark.parametrize(
    ("frames", "size", "limits", "message"),
    [
        (61, (32, 16), Limits(video_seconds=2), r"Video: it has 2 seconds; this Space accepts 2\."),
        (10, (64, 32), Limits(video_pixels=64 * 31), r"Video: its frames are too large"),
        (10, (32, 16), Limits(video_frames=9), r"Video: it has more than 9 frames"),
    ],
)
def test_videos_beyond_the_limits_are_refused(frames, size, limits, message, tmp_path):
    path = write(tmp_path / "a.mp4", frames, size)
    check_video(str(path))
    with pytest.raises(Refusal, match=f"^{message}"):
        check_video(str(path), limits)


def test_a_video_that_lies_about_its_length_is_counted(tmp_path):
    """Its header says 0.1 seconds; its 90 frames are there all the same."""
    path = write(tmp_path / "a.avi", 90)
    content = bytearray(path.read_bytes())
    start = content.index(b"avih")
    # Microseconds of a frame, then, after three other numbers, how many frames there are.
    struct.pack_into("<I", content, start + 24, 3)
    stream = content.index(b"strh")
    struct.pack_into("<I", content, stream + 8 + 32, 3)
    path.write_bytes(content)
    with av.open(str(path)) as container:
        stated = container.duration / av.time_base
    assert stated < 1
    with pytest.raises(Refusal, match="more than 60 frames"):
        check_video(str(path), Limits(video_seconds=1, video_frames=60))


def test_reading_ends_in_time_and_with_frames_that_are_too_large():
    class Sample:
        image = np.zeros((4, 4, 3), np.uint8)

    def slow():
        while True:
            time.sleep(0.01)
            yield Sample

    begin = time.monotonic()
    with pytest.raises(Refusal, match=r"reading it takes longer than 0\.1 seconds"):
        list(in_time(slow(), Limits(reading_seconds=0.1)))
    assert time.monotonic() - begin < 2
    with pytest.raises(Refusal, match="its frames are too large"):
        list(in_time(slow(), Limits(video_pixels=15)))


def test_sound_is_no_video(tmp_path):
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 8000
        container.mux([*stream.encode(frame), *stream.encode()])
    with pytest.raises(Refusal, match=r"^Video: the file has no frames\.$"):
        check_video(str(path))
