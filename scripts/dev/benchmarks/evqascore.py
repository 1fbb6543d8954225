"""EVQAScore's reading and encoding of videos against pure decoding."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.devices import usable_cpus
from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import load_clip
from evaluate_qa.metrics.evqascore.encoding import batches, divide, video_features
from evaluate_qa.metrics.evqascore.video import Sampling, read_samples

from .measure import Cases

RANDOM = "random ViT-B-32"
"""A model of that size with random weights: as slow as a real one, and always available."""


@dataclass(frozen=True)
class Job:
    """Videos, how they are sampled, and the model (as for `load_clip`, or `RANDOM`)."""

    videos: tuple[str, ...]
    interval: int = 30
    model: str = RANDOM
    device: str | None = None
    threads: int | None = None


def cases(job: Job) -> Cases:
    """Return pure decoding, reading alone, and the vectors of the sampled frames as the metric makes them."""
    return {
        "decode every frame": (pure_decode, job),
        "read and preprocess": (read, job),
        "default": (whole, job),
    }


def pure_decode(job: Job) -> Callable[[], int]:
    """Decode every frame and convert none."""
    import av

    def frames(video: str, threads: int) -> int:
        with av.open(video) as container:
            stream = container.streams.video[0]
            stream.thread_type, stream.codec_context.thread_count = "AUTO", threads
            return sum(1 for _ in container.decode(stream))

    return lambda: _of_all(job, frames)


def read(job: Job) -> Callable[[], int]:
    """Decode the sampled frames and preprocess them."""
    prepare = encoder_of(job).prepare

    def frames(video: str, threads: int) -> int:
        samples = read_samples(video, Sampling(job.interval), threads)
        return sum(len(numbers) for numbers, _, _ in batches(samples, prepare, 8))

    return lambda: _of_all(job, frames)


def whole(job: Job) -> Callable[[], int]:
    """Read and encode the sampled frames as the metric does."""
    encoder = encoder_of(job)

    def run() -> int:
        frames = 0
        for _, features in video_features(job.videos, encoder, Sampling(job.interval), threads=job.threads):
            if isinstance(features, Exception):
                raise features
            frames += len(features.frames)
        return frames

    return run


def encoder_of(job: Job) -> Encoder:
    """Load the model, or make one of the size of ViT-B-32."""
    if job.model != RANDOM:
        return Encoder(load_clip(job.model), device=job.device)
    import open_clip

    from evaluate_qa.metrics.evqascore.open_clip_models import of_open_clip

    model, _, preprocess = open_clip.create_model_and_transforms("ViT-B-32")
    clip = of_open_clip(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), RANDOM, RANDOM)
    return Encoder(clip, device=job.device)


def write_video(path: str | Path, seconds: float, size: tuple[int, int] = (640, 360)) -> Path:
    """Write an H.264 video of 30 frames per second in which a block moves over a noisy, moving background."""
    import av
    import numpy as np

    width, height = size
    y, x = np.mgrid[:height, :width]
    ground = np.stack([x * 255 // width, y * 255 // height, (x + y) % 256], axis=-1)
    noise = np.random.default_rng(0).integers(-6, 7, (8, height, width, 1))
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=30, options={"preset": "medium"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(round(seconds * 30)):
            picture = np.roll(ground, 3 * number, axis=1) + noise[number % len(noise)]
            left = 5 * number % width
            picture[height // 3 : 2 * height // 3, left : left + width // 8] = (220, 30, 40)
            frame = av.VideoFrame.from_ndarray(picture.clip(0, 255).astype(np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Path(path)


def copied(video: Path, folder: Path, count: int) -> tuple[str, ...]:
    """Return copies of a video, each in a file of its own."""
    return tuple(str(shutil.copyfile(video, folder / f"{number}.mp4")) for number in range(count))


def _of_all(job: Job, count: Callable[[str, int], int]) -> int:
    """Sum up `count(video, threads)`, with as many videos and threads in parallel as the metric."""
    at_once, each = divide(job.threads or usable_cpus(), len(job.videos))
    with ThreadPoolExecutor(at_once) as pool:
        return sum(pool.map(count, job.videos, repeat(each)))
