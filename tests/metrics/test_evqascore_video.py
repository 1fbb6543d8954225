"""Sampled frames equal those of decoding the whole video, and files that cannot be read raise a clear error.

Only parts of a video are decoded if possible.
"""

import av
import numpy as np
import pytest
from videos import VIDEOS, decode_all, pattern, write, write_sound, writer

from evaluate_qa.metrics.evqascore import video
from evaluate_qa.metrics.evqascore.seeking import PACKET, Inexact, frame_times, is_countable, packet_table, plan
from evaluate_qa.metrics.evqascore.video import Sampling, UnreadableVideo, read_samples

JUMPED = ["h264-keys.mp4", "h264-b-frames.mp4", "h264-24fps.mkv", "h264-variable.mp4", "h264-rotated.mp4"]
JUMPED += ["hevc-keys.mp4", "vp9-keys.webm", "av1-keys.webm", "ffv1.mkv", "prores.mov"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return writer(tmp_path_factory.mktemp("videos"))


@pytest.mark.parametrize("name", VIDEOS)
def test_sampled_frames_equal_those_of_decoding_everything(name, written):
    everything = decode_all(written(name))
    assert len(everything) == VIDEOS[name].get("frames", 40)
    for interval, threads in ((1, 2), (7, 1), (12, 2), (30, 1), (30, 2), (1000, 1)):
        samples = list(read_samples(written(name), Sampling(interval), threads))
        assert [sample.number for sample in samples] == list(range(0, len(everything), interval))
        assert all((sample.image == everything[sample.number]).all() for sample in samples)


@pytest.mark.parametrize("name", JUMPED)
def test_few_frames_are_decoded_if_key_frames_are_close(name, written):
    with video._open(written(name), 1) as (container, stream):
        assert is_countable(container, stream)
        frames = frame_times(packet_table(video._packets(name, container, stream)))
    decoded = sum(run.wanted[-1] - run.key + 1 for run in plan(frames, 30))
    assert decoded < VIDEOS[name]["frames"] / 4


@pytest.mark.parametrize("times", [[0, 1, np.iinfo(np.int64).min], [0, 1, 1], []])
def test_packets_without_distinct_times_have_no_order(times):
    with pytest.raises(Inexact):
        frame_times(np.array([(time, True) for time in times], dtype=PACKET))


def test_unexpected_frame_makes_the_reader_decode_everything(written, monkeypatch):
    """No sample is yielded twice. Frame 49, removed here, lies between key frame 48 and the third sample, 50."""
    name, complete = written("h264-keys.mp4"), video.packet_table
    monkeypatch.setattr(video, "packet_table", lambda packets: np.delete(complete(packets), 49))
    samples = list(read_samples(name, Sampling(25)))
    assert [sample.number for sample in samples] == [0, 25, 50, 75]
    frames = decode_all(name)
    assert all((sample.image == frames[sample.number]).all() for sample in samples)


def test_times_are_seconds_after_the_first_frame(written):
    # Gaps of 10, 35 and 80 ms in turn: frame 12 comes after four of each, 4·125 ms.
    for interval in (1, 12):
        seconds = {s.number: s.seconds for s in read_samples(written("h264-variable.mp4"), Sampling(interval))}
        assert [seconds[number] for number in (0, 12, 24)] == pytest.approx([0, 0.5, 1])
    # A transport stream starts at about 1.4 s; frame 60 at 30 frames per second is 2 s after the first.
    assert [s.seconds for s in read_samples(written("h264-keys.ts"), Sampling(60))] == pytest.approx([0, 2])


def test_frames_are_rotated_as_opencv_rotates_them(written):
    cv2 = pytest.importorskip("cv2")
    for name in ("h264-rotated.mp4", "h264-upside-down.mp4"):
        capture = cv2.VideoCapture(written(name))
        theirs = cv2.cvtColor(capture.read()[1], cv2.COLOR_BGR2RGB).astype(int)
        capture.release()
        ours = next(read_samples(written(name), Sampling())).image
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).mean() < 3
    flat = next(read_samples(written("h264.mp4"), Sampling())).image
    assert np.abs(flat[:, 8:].astype(int) - pattern(0, 64, 48)[:, 8:]).mean() < 8


@pytest.mark.parametrize("name", ["h264-keys.mp4", "vp8.webm"])
def test_max_frames_doubles_the_interval(name, written):
    frames = VIDEOS[name]["frames"]
    samples = list(read_samples(written(name), Sampling(2, max_frames=10)))
    # 90 frames by 2 are 45, by 4 23, by 8 12, by 16 6; 70 by 2 are 35, by 4 18, by 8 9.
    assert [sample.number for sample in samples] == list(range(0, frames, 16 if frames == 90 else 8))
    assert len(list(read_samples(written(name), Sampling(2, max_frames=45)))) == frames // 2


def _reason(path, sampling=None):
    with pytest.raises(UnreadableVideo) as raised:
        list(read_samples(str(path), sampling or Sampling()))
    assert path.name in str(raised.value)
    return raised.value.reason


def test_files_without_a_picture_are_refused(tmp_path):
    assert _reason(write_sound(tmp_path / "sound.m4a")) == "has no video stream"
    assert _reason(tmp_path / "absent.mp4") == f"does not exist in {tmp_path}"
    assert _reason(tmp_path).startswith("is not a video that FFmpeg can open")
    for name, data in {"empty.mp4": b"", "text.mp4": b"a transcript\n" * 50}.items():
        (tmp_path / name).write_bytes(data)
        assert _reason(tmp_path / name).startswith("is not a video that FFmpeg can open")
    without_frames = _reason(write(tmp_path / "none.avi", codec="mpeg4", frames=0))
    assert without_frames in {"has no video stream", "has no frame that can be decoded"}


def _faststart(source, path):
    """Copy a video with its table of contents at the beginning, as for streaming."""
    with av.open(str(path), "w", options={"movflags": "faststart"}) as output, av.open(source) as given:
        stream = output.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                output.mux(packet)
    return path


def _cut(source, path):
    data = source.read_bytes()
    path.write_bytes(data[: int(len(data) * 0.6)])
    return path


@pytest.mark.parametrize("sampling", [Sampling(30), Sampling(40, max_frames=99)])
def test_truncated_videos_are_refused(tmp_path, written, sampling):
    whole = _faststart(written("h264-keys.mp4"), tmp_path / "whole.mp4")
    assert list(read_samples(str(whole), sampling))
    reason = _reason(_cut(whole, tmp_path / "cut.mp4"), sampling)
    assert reason.startswith("is truncated after frame")
    assert reason.endswith("of 90")
    headless = _cut(write(tmp_path / "late.mp4", frames=60), tmp_path / "headless.mp4")
    assert _reason(headless, sampling).startswith("is not a video that FFmpeg can open")
    long = write(tmp_path / "long.mkv", frames=120, keys=5)
    assert _reason(_cut(long, tmp_path / "cut.mkv"), sampling).startswith("is truncated after frame")


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
def test_damaged_videos_are_refused(tmp_path, codec):
    data = bytearray(write(tmp_path / "whole.mp4", codec=codec, frames=120, size=(160, 96)).read_bytes())
    middle = len(data) // 3
    data[middle : middle + 500] = b"\xa5" * 500
    (tmp_path / "damaged.mp4").write_bytes(data)
    assert _reason(tmp_path / "damaged.mp4").startswith("is damaged")


def test_album_cover_is_not_a_video(tmp_path):
    path = tmp_path / "song.m4a"
    with av.open(str(path), "w", format="mp4") as container:
        sound = container.add_stream("aac", rate=44100)
        cover = container.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 32, 32, "yuvj420p"
        cover.disposition = av.stream.Disposition.attached_pic
        container.mux(cover.encode(av.VideoFrame.from_ndarray(pattern(0, 32, 32), format="rgb24")))
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 44100
        container.mux(sound.encode(frame))
        container.mux(sound.encode())
        container.mux(cover.encode())
    assert _reason(path) == "has no video stream"


# FFmpeg reads these names as addresses if they come first in a path.
NAMES = [
    "12:30:05.mp4",
    "subfile,,start,0,end,0,,:other.mp4",
    "http:/127.0.0.1:9/a.mp4",
    "concat:a.mp4|b.mp4",
    "%d.mp4",
]


@pytest.mark.parametrize("name", NAMES)
def test_file_name_is_never_an_address(working_folder, tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    write(tmp_path / "made.mp4", frames=3).rename(tmp_path / name)
    assert [sample.number for sample in read_samples(name, Sampling(1))] == [0, 1, 2]


PLAYLISTS = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{file}\n#EXT-X-ENDLIST\n",
    "ffconcat": "ffconcat version 1.0\nfile '{name}'\n",
    "dash": '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period>'
    '<AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>{file}</BaseURL>'
    "</Representation></AdaptationSet></Period></MPD>",
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
}


@pytest.mark.parametrize("suffix", [".mp4", ".m3u8", ".ffconcat", ".mpd", ".sdp"])
@pytest.mark.parametrize("kind", PLAYLISTS)
def test_playlist_is_not_a_video(tmp_path, kind, suffix):
    other = write(tmp_path / "other.ts", frames=30)
    playlist = tmp_path / f"list{suffix}"
    playlist.write_text(PLAYLISTS[kind].format(file=other, name=other.name))
    assert _reason(playlist).startswith("is not a video that FFmpeg can open")
