"""Decoding only what the sampled frames need: which frames that are, and that the packets' promises are checked."""

import av
import numpy as np
import pytest
from videos import VIDEOS, decode_all, writer

from evaluate_qa.metrics.evqascore import seeking, video
from evaluate_qa.metrics.evqascore.nal_units import UNKNOWN, CodedPicture, describer
from evaluate_qa.metrics.evqascore.seeking import ENTRY, Run, order, plan
from evaluate_qa.metrics.evqascore.video import Sampling, read_samples

JUMPED = ["h264-keys.mp4", "h264-b-frames.mp4", "h264-24fps.mkv", "h264-variable.mp4", "h264-rotated.mp4"]
JUMPED += ["hevc-keys.mp4", "vp9-keys.webm", "av1-keys.webm", "ffv1.mkv", "prores.mov"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return writer(tmp_path_factory.mktemp("videos"))


def _ordered(path):
    with video._open(path, 1) as (container, stream):
        return video._order(path, container, stream)


@pytest.mark.parametrize("name", JUMPED)
def test_frames_between_are_not_decoded_where_key_frames_are_close(name, written):
    runs = plan(_ordered(written(name)), 30)
    decoded = sum(run.wanted[-1] - run.key + 1 for run in runs)
    assert decoded < VIDEOS[name]["frames"] / 4


@pytest.mark.parametrize("name", ["h264-keys.ts", "mpeg4.mp4", "vp8.webm"])
def test_reads_through_where_packets_are_no_frames(name, written):
    assert _ordered(written(name)) is None


def test_spare_frames_are_left_out(written):
    """90 frames: 0 and then every eighth are P-frames, with 89, the last; B-frames 4, 12, …, 84 are references too."""
    packets = _ordered(written("h264-pyramid.mov"))
    needed = [*range(0, 89, 4), 89]
    assert np.flatnonzero(~packets.spare).tolist() == needed
    with video._open(written("h264-pyramid.mov"), 1) as (container, stream):
        frames = list(seeking._frames(container, stream, packets, Run(0, [0, 30, 60]), []))
    # 60 is decoded after 64, so that these come: 0, 4, …, 64, and 30, which is spare but wanted. 68 and on do not.
    assert [packets.number(frame.pts) for frame in frames] == sorted([*range(0, 65, 4), 30])


@pytest.mark.parametrize("name", ["h264-b-frames.mp4", "h264-open-gop.mkv", "h264-interlaced.mp4", "hevc-b-frames.mkv"])
def test_spare_frames_are_those_that_ffmpeg_takes_for_such(name, written):
    packets = _ordered(written(name))
    with av.open(written(name)) as container:
        container.streams.video[0].codec_context.skip_frame = "NONREF"
        assert packets.times[~packets.spare].tolist() == [frame.pts for frame in container.decode(video=0)]
    assert 0.25 < packets.spare.mean() < 0.75


def test_frames_of_a_lower_layer_are_not_spare(written):
    """FFmpeg leaves out more where it is told to, such as those that frames of an upper layer are predicted from."""
    packets = _ordered(written("hevc-layers.mp4"))
    with av.open(written("hevc-layers.mp4")) as container:
        container.streams.video[0].codec_context.skip_frame = "NONREF"
        kept = {frame.pts for frame in container.decode(video=0)}
    assert packets.spare.any()
    assert kept < set(packets.times[~packets.spare].tolist())


# H.264's first byte is nal_ref_idc * 32 + type: 0x41 a slice of a reference frame (2, 1), 0x01 of another (0, 1), 0x65
# of an IDR frame (3, 5), 0x06 SEI, 0x0a the end of a sequence. HEVC's first two bytes are type * 512 + part * 8 + layer
# + 1: 0x0201 TRAIL_R, 0x0002 TRAIL_N of layer 1, 0x2601 an IDR frame, 0x4e01 SEI, 0x020a TRAIL_R of part 1.
UNITS = {
    ("h264", "41aa"): UNKNOWN,
    ("h264", "06aaaa 01aa"): CodedPicture(needed=False, layer=0),
    ("h264", "01aa 01bb"): CodedPicture(needed=False, layer=0),
    ("h264", "01aa 41aa"): UNKNOWN,
    ("h264", "65aa"): UNKNOWN,
    ("h264", "01aa 0aaa"): UNKNOWN,
    ("hevc", "0201aa"): CodedPicture(needed=True, layer=0),
    ("hevc", "4e01aa 0002aa"): CodedPicture(needed=False, layer=1),
    ("hevc", "2601aa"): CodedPicture(needed=True, layer=0),
    ("hevc", "0002aa 020aaa"): CodedPicture(needed=False, layer=1),
    ("vp9", "01aa"): UNKNOWN,
}


@pytest.mark.parametrize(("codec", "units"), UNITS)
def test_headers_tell_who_needs_a_picture(codec, units):
    data = b"".join(len(unit).to_bytes(4, "big") + unit for unit in map(bytes.fromhex, units.split()))
    configuration = b"\x01" + b"\xff" * 22
    assert describer(codec, configuration)(memoryview(data)) == UNITS[codec, units]
    # Without a configuration units begin with start codes; they are not looked for.
    assert (
        describer(codec, b"\x00\x00\x00\x01")(memoryview(data)) == describer(codec, None)(memoryview(data)) == UNKNOWN
    )


@pytest.mark.parametrize("codec", ["h264", "hevc"])
@pytest.mark.parametrize("data", [b"", b"\0", bytes(40), b"\xff" * 40, b"\0\0\0\x02\x01", b"\0\0\0\xff\x01\xaa"])
def test_headers_of_damaged_packets_are_read(codec, data):
    assert describer(codec, b"\x01" + b"\xff" * 22)(memoryview(data)).layer < 7


def _found(entries):
    return np.array([(*entry, True, 0) for entry in entries], dtype=ENTRY)


def test_a_plan_goes_back_to_the_last_key_frame():
    # Ten frames a tick apart, in the order of decoding of one B-frame (0 2 1 4 3 …), key frames 0, 3 and 6.
    shown = [0, 2, 1, 4, 3, 6, 5, 8, 7, 9]
    packets = order(_found([(time, time in (0, 3, 6)) for time in shown]))
    assert (packets.times.tolist(), packets.keys.tolist()) == (list(range(10)), [0, 3, 6])
    assert [packets.number(time) for time in (-1, 0, 9, 10, None)] == [None, 0, 9, None, None]
    # From 0 to key frame 3, from 4 to 6: too near to jump.
    assert plan(packets, 4) == [Run(0, [0, 4, 8])]
    long = order(_found([(time, time % 5 == 0) for time in range(100)]))
    assert plan(long, 32) == [Run(0, [0]), Run(30, [32]), Run(60, [64]), Run(95, [96])]
    # A jump from 0 to key frame 10 saves nine frames, one more than it costs, from 44 to 55 ten, from 11 to 20 eight.
    assert plan(long, 11)[:2] == [Run(0, [0]), Run(10, [11, 22, 33, 44])]
    assert plan(long, 8) == [Run(0, list(range(0, 100, 8)))]


@pytest.mark.parametrize("times", [[0, 1, np.iinfo(np.int64).min], [0, 1, 1], []])
def test_packets_without_distinct_times_have_no_order(times):
    assert order(_found([(time, True) for time in times])) is None


def test_what_packets_promise_is_checked(written, monkeypatch):
    """Where a frame turns up that no packet promised, the video is read through; nothing is yielded twice."""
    name = written("h264-keys.mp4")
    everything = video.entries
    monkeypatch.setattr(video, "entries", lambda packets, stream: np.delete(everything(packets, stream), 49))
    # Frame 49 lies between key frame 48 and the third sample, 50; two samples have been yielded by then.
    samples = list(read_samples(name, Sampling(25)))
    assert [sample.number for sample in samples] == [0, 25, 50, 75]
    frames = decode_all(name)
    assert all((sample.image == frames[sample.number]).all() for sample in samples)
