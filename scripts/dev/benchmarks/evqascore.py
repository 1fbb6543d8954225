"""EVQAScore's reading and encoding of videos against pure decoding."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.devices import usable_cpus
from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import load_clip
from evaluate_qa.metrics.evqascore.encoding import batches, video_features
from evaluate_qa.metrics.evqascore.video import Sampling, read_samples

from .measure import Cases

RANDOM = "random ViT-B-32"
"""A model of that size with random weights: as slow as a real one, and always available."""


@dataclass(frozen=True)
class Job:
    """A video, how it is sampled, and the model (as for `load_clip`, or `RANDOM`)."""

    video: str
    interval: int = 30
    model: str = RANDOM
    device: str | None = None


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

    def run() -> int:
        with av.open(job.video) as container:
            stream = container.streams.video[0]
            stream.thread_type, stream.codec_context.thread_count = "AUTO", usable_cpus()
            return sum(1 for _ in container.decode(stream))

    return run


def read(job: Job) -> Callable[[], int]:
    """Decode the sampled frames and preprocess them."""
    prepare = encoder_of(job).prepare

    def run() -> int:
        samples = read_samples(job.video, Sampling(job.interval), usable_cpus())
        return sum(len(numbers) for numbers, _, _ in batches(samples, prepare, 8))

    return run


def whole(job: Job) -> Callable[[], int]:
    """Read and encode the sampled frames as the metric does."""
    encoder = encoder_of(job)

    def run() -> int:
        ((_, features),) = video_features([job.video], encoder, Sampling(job.interval))
        if isinstance(features, Exception):
            raise features
        return len(features.frames)

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
