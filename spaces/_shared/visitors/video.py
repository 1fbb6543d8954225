"""Whether a file is a video that can be looked at here. Nothing is decoded to find out."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .limits import LIMITS, Limits, Refusal

# As in the metric. Other kinds are not even begun: a playlist names files and addresses that FFmpeg would open.
FORMATS = "mov,matroska,avi,mpegts,mpeg,ogg,flv,asf"


def check_video(path: str, limits: Limits = LIMITS) -> None:
    """Look at what a video says of itself, and at its packets, which show how much there really is.

    Raises:
        Refusal: it is no video, or too long or too large.
    """
    import av

    # The absolute path: to FFmpeg a name such as `12:30:05.mp4` is an address.
    only = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
    try:
        with av.open(f"file:{Path(path).absolute()}", options=only) as container:
            if not container.streams.video:
                raise Refusal("Video: the file has no frames.")
            seconds = float(container.duration or 0) / av.time_base
            if seconds > limits.video_seconds:
                raise Refusal(
                    f"Video: it has {seconds:,.0f} seconds; this Space accepts {limits.video_seconds}. Shorten it."
                )
            if max(stream.width * stream.height for stream in container.streams.video) > limits.video_pixels:
                raise _too_large()
            _count(container, limits)
    except (av.error.FFmpegError, OSError) as error:
        raise Refusal("Video: the file cannot be read as a video. Use MP4 or WebM.") from error


def in_time(samples: Iterable[Any], limits: Limits = LIMITS) -> Iterator[Any]:
    """Yield sampled frames, which have an `image`, as they are decoded.

    Raises:
        Refusal: it takes too long, or a frame is larger than the video said.
    """
    end = time.monotonic() + limits.reading_seconds
    for sample in samples:
        height, width, *_ = sample.image.shape
        if height * width > limits.video_pixels:
            raise _too_large()
        if time.monotonic() > end:
            raise Refusal(f"Video: reading it takes longer than {limits.reading_seconds:g} seconds. Shorten it.")
        yield sample


def _count(container: Any, limits: Limits) -> None:
    packets = (packet for packet in container.demux(container.streams.video) if packet.size)
    for number, _ in enumerate(packets, 1):
        if number > limits.video_frames:
            raise Refusal(
                f"Video: it has more than {limits.video_frames:,} frames, the limit of this Space. Shorten it."
            )


def _too_large() -> Refusal:
    return Refusal("Video: its frames are too large. Use at most 1920 x 1080 pixels.")
