"""Read the sampled frames of a video with PyAV."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .seeking import Inexact, decode, frame_times, is_countable, packet_table, plan

# Other formats are refused: a playlist, for example, names files and addresses that FFmpeg would open.
FORMATS = "mov,matroska,avi,mpegts,mpeg,ogg,flv,asf"

# A file is truncated if its header promises more than this beyond the last packet, in seconds. Headers round.
_MISSING_SECONDS = 1.0


@dataclass(frozen=True)
class Sampling:
    """Uniform sampling, equation 1 of the paper: every `interval`-th frame, starting with frame 0.

    The interval is doubled until a video gives at most `max_frames` frames.
    """

    interval: int = 30
    max_frames: int | None = None

    def interval_for(self, frames: int) -> int:
        """Return the interval for a video with this number of frames."""
        interval = self.interval
        while self.max_frames is not None and -(-frames // interval) > self.max_frames:
            interval *= 2
        return interval


class Frame(NamedTuple):
    """A sampled frame: its number in the video, its time in seconds after frame 0, and its RGB bytes."""

    number: int
    seconds: float
    image: NDArray[np.uint8]


class UnreadableVideo(Exception):  # noqa: N818 - the message names the file and the defect
    """A video, or a file of features, that cannot be scored."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{Path(path).name} {reason}")
        self.reason = reason


def read_samples(path: str, sampling: Sampling, threads: int = 1) -> Iterator[Frame]:
    """Yield the sampled frames of a video in order, each as soon as it is decoded.

    The frames are bit for bit those of decoding the whole video, and upright if the file has a display rotation.

    Raises:
        UnreadableVideo: The file is missing, is not a video, has no frame, is truncated, or is damaged in a part that
            was decoded. Frames before the damage may have been yielded.
    """
    done = 0
    with suppress(Inexact):
        for sample in _seek(path, sampling, threads):
            yield sample
            done += 1
        return
    # Samples that were yielded before the mismatch are not yielded again.
    yield from islice(_read_through(path, sampling, threads), done, None)


def _seek(path: str, sampling: Sampling, threads: int) -> Iterator[Frame]:
    """Yield the samples by jumping to key frames; raise Inexact if the packets do not determine the frames."""
    import av

    with _open(path, threads) as (container, stream):
        if not is_countable(container, stream):
            raise Inexact
        frames = frame_times(packet_table(_packets(path, container, stream)))
        convert = _converter(stream, int(frames.times[0]))
        runs = plan(frames, sampling.interval_for(len(frames.times)))
        try:
            for number, frame in decode(container, stream, frames, runs):
                yield convert(number, frame)
        except av.error.FFmpegError as error:
            raise Inexact from error  # reading through finds the cause


def _read_through(path: str, sampling: Sampling, threads: int) -> Iterator[Frame]:
    """Yield the samples by decoding every frame."""
    interval = sampling.interval
    if sampling.max_frames is not None:
        with _open(path, threads) as (container, stream):
            interval = sampling.interval_for(len(packet_table(_packets(path, container, stream))))
    number = -1
    with _open(path, threads) as (container, stream):
        for number, frame in enumerate(_frames(path, container, stream)):
            if number == 0:
                convert = _converter(stream, frame.pts)
            if number % interval == 0:
                yield convert(number, frame)
    if number < 0:
        raise UnreadableVideo(path, "has no frame that can be decoded")


def _frames(path: str, container: Any, stream: Any) -> Iterator[Any]:
    """Yield every frame; raise UnreadableVideo at the first sign of damage."""
    import av

    number = 0
    try:
        for packet in _packets(path, container, stream, flush=True):
            for frame in packet.decode():
                if frame.is_corrupt:
                    raise UnreadableVideo(path, f"is damaged at frame {number}")
                yield frame
                number += 1
    except av.error.FFmpegError as error:
        raise UnreadableVideo(path, f"is damaged after frame {number}: {error.strerror}") from error


def _packets(path: str, container: Any, stream: Any, *, flush: bool = False) -> Iterator[Any]:
    """Yield the packets of a video stream; raise UnreadableVideo if the file ends before its header says.

    With `flush`, the last packet is the empty one that makes a decoder return the frames it still holds.
    """
    count, end = 0, 0
    for packet in container.demux(stream):
        if packet.is_corrupt:
            raise _truncation_error(path, count, stream)
        if packet.size:
            count += 1
            end = max(end, (packet.pts or 0) + (packet.duration or 0))
        if packet.size or flush:
            yield packet
    if container.format.name.startswith("mov,") and count < stream.frames:
        raise _truncation_error(path, count, stream)
    if container.format.name.startswith("matroska") and count:
        promised = (container.duration or 0) / 1e6
        missing = promised - end * float(stream.time_base)
        if missing > _MISSING_SECONDS and promised - _last_packet(path) > _MISSING_SECONDS:
            raise _truncation_error(path, count, stream)


def _last_packet(path: str) -> float:
    """Return when the last packet of any stream ends, in seconds: sound may continue after the picture."""
    with open_video(path) as container:
        ends = (((packet.pts or 0) + (packet.duration or 0)) * packet.time_base for packet in container.demux())
        return float(max(ends, default=0))


def _truncation_error(path: str, count: int, stream: Any) -> UnreadableVideo:
    total = f" of {stream.frames}" if stream.frames else ""
    return UnreadableVideo(path, f"is truncated after frame {count}{total}")


def _converter(stream: Any, first: int | None) -> Callable[[int, Any], Frame]:
    """Return a function that converts decoded frames to samples; `first` is the presentation time of frame 0."""
    from av.video.reformatter import VideoReformatter

    reformatter = VideoReformatter()

    def convert(number: int, frame: Any) -> Frame:
        # One thread: starting more takes as long as converting fifty frames.
        image = np.asarray(reformatter.reformat(frame, format="rgb24", threads=1).to_ndarray(), dtype=np.uint8)
        # The display matrix turns in steps of 90 degrees, counterclockwise.
        upright = np.ascontiguousarray(np.rot90(image, round(frame.rotation / 90) % 4))
        if frame.pts is None or first is None:
            return Frame(number, number / float(stream.guessed_rate or 25), upright)
        return Frame(number, float((frame.pts - first) * stream.time_base), upright)

    return convert


@contextmanager
def _open(path: str, threads: int) -> Iterator[tuple[Any, Any]]:
    """Open a file and its first video stream that is not a cover picture."""
    with open_video(path) as container:
        from av.stream import Disposition

        videos = [one for one in container.streams.video if not one.disposition & Disposition.attached_pic]
        if not videos:
            raise UnreadableVideo(path, "has no video stream")
        if videos[0].codec_context is None:
            raise UnreadableVideo(path, "has a video stream with a codec that this FFmpeg cannot decode")
        videos[0].thread_type = "AUTO"
        videos[0].codec_context.thread_count = threads
        yield container, videos[0]


@contextmanager
def open_video(path: str) -> Iterator[Any]:
    """Open a local file with PyAV, even if its name looks like an address; raise UnreadableVideo if it cannot.

    FFmpeg reads `12:30:05.mp4`, `subfile,,…` and paths that begin with a folder `http:` as addresses.
    """
    import av

    only = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
    try:
        container = av.open(f"file:{Path(path).absolute()}", options=only)
    except av.error.FileNotFoundError:
        raise UnreadableVideo(path, f"does not exist in {Path(path).absolute().parent}") from None
    except (av.error.FFmpegError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableVideo(path, f"is not a video that FFmpeg can open: {reason}") from error
    with closing(container):
        yield container
