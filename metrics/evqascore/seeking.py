"""Reading few frames of a long video by jumping to them, where that gives the very frames that reading through gives.

A frame's number is its place among all presentation times, which a pass over the packets finds without decoding. From
the last key frame before a sampled frame the decoder runs up to it; on the way every frame must carry the time that
the packets promised. Where one does not, the caller reads through instead.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

# Containers that keep a frame in each packet, and codecs of which each packet gives one frame: elsewhere (fields of
# interlaced transport streams, VP8's hidden frames, MPEG-4's skipped ones) packets cannot be counted as frames.
_CONTAINERS = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
_CODECS = {"h264", "hevc", "av1", "vp9", "mjpeg", "ffv1", "prores"}

# Jumping pays where key frames are at most half as far apart as the sampled frames; how many of them tell so.
_KEYS_TO_SEE = 8
# What a jump costs beside the frames it decodes, in frames.
_FRAMES_A_JUMP = 3


class Inexact(Exception):  # noqa: N818 - a signal from `jump` to its caller, never seen by a user
    """The decoder did not give the frames that the packets promised."""


@dataclass(frozen=True)
class Packets:
    """The packets of a video stream.

    Args:
        times: Presentation times in order, in the stream's time base.
        keys: Numbers of the key frames, in order.
    """

    times: list[int]
    keys: list[int]


@dataclass(frozen=True)
class Run:
    """Frames to be decoded in one go: from key frame number `key` up to the last of `wanted`."""

    key: int
    wanted: list[int]


class Entry(NamedTuple):
    """What is kept of a packet: when it is shown, and whether it is a key frame. None of its data."""

    shown: int | None
    key: bool


def may_jump(container: Any, stream: Any) -> bool:
    """Whether packets can be counted as frames."""
    return container.format.name in _CONTAINERS and stream.codec_context.codec.canonical_name in _CODECS


def dense_keys(packets: Iterator[Any], interval: int) -> bool:
    """Look at the first packets: whether key frames are at most half as far apart as the sampled frames."""
    seen = 0
    for count, packet in enumerate(packets):
        seen += packet.is_keyframe
        if seen >= _KEYS_TO_SEE:
            return count <= _KEYS_TO_SEE * interval // 2
        if count > _KEYS_TO_SEE * interval // 2:
            return False
    return False  # so short a video is read through


def entries(packets: Iterator[Any]) -> list[Entry]:
    """Return the packets that will be shown, without their data."""
    return [Entry(one.pts, one.is_keyframe) for one in packets if not one.is_discard]


def order(found: list[Entry]) -> Packets | None:
    """Bring packets into the order in which they are shown; None where they do not tell it."""
    times = [entry.shown for entry in found if entry.shown is not None]
    if len(set(times)) < len(found):
        return None
    in_order = sorted(found, key=lambda entry: entry.shown or 0)
    keys = [number for number, entry in enumerate(in_order) if entry.key]
    return Packets(sorted(times), keys) if keys and keys[0] == 0 else None


def plan(packets: Packets, interval: int) -> list[Run] | None:
    """Return the runs that reach every `interval`-th frame; None unless they cost less than half of reading through."""
    runs: list[Run] = []
    for number in range(0, len(packets.times), interval):
        key = packets.keys[bisect_right(packets.keys, number) - 1]
        if runs and runs[-1].key == key:
            runs[-1].wanted.append(number)
        else:
            runs.append(Run(key, [number]))
    cost = sum(run.wanted[-1] - run.key + 1 + _FRAMES_A_JUMP for run in runs)
    return runs if 2 * cost < len(packets.times) else None


def jump(container: Any, stream: Any, packets: Packets, runs: list[Run]) -> Iterator[tuple[int, Any]]:
    """Yield (number, frame) for all wanted frames.

    Raises:
        Inexact: a frame on the way is not the one that it should be.
    """
    for run in runs:
        container.seek(packets.times[run.key], stream=stream)
        yield from _decode(container, stream, packets.times, run)


def _decode(container: Any, stream: Any, times: list[int], run: Run) -> Iterator[tuple[int, Any]]:
    wanted = iter(run.wanted)
    target, number = next(wanted), run.key
    for frame in container.decode(stream):
        if frame.pts is not None and frame.pts < times[run.key]:
            continue  # shown before the key frame, decoded after it, perhaps from frames that were jumped over
        if frame.pts != times[number] or frame.is_corrupt:
            break
        if number == target:
            yield number, frame
            if number == run.wanted[-1]:
                return
            target = next(wanted)
        number += 1
    raise Inexact
