"""Which parts of a video are decoded, and the check that the decoded frames are the expected ones."""

import numpy as np
import pytest
from videos import VIDEOS, decode_all, writer

from evaluate_qa.metrics.evqascore import video
from evaluate_qa.metrics.evqascore.seeking import PACKET, countable, frame_times, packet_table, plan
from evaluate_qa.metrics.evqascore.video import Sampling, read_samples

JUMPED = ["h264-keys.mp4", "h264-b-frames.mp4", "h264-24fps.mkv", "h264-variable.mp4", "h264-rotated.mp4"]
JUMPED += ["hevc-keys.mp4", "vp9-keys.webm", "av1-keys.webm", "ffv1.mkv", "prores.mov"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return writer(tmp_path_factory.mktemp("videos"))


@pytest.mark.parametrize("name", JUMPED)
def test_few_frames_are_decoded_if_key_frames_are_close(name, written):
    with video._open(written(name), 1) as (container, stream):
        assert countable(container, stream)
        frames = frame_times(packet_table(video._packets(name, container, stream)))
    decoded = sum(run.wanted[-1] - run.key + 1 for run in plan(frames, 30))
    assert decoded < VIDEOS[name]["frames"] / 4


@pytest.mark.parametrize("times", [[0, 1, np.iinfo(np.int64).min], [0, 1, 1], []])
def test_packets_without_distinct_times_have_no_order(times):
    assert frame_times(np.array([(time, True) for time in times], dtype=PACKET)) is None


def test_unexpected_frame_makes_the_reader_decode_everything(written, monkeypatch):
    """No sample is yielded twice. Frame 49, removed here, lies between key frame 48 and the third sample, 50."""
    name, complete = written("h264-keys.mp4"), video.packet_table
    monkeypatch.setattr(video, "packet_table", lambda packets: np.delete(complete(packets), 49))
    samples = list(read_samples(name, Sampling(25)))
    assert [sample.number for sample in samples] == [0, 25, 50, 75]
    frames = decode_all(name)
    assert all((sample.image == frames[sample.number]).all() for sample in samples)
