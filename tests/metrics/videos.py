"""Videos that the tests write: a pattern that differs in every frame and on every side of the picture."""

import os
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

QUICK = {
    "libx264": {"preset": "ultrafast"},
    "libx265": {"preset": "ultrafast", "x265-params": "log-level=none"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"},
    "libvpx": {"deadline": "realtime", "cpu-used": "8"},
    "libsvtav1": {"preset": "12"},
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
        stream.pix_fmt = pixels or ("yuvj420p" if codec == "mjpeg" else "yuv420p")
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
