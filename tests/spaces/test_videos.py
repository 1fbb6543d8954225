"""Uploaded videos: formats, limits, and files that only look like videos."""

import struct
import time
from pathlib import Path

import av
import numpy as np
import pytest
from videos import write, write_sound

from evaluate_qa.spaces._shared.visitors.limits import Refusal
from evaluate_qa.spaces._shared.visitors.video import check_video, in_time

RED = Path(__file__).parents[2] / "spaces" / "evqascore" / "clips" / "red_square.mp4"


def test_a_playlist_is_refused(tmp_path):
    """FFmpeg would open the files of this machine that a playlist names."""
    path = tmp_path / "a.m3u8"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:2,\n{RED}\n#EXT-X-ENDLIST\n")
    with av.open(str(path)) as container:
        assert container.streams.video
    with pytest.raises(Refusal, match="cannot be read as a video"):
        check_video(str(path))


@pytest.mark.parametrize(
    ("frames", "size", "limits", "message"),
    [
        (61, (32, 16), {"video_seconds": 2}, r"The video has 2 seconds; this Space accepts 2\."),
        (10, (64, 32), {"video_pixels": 64 * 31}, r"The video's frames are too large"),
        (10, (32, 16), {"video_frames": 9}, r"The video has more than 9 frames"),
    ],
)
def test_videos_beyond_the_limits_are_refused(frames, size, limits, message, tmp_path, limit):
    path = write(tmp_path / "a.mp4", codec="mpeg4", frames=frames, size=size)
    check_video(str(path))
    limit(**limits)
    with pytest.raises(Refusal, match=f"^{message}"):
        check_video(str(path))


def test_the_frames_of_a_video_with_a_false_header_are_counted(tmp_path, limit):
    """The header claims 0.1 seconds, but there are 90 frames."""
    path = write(tmp_path / "a.avi", codec="mpeg4", frames=90)
    content = bytearray(path.read_bytes())
    start = content.index(b"avih")
    # Microseconds per frame, three other numbers, and the number of frames.
    struct.pack_into("<I", content, start + 24, 3)
    stream = content.index(b"strh")
    struct.pack_into("<I", content, stream + 8 + 32, 3)
    path.write_bytes(content)
    with av.open(str(path)) as container:
        stated = container.duration / av.time_base
    assert stated < 1
    limit(video_seconds=1, video_frames=60)
    with pytest.raises(Refusal, match="more than 60 frames"):
        check_video(str(path))


def test_decoding_stops_at_the_time_limit_and_at_frames_that_are_too_large(limit):
    class Sample:
        image = np.zeros((4, 4, 3), np.uint8)

    def slow():
        while True:
            time.sleep(0.01)
            yield Sample

    limit(reading_seconds=0.1)
    with pytest.raises(Refusal, match=r"reading it takes longer than 0\.1 seconds"):
        list(in_time(slow()))
    limit(video_pixels=15)
    with pytest.raises(Refusal, match="frames are too large"):
        list(in_time(slow()))


def test_sound_alone_is_refused(tmp_path):
    with pytest.raises(Refusal, match=r"^Video: the file has no frames\.$"):
        check_video(str(write_sound(tmp_path / "a.mp4")))
