"""Reading few frames of a video by decoding only what they need, where that gives the frames of reading through.

A frame's number is its place among all presentation times, which a pass over the packets finds without decoding. The
decoder then runs up to each sampled frame from the last key frame before it, or from the sampled frame before that, and
leaves out frames that no other one is predicted from. On the way every frame must carry the time that the packets
promised. Where one does not, the caller reads through instead.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .nal_units import describer

# Containers that keep a frame in each packet, and codecs of which each packet gives one frame: elsewhere (fields of
# interlaced transport streams, VP8's hidden frames, MPEG-4's skipped ones) packets cannot be counted as frames.
_CONTAINERS = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
_CODECS = {"h264", "hevc", "av1", "vp9", "mjpeg", "ffv1", "prores"}

# What a jump costs beside the frames it decodes, in frames: a decoder of several threads begins anew.
_FRAMES_A_JUMP = 8

# What is kept of a packet, none of its data: when it is shown, whether it is a key frame, and who needs it.
ENTRY = np.dtype([("shown", np.int64), ("key", np.bool_), ("needed", np.bool_), ("layer", np.uint8)])
_UNTIMED = np.iinfo(np.int64).min


class Inexact(Exception):  # noqa: N818 - a signal from `decode` to its caller, never seen by a user
    """The decoder did not give the frames that the packets promised."""


@dataclass(frozen=True)
class Packets:
    """The packets of a video stream, in the order in which they are shown.

    Args:
        times: Presentation times, in the stream's time base.
        keys: Numbers of the key frames.
        spare: Whether no other frame is predicted from a frame.
    """

    times: NDArray[np.int64]
    keys: NDArray[np.int64]
    spare: NDArray[np.bool_]

    def number(self, time: int | None) -> int | None:
        """Return the number of the frame that is shown at a time, if there is one."""
        if time is None:
            return None
        number = int(np.searchsorted(self.times, time))
        return number if number < len(self.times) and self.times[number] == time else None


@dataclass(frozen=True)
class Run:
    """Frames to be decoded in one go: from key frame number `key` up to the last of `wanted`."""

    key: int
    wanted: list[int]


def countable(container: Any, stream: Any) -> bool:
    """Whether packets can be counted as frames."""
    return container.format.name in _CONTAINERS and stream.codec_context.codec.canonical_name in _CODECS


def entries(packets: Iterable[Any], stream: Any) -> NDArray[Any]:
    """Return an `ENTRY` of each packet that will be shown."""
    context = stream.codec_context
    describe = describer(context.codec.canonical_name, context.extradata)
    found = (
        (_UNTIMED if one.pts is None else one.pts, one.is_keyframe, *describe(memoryview(one)))
        for one in packets
        if not one.is_discard
    )
    return np.fromiter(found, dtype=ENTRY)


def order(found: NDArray[Any]) -> Packets | None:
    """Bring packets into the order in which they are shown; None where they do not tell it."""
    in_order = found[np.argsort(found["shown"])]
    times, keys = in_order["shown"], np.flatnonzero(in_order["key"])
    if not len(keys) or keys[0] != 0 or times[0] == _UNTIMED or (np.diff(times) == 0).any():
        return None
    return Packets(times, keys, ~in_order["needed"] & (in_order["layer"] == in_order["layer"].max()))


def plan(packets: Packets, interval: int) -> list[Run]:
    """Return the runs that reach every `interval`-th frame: a new one where a jump costs less than decoding on."""
    runs: list[Run] = []
    for number in range(0, len(packets.times), interval):
        key = int(packets.keys[np.searchsorted(packets.keys, number, "right") - 1])
        if runs and key <= runs[-1].wanted[-1] + 1 + _FRAMES_A_JUMP:
            runs[-1].wanted.append(number)
        else:
            runs.append(Run(key, [number]))
    return runs


def decode(container: Any, stream: Any, packets: Packets, runs: list[Run]) -> Iterator[tuple[int, Any]]:
    """Yield (number, frame) for all wanted frames.

    Raises:
        Inexact: a frame on the way is not the one that it should be.
    """
    for run in runs:
        container.seek(int(packets.times[run.key]), stream=stream)
        yield from _decode(container, stream, packets, run)


def _decode(container: Any, stream: Any, packets: Packets, run: Run) -> Iterator[tuple[int, Any]]:
    wanted, due = set(run.wanted), list[int]()
    for frame in _frames(container, stream, packets, run, due):
        if frame.pts is not None and frame.pts < packets.times[run.key]:
            continue  # shown before the key frame, decoded after it, perhaps from frames that were jumped over
        if not due or frame.pts != packets.times[number := heappop(due)] or frame.is_corrupt:
            raise Inexact
        if number in wanted:
            wanted.remove(number)
            yield number, frame
    if wanted or due:
        raise Inexact


def _frames(container: Any, stream: Any, packets: Packets, run: Run, due: list[int]) -> Iterator[Any]:
    """Yield what the decoder gives from here until it has seen all that are wanted.

    Args:
        container: The open file, at the run's key frame.
        stream: Its video.
        packets: Those of the stream.
        run: Its spare frames are left out, but for those that are wanted.
        due: A heap that takes the number of each frame from which on the decoder must give it.
    """
    context, unseen = stream.codec_context, set(run.wanted)
    for packet in container.demux(stream):
        number = packets.number(packet.pts)
        spare = number is not None and packets.spare[number] and number not in unseen
        context.skip_frame = "NONREF" if spare else "DEFAULT"
        if number is not None and number >= run.key and not spare:
            heappush(due, number)
        yield from packet.decode()
        unseen.discard(number)
        if not unseen:
            yield from context.decode(None)
            return
