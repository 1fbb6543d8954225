"""Checks of uploaded videos."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

from evaluate_qa.metrics.evqascore.video import UnreadableVideo, open_video

from .limits import LIMITS, Refusal


def check_video(path: str) -> None:
    """Check the header of a video and count its packets, which shows its real length; nothing is decoded."""
    import av

    try:
        with open_video(path) as container:
            if not container.streams.video:
                raise Refusal("Video: the file has no frames.")
            seconds = float(container.duration or 0) / av.time_base
            if seconds > LIMITS.video_seconds:
                raise Refusal(
                    f"The video has {seconds:,.0f} seconds; this Space accepts {LIMITS.video_seconds}. Shorten it."
                )
            if max(stream.width * stream.height for stream in container.streams.video) > LIMITS.video_pixels:
                raise _too_large()
            packets = (packet for packet in container.demux(container.streams.video) if packet.size)
            if any(number > LIMITS.video_frames for number, _ in enumerate(packets, 1)):
                raise Refusal(
                    f"The video has more than {LIMITS.video_frames:,} frames, the limit of this Space. Shorten it."
                )
    except (UnreadableVideo, av.error.FFmpegError, OSError) as error:
        raise Refusal("Video: the file cannot be read as a video. Use MP4 or WebM.") from error


def in_time(samples: Iterable[Any]) -> Iterator[Any]:
    """Yield sampled frames, which have an `image`, as they are decoded.

    Raise Refusal if decoding takes too long, or a frame is larger than the header promised.
    """
    end = time.monotonic() + LIMITS.reading_seconds
    for sample in samples:
        height, width, *_ = sample.image.shape
        if height * width > LIMITS.video_pixels:
            raise _too_large()
        if time.monotonic() > end:
            raise Refusal(f"Video: reading it takes longer than {LIMITS.reading_seconds:g} seconds. Shorten it.")
        yield sample


def _too_large() -> Refusal:
    return Refusal("The video's frames are too large. Use at most 1920 x 1080 pixels.")
