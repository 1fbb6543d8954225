"""Which frames of a video are looked at, and what comes of a video that cannot be read."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sampling:
    """Uniform sampling, equation 1 of the paper: every `interval`-th frame, from frame 0 on.

    Args:
        interval: Distance of the sampled frames, in frames.
        max_frames: Where a video would give more frames than these, its interval is doubled until it does not.

    Raises:
        ValueError: a value that is no positive whole number.
    """

    interval: int = 30
    max_frames: int | None = None

    def __post_init__(self) -> None:
        _check("interval", self.interval)
        if self.max_frames is not None:
            _check("max_frames", self.max_frames)

    def interval_for(self, frames: int) -> int:
        """Return the interval for a video of so many frames."""
        interval = self.interval
        while self.max_frames is not None and -(-frames // interval) > self.max_frames:
            interval *= 2
        return interval


class Sample(NamedTuple):
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


def _check(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"evqascore: {name} is {value!r}; expected a positive whole number")
