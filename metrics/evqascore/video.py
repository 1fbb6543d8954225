"""Reading the sampled frames of a video with PyAV: only these are converted.

Where the packets tell, only the frames that these need are decoded; else every frame is.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .seeking import Inexact, Packets, countable, decode, entries, order, plan

# Files of other kinds are not even begun: a playlist, for one, names files and addresses that FFmpeg would open.
FORMATS = "mov,matroska,avi,mpegts,mpeg,ogg,flv,asf"

# What a header promises beyond the last packet before a file counts as cut off, in seconds: headers round.
_MISSING_SECONDS = 1.0


@dataclass(frozen=True)
class Sampling:
    """Uniform sampling, equation 1 of the paper: every `interval`-th frame, from frame 0 on.

    Args:
        interval: Distance of the sampled frames, in frames.
        max_frames: Where a video would give more frames than these, its interval is doubled until it does not.
    """

    interval: int = 30
    max_frames: int | None = None

    def interval_for(self, frames: int) -> int:
        """Return the interval for a video of so many frames."""
        interval = self.interval
        while self.max_frames is not None and -(-frames // interval) > self.max_frames:
            interval *= 2
        return interval


class Frame(NamedTuple):
    """A sampled frame: its number in the video, its time in seconds after frame 0, and its RGB bytes."""

    number: int
    seconds: float
    image: NDArray[np.uint8]


class UnreadableVideo(Exception):  # noqa: N818 - names what it is, as FileNotFoundError's kin do in a message
    """A video that cannot be scored; the message names the file and says what is wrong with it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{Path(path).name} {reason}")
        self.path, self.reason = path, reason

    def __reduce__(self) -> tuple[type["UnreadableVideo"], tuple[str, str]]:
        return UnreadableVideo, (self.path, self.reason)


def read_samples(path: str, sampling: Sampling, threads: int = 1) -> Iterator[Frame]:
    """Yield the sampled frames of a video, in order, each as soon as it is decoded.

    The frames are those that decoding the whole video gives, to the bit, turned upright where the file says so.

    Args:
        path: A file with a video stream that FFmpeg can decode.
        sampling: Which frames.
        threads: Threads that decode.

    Raises:
        UnreadableVideo: the file is missing, is no video, has no frame, is cut off, or damaged where it is decoded.
            Frames before the damage may have been yielded.
    """
    done = 0
    try:
        for sample in _as_planned(path, sampling, threads):
            yield sample
            done += 1
        if done:
            return
    except Inexact:
        pass
    # If the plan has failed on its way, what it has yielded is not yielded again.
    yield from islice(_reading_through(path, sampling, threads), done, None)


def _as_planned(path: str, sampling: Sampling, threads: int) -> Iterator[Frame]:
    """Yield the samples by decoding only what they need; nothing where packets do not tell what that is."""
    with _open(path, threads) as (container, stream):
        convert = _Converter(stream)
        try:
            packets = _order(path, container, stream)
            if packets is not None:
                runs = plan(packets, sampling.interval_for(len(packets.times)))
                for number, frame in decode(container, stream, packets, runs):
                    yield convert(number, frame, int(packets.times[0]))
        except av_error() as error:
            raise Inexact from error  # reading through finds out what is wrong


def _order(path: str, container: Any, stream: Any) -> Packets | None:
    if not countable(container, stream):
        return None
    return order(entries(_packets(path, container, stream), stream))


def _reading_through(path: str, sampling: Sampling, threads: int) -> Iterator[Frame]:
    interval = sampling.interval
    if sampling.max_frames is not None:
        with _open(path, threads) as (container, stream):
            interval = sampling.interval_for(len(entries(_packets(path, container, stream), stream)))
    with _open(path, threads) as (container, stream):
        convert, first, number = _Converter(stream), None, -1
        for number, frame in enumerate(_frames(path, container, stream)):
            first = frame.pts if number == 0 else first
            if number % interval == 0:
                yield convert(number, frame, first)
    if number < 0:
        raise UnreadableVideo(path, "holds no frame that can be decoded")


def av_error() -> type[Any]:
    """Return PyAV's error, which a handler can name without PyAV's being imported before it is needed."""
    import av

    return av.error.FFmpegError


def _frames(path: str, container: Any, stream: Any) -> Iterator[Any]:
    """Yield every frame; raise UnreadableVideo at the first sign of damage."""
    number = 0
    try:
        for packet in _packets(path, container, stream, flush=True):
            for frame in packet.decode():
                if frame.is_corrupt:
                    raise UnreadableVideo(path, f"is damaged at frame {number}")
                yield frame
                number += 1
    except av_error() as error:
        raise UnreadableVideo(path, f"is damaged after frame {number}: {error.strerror}") from error


def _packets(path: str, container: Any, stream: Any, *, flush: bool = False) -> Iterator[Any]:
    """Yield the video's packets; at the end raise UnreadableVideo where the file ends before its header says.

    Args:
        path: Names the file in errors.
        container: The open file.
        stream: Its video.
        flush: End with the empty packet that makes a decoder give what it still holds.
    """
    count, end = 0, 0
    for packet in container.demux(stream):
        if packet.is_corrupt:
            raise _cut(path, count, stream)
        if packet.size:
            count += 1
            end = max(end, (packet.pts or 0) + (packet.duration or 0))
        if packet.size or flush:
            yield packet
    if container.format.name.startswith("mov,") and count < stream.frames:
        raise _cut(path, count, stream)
    if container.format.name.startswith("matroska") and count:
        promised = (container.duration or 0) / 1e6
        missing = promised - end * float(stream.time_base)
        if missing > _MISSING_SECONDS and promised - _last_packet(path) > _MISSING_SECONDS:
            raise _cut(path, count, stream)


def _last_packet(path: str) -> float:
    """Return when the last packet of any stream ends, in seconds: sound may go on after the picture."""
    with opened(path) as container:
        ends = (((packet.pts or 0) + (packet.duration or 0)) * packet.time_base for packet in container.demux())
        return float(max(ends, default=0))


def _cut(path: str, count: int, stream: Any) -> UnreadableVideo:
    of = f" of {stream.frames}" if stream.frames else ""
    return UnreadableVideo(path, f"is truncated after frame {count}{of}")


class _Converter:
    """Makes samples of decoded frames; one swscale context serves a whole video.

    It has no threads of its own: starting them takes as long as converting fifty frames.
    """

    def __init__(self, stream: Any) -> None:
        from av.video.reformatter import VideoReformatter

        self._stream, self._reformatter = stream, VideoReformatter()

    def __call__(self, number: int, frame: Any, first: int | None) -> Frame:
        """Return the frame in RGB, upright as its display matrix says: quarters of a circle, anticlockwise."""
        image = np.asarray(self._reformatter.reformat(frame, format="rgb24", threads=1).to_ndarray(), dtype=np.uint8)
        quarters = round(frame.rotation / 90) % 4
        upright = np.ascontiguousarray(np.rot90(image, quarters)) if quarters else image
        return Frame(number, self._seconds(number, frame, first), upright)

    def _seconds(self, number: int, frame: Any, first: int | None) -> float:
        """Seconds after frame 0; where the file has no times, from its frame rate."""
        if frame.pts is not None and first is not None:
            return float((frame.pts - first) * self._stream.time_base)
        return number / float(self._stream.guessed_rate or 25)


@contextmanager
def _open(path: str, threads: int) -> Iterator[tuple[Any, Any]]:
    """Open a file and its first video stream that is no cover picture."""
    with opened(path) as container:
        from av.stream import Disposition

        videos = [one for one in container.streams.video if not one.disposition & Disposition.attached_pic]
        if not videos:
            raise UnreadableVideo(path, "has no video stream")
        if videos[0].codec_context is None:
            raise UnreadableVideo(path, "has a video stream of a codec that this FFmpeg cannot decode")
        videos[0].thread_type = "AUTO"
        videos[0].codec_context.thread_count = threads
        yield container, videos[0]


@contextmanager
def opened(path: str) -> Iterator[Any]:
    """Open a file with PyAV: this file and no other, whatever its name or content say.

    To FFmpeg `12:30:05.mp4`, `subfile,,…` and a path that begins with a folder `http:` are addresses.

    Raises:
        UnreadableVideo: it does not exist, or is no video of `FORMATS`.
    """
    import av

    only = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
    try:
        container = av.open(f"file:{Path(path).absolute()}", options=only)
    except av.error.FileNotFoundError:
        raise UnreadableVideo(path, f"does not exist ({path})") from None
    except (av.error.FFmpegError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableVideo(path, f"is no video that FFmpeg can open: {reason}") from error
    with closing(container):
        yield container
