"""Write test videos: a pattern that differs in every frame and on every side of the picture."""

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

VIDEOS = {
    "h264.mp4": {},
    "h264-keys.mp4": {"frames": 90, "keys": 4},
    "h264-b-frames.mp4": {"frames": 90, "keys": 6, "b_frames": 3, "options": {"preset": "veryfast"}},
    "h264-open-gop.mkv": {
        "frames": 90,
        "options": {"preset": "veryfast", "x264-params": "open-gop=1:keyint=6:min-keyint=6:bframes=3"},
    },
    "h264-intra-refresh.mkv": {"frames": 90, "options": {"x264-params": "intra-refresh=1:keyint=5"}},
    "h264-interlaced.mp4": {"frames": 50, "b_frames": 2, "options": {"preset": "veryfast", "x264-params": "tff=1"}},
    "h264-keys.ts": {"frames": 90, "keys": 4},
    "h264-odd.mp4": {"size": (35, 51), "pixels": "yuv444p", "frames": 20},
    "h264-24fps.mkv": {"rate": 24, "size": (96, 50), "frames": 70, "keys": 3},
    "h264-variable.mp4": {"gaps": (10, 35, 80), "frames": 80, "keys": 5, "b_frames": 2},
    "h264-rotated.mp4": {"rotation": 90, "frames": 90, "keys": 4},
    "h264-upside-down.mp4": {"rotation": 180},
    "hevc-keys.mp4": {"codec": "libx265", "frames": 90, "keys": 5},
    "hevc-b-frames.mkv": {"codec": "libx265", "frames": 70, "options": {"x265-params": "log-level=none:bframes=4"}},
    "mpeg4.mp4": {"codec": "mpeg4", "size": (61, 47), "frames": 70, "keys": 5, "b_frames": 2},
    "mpeg4.avi": {"codec": "mpeg4", "frames": 33, "b_frames": 2},
    "vp9-keys.webm": {"codec": "libvpx-vp9", "frames": 90, "keys": 5},
    "vp8.webm": {"codec": "libvpx", "frames": 70, "keys": 5, "options": {"auto-alt-ref": "1", "lag-in-frames": "10"}},
    "av1-keys.webm": {"codec": "libsvtav1", "size": (64, 64), "frames": 80, "keys": 9},
    "ffv1.mkv": {"codec": "ffv1", "frames": 90, "keys": 3},
    "mpeg2.mpg": {"codec": "mpeg2video", "frames": 40},
    "prores.mov": {"codec": "prores_ks", "pixels": "yuv422p10le", "frames": 40},
    "wmv2.wmv": {"codec": "wmv2"},
    "sorenson.flv": {"codec": "flv"},
    "one-frame.mp4": {"frames": 1},
}


def pattern(number, width, height):
    """Return a frame: a gradient in both directions under a moving bar."""
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

    `keys` is the largest distance between key frames, and `gaps` are the milliseconds between frames, used in turn.
    """
    with priority_kept(), av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options=QUICK.get(codec, {}) | (options or {}))
        stream.width, stream.height = size
        stream.pix_fmt = pixels or "yuv420p"
        if keys is not None:
            stream.codec_context.gop_size = keys
        if b_frames is not None:
            stream.codec_context.max_b_frames = b_frames
        if rotation is not None:
            stream.set_display_rotation(rotation)
        if gaps:
            stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        container.start_encoding()  # so that a video without frames has a header, too
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
    """Return a function that writes a video of VIDEOS once and returns its path."""

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
    """Restore this thread's scheduling priority: SVT-AV1 makes the calling thread real-time if it may."""
    if not hasattr(os, "sched_setscheduler"):
        yield
        return
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def write_sound(path) -> Path:
    """Write a file with a sound track only."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Path(path)


def decode_all(path) -> list[np.ndarray]:
    """Return every frame of a video as upright RGB, read as in PyAV's documentation."""
    with av.open(str(path)) as container:
        return [
            np.rot90(frame.to_ndarray(format="rgb24"), round(frame.rotation / 90) % 4)
            for frame in container.decode(video=0)
        ]


def encode_images(encoder, frames):
    """Return the encoder's vectors of RGB frames."""
    return encoder.encode_prepared(np.stack([encoder.prepare(frame) for frame in frames]))
