"""Decode only the stretches of a video that lead up to the sampled frames.

A pass over the packets, without decoding, finds the presentation time of every frame; a frame's number is the rank of
its time. The decoder then starts at the last key frame before each sampled frame. Every decoded frame must carry the
time that the packets promised; otherwise the caller decodes the whole video instead.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Only these containers and codecs keep exactly one frame in each packet. Elsewhere (interlaced transport streams, VP8's
# hidden frames, MPEG-4's skipped frames) packets cannot be counted as frames.
_CONTAINERS = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
_CODECS = {"h264", "hevc", "av1", "vp9", "mjpeg", "ffv1", "prores"}

# Cost of a jump, measured in frames: the decoder refills its pipeline.
_FRAMES_A_JUMP = 8

PACKET = np.dtype([("time", np.int64), ("key", np.bool_)])
_UNTIMED = np.iinfo(np.int64).min


class Inexact(Exception):  # noqa: N818 - a signal to the caller, never seen by a user
    """The packets do not determine the frames, or the decoder returned other frames."""


class FrameTimes(NamedTuple):
    """All frames of a video: presentation times in the stream's time base, and the numbers of the key frames."""

    times: NDArray[np.int64]
    keys: NDArray[np.int64]


class Run(NamedTuple):
    """Frames to decode in one go: from key frame number `key` to the last of `wanted`."""

    key: int
    wanted: list[int]


def is_countable(container: Any, stream: Any) -> bool:
    """Whether every packet holds exactly one frame."""
    return container.format.name in _CONTAINERS and stream.codec_context.codec.canonical_name in _CODECS


def packet_table(packets: Iterable[Any]) -> NDArray[Any]:
    """Return a `PACKET` for each packet that will be shown, in file order."""
    shown = (packet for packet in packets if not packet.is_discard)
    return np.fromiter(((_UNTIMED if p.pts is None else p.pts, p.is_keyframe) for p in shown), dtype=PACKET)


def frame_times(packets: NDArray[Any]) -> FrameTimes:
    """Return the frames in the order of presentation; raise Inexact if their times do not determine it."""
    ordered = packets[np.argsort(packets["time"])]
    times, keys = ordered["time"], np.flatnonzero(ordered["key"])
    if not len(keys) or keys[0] != 0 or times[0] == _UNTIMED or (np.diff(times) == 0).any():
        raise Inexact
    return FrameTimes(times, keys)


def plan(frames: FrameTimes, interval: int) -> list[Run]:
    """Return the runs that reach every `interval`-th frame; a new run starts where a jump is cheaper than decoding."""
    runs: list[Run] = []
    for number in range(0, len(frames.times), interval):
        key = int(frames.keys[np.searchsorted(frames.keys, number, "right") - 1])
        if runs and key <= runs[-1].wanted[-1] + 1 + _FRAMES_A_JUMP:
            runs[-1].wanted.append(number)
        else:
            runs.append(Run(key, [number]))
    return runs


def decode(container: Any, stream: Any, frames: FrameTimes, runs: list[Run]) -> Iterator[tuple[int, Any]]:
    """Yield (number, frame) for all wanted frames; raise Inexact if a decoded frame is not the expected one."""
    for run in runs:
        wanted = set(run.wanted)
        container.seek(int(frames.times[run.key]), stream=stream)
        # Frames shown before the key frame may follow it in the file; their references were jumped over.
        decoded = (f for f in container.decode(stream) if f.pts is None or f.pts >= frames.times[run.key])
        for number in range(run.key, run.wanted[-1] + 1):
            frame = next(decoded, None)
            if frame is None or frame.pts != frames.times[number] or frame.is_corrupt:
                raise Inexact
            if number in wanted:
                yield number, frame
