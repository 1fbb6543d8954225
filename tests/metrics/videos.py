"""Videos that the tests write: a pattern that differs in every frame and on every side of the picture."""

import os
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

QUICK = {
    "libx264": {"preset": "ultrafast"},
    "libx265": {"preset": "ultrafast", "x265-params": "log-level=none"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"},
    "libvpx": {"deadline": "realtime", "cpu-used": "8"},
    "libsvtav1": {"preset": "12"},
}

# Frame 0, then seven B-frames before each P-frame; they are predicted from these and from the one in their middle.
PYRAMID = "bframes=7:b-adapt=0:scenecut=0"
# B-frames in two layers above that of P-frames.
LAYERS = "log-level=none:temporal-layers=3:bframes=3:b-adapt=0"

VIDEOS = {
    "h264.mp4": {},
    "h264-keys.mp4": {"frames": 90, "keys": 4},
    "h264-b-frames.mp4": {"frames": 90, "keys": 6, "b_frames": 3, "options": {"preset": "veryfast"}},
    "h264-open-gop.mkv": {
        "frames": 90,
        "options": {"preset": "veryfast", "x264-params": "open-gop=1:keyint=6:min-keyint=6:bframes=3"},
    },
    "h264-intra-refresh.mkv": {"frames": 90, "options": {"x264-params": "intra-refresh=1:keyint=5"}},
    "h264-pyramid.mov": {"frames": 90, "options": {"preset": "veryfast", "x264-params": PYRAMID}},
    "h264-interlaced.mp4": {"frames": 50, "b_frames": 2, "options": {"preset": "veryfast", "x264-params": "tff=1"}},
    "h264-keys.ts": {"frames": 90, "keys": 4},
    "h264-odd.mp4": {"size": (35, 51), "pixels": "yuv444p", "frames": 20},
    "h264-24fps.mkv": {"rate": 24, "size": (96, 50), "frames": 70, "keys": 3},
    "h264-variable.mp4": {"gaps": (10, 35, 80), "frames": 80, "keys": 5, "b_frames": 2},
    "h264-rotated.mp4": {"rotation": 90, "frames": 90, "keys": 4},
    "h264-upside-down.mp4": {"rotation": 180},
    "hevc-keys.mp4": {"codec": "libx265", "frames": 90, "keys": 5},
    "hevc-b-frames.mkv": {"codec": "libx265", "frames": 70, "options": {"x265-params": "log-level=none:bframes=4"}},
    "hevc-layers.mp4": {"codec": "libx265", "frames": 70, "options": {"x265-params": LAYERS}},
    "mpeg4.mp4": {"codec": "mpeg4", "size": (61, 47), "frames": 70, "keys": 5, "b_frames": 2},
    "mpeg4.avi": {"codec": "mpeg4", "frames": 33, "b_frames": 2},
    "vp9-keys.webm": {"codec": "libvpx-vp9", "frames": 90, "keys": 5},
    "vp8.webm": {"codec": "libvpx", "frames": 70, "keys": 5, "options": {"auto-alt-ref": "1", "lag-in-frames": "10"}},
    "av1.mkv": {"codec": "libsvtav1", "size": (64, 64), "frames": 24},
    "av1-keys.webm": {"codec": "libsvtav1", "size": (64, 64), "frames": 80, "keys": 9},
    "ffv1.mkv": {"codec": "ffv1", "frames": 90, "keys": 3},
    "mjpeg.avi": {"codec": "mjpeg", "frames": 12},
    "mpeg1.mpg": {"codec": "mpeg1video", "frames": 40},
    "mpeg2.mpg": {"codec": "mpeg2video", "frames": 40},
    "prores.mov": {"codec": "prores_ks", "pixels": "yuv422p10le", "frames": 40},
    "dnxhr.mov": {"codec": "dnxhd", "size": (256, 128), "frames": 33, "options": {"profile": "dnxhr_sq"}},
    "wmv2.wmv": {"codec": "wmv2"},
    "sorenson.flv": {"codec": "flv"},
    "h263.3gp": {"codec": "h263", "size": (128, 96)},
    "one-frame.mp4": {"frames": 1},
    "two-frames.mp4": {"frames": 2},
}


def pattern(number, width, height):
    """A frame: a gradient that tells left from right and top from bottom, under a bar that moves."""
    y, x = np.mgrid[:height, :width]
    image = np.stack([x * 255 // width, y * 255 // height, (x + y + 5 * number) % 256], axis=-1).astype(np.uint8)
    start = 3 * number % width
    image[:, start : start + 4] = [250, 240, 10 * number % 250]
    return image


def write(
    path,
    *,
    codec="libx264",
    size=(64, 48),
    frames=40,
    rate=30,
    keys=None,
    b_frames=None,
    options=None,
    pixels=None,
    gaps=None,
    rotation=None,
) -> Path:
    """Write a video; return its path.

    Args:
        path: Its name tells the container.
        codec: FFmpeg's name of the encoder.
        size: Width and height.
        frames: How many.
        rate: Frames a second.
        keys: Distance of the key frames at most.
        b_frames: Frames between two others that they are predicted from.
        options: Of the encoder, beside those that make it quick.
        pixels: Format of the pixels.
        gaps: Ticks of 1/1000 s between frames, taken in turn; instead of a constant rate.
        rotation: Degrees by which a player is to turn the picture.
    """
    with priority_kept(), av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options=QUICK.get(codec, {}) | (options or {}))
        stream.width, stream.height = size
        stream.pix_fmt = pixels or ("yuvj420p" if codec == "mjpeg" else "yuv422p" if codec == "dnxhd" else "yuv420p")
        if keys is not None:
            stream.codec_context.gop_size = keys
        if b_frames is not None:
            stream.codec_context.max_b_frames = b_frames
        if rotation is not None:
            stream.set_display_rotation(rotation)
        if gaps:
            stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        container.start_encoding()  # so that a video without frames is one as well
        time = 0
        for number in range(frames):
            frame = av.VideoFrame.from_ndarray(pattern(number, *size), format="rgb24")
            if gaps:
                frame.pts, frame.time_base = time, Fraction(1, 1000)
                time += gaps[number % len(gaps)]
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Path(path)


def writer(folder):
    """Return what writes a video of VIDEOS once and gives its path."""

    def get(name):
        path = folder / name
        if not path.exists():
            if name.startswith("av1") and "libsvtav1" not in av.codecs_available:
                pytest.skip("this FFmpeg has no AV1 encoder")
            write(path, **VIDEOS[name])
        return str(path)

    return get


@contextmanager
def priority_kept():
    """Give this thread its priority back.

    Where it may, SVT-AV1 makes the thread that calls it real-time, before all others; every process that a test started
    from then on inherited that, and kept this test run and its whole machine standing still.
    """
    if not hasattr(os, "sched_setscheduler"):
        yield
        return
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def write_sound(path) -> Path:
    """Write a file with a sound track and nothing else."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Path(path)


def decode_all(path) -> list[np.ndarray]:
    """Every frame of a video as RGB, as PyAV's documentation reads one, turned as its file says."""
    with av.open(str(path)) as container:
        return [
            np.rot90(frame.to_ndarray(format="rgb24"), round(frame.rotation / 90) % 4)
            for frame in container.decode(video=0)
        ]


def write_long(path, seconds, *, size=(320, 180), rate=30, keys=250) -> Path:
    """Write a long video quickly: the packets of one stretch between key frames, over and over again."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(
            "libx264", rate=rate, options={"preset": "ultrafast", "x264-params": "scenecut=0"}
        )
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.codec_context.gop_size = keys
        stretch = []
        for number in range(keys):
            stretch += stream.encode(av.VideoFrame.from_ndarray(pattern(number, *size), format="rgb24"))
        stretch += stream.encode()
        frames = [(bytes(packet), packet.is_keyframe) for packet in stretch]
        for number in range(seconds * rate):
            data, key = frames[number % keys]
            packet = av.Packet(data)
            packet.stream, packet.is_keyframe = stream, key
            packet.pts = packet.dts = number
            packet.time_base, packet.duration = Fraction(1, rate), 1
            container.mux(packet)
    return Path(path)
