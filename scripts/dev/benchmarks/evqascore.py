"""EVQAScore's reading of videos against an OpenCV loop with Pillow and against pure decoding, by interval."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import load_clip
from evaluate_qa.metrics.evqascore.encoding import available_cores, batches, divide, video_features
from evaluate_qa.metrics.evqascore.video import Frame, Sampling, read_samples

from .measure import Prepare

RANDOM = "random ViT-B-32"
"""Stands for a model of that size whose weights are random: as slow as a real one, and always at hand."""

PURE, SCORE = "pure decode", "score of one row"
LOOP, DECODE, PREPARED = "OpenCV + Pillow loop", "decode", "decode, preprocess"
ENCODE, WHOLE = "encode", "all at once"

_KEYWORDS = 5


@dataclass(frozen=True)
class Job:
    """Videos, how they are sampled, and the model (as `load_clip` takes it, or `RANDOM`)."""

    videos: tuple[str, ...]
    interval: int = 30
    model: str = RANDOM
    device: str | None = None
    threads: int | None = None

    @property
    def cores(self) -> int:
        """Threads that decode."""
        return self.threads or available_cores()


def cases(job: Job, intervals: Sequence[int]) -> dict[str, tuple[Prepare, Job]]:
    """Return what is measured: the baselines, each step by itself, and all together; of many videos only reading."""
    steps = {LOOP: opencv_loop, DECODE: decode, PREPARED: decode_and_prepare, ENCODE: encode, WHOLE: whole}
    last = {SCORE: (score, job)}
    if len(job.videos) > 1:
        steps, last = {DECODE: decode, PREPARED: decode_and_prepare, WHOLE: whole}, {}
    listed: dict[str, tuple[Prepare, Job]] = {PURE: (pure_decode, job)}
    for interval in intervals:
        at = replace(job, interval=interval)
        listed |= {named(step, interval): (prepare, at) for step, prepare in steps.items()}
    return listed | last


def named(step: str, interval: int) -> str:
    """Return the name of a case that is measured at every interval."""
    return f"{step}, interval {interval}"


def pure_decode(job: Job) -> Callable[[], int]:
    """Every frame decoded, none converted."""
    import av

    def frames(video: str, threads: int) -> int:
        with av.open(video) as container:
            stream = container.streams.video[0]
            stream.thread_type, stream.codec_context.thread_count = "AUTO", threads
            return sum(1 for _ in container.decode(stream))

    return lambda: _of_all(job, frames)


def _of_all(job: Job, count: Callable[[str, int], int]) -> int:
    """Sum up `count(video, threads)`, as many videos at once and each with as many threads as the metric has them."""
    at_once, each = divide(job.cores, len(job.videos))
    with ThreadPoolExecutor(at_once) as pool:
        return sum(pool.map(count, job.videos, repeat(each)))


def opencv_loop(job: Job) -> Callable[[], int]:
    """What one writes with OpenCV and Pillow: read every frame, keep each so many, preprocess it."""
    import cv2
    from PIL import Image

    preprocess = _preprocess()

    def run() -> int:
        capture, number, kept = cv2.VideoCapture(job.videos[0]), 0, 0
        while True:
            there, frame = capture.read()
            if not there:
                capture.release()
                return kept
            if number % job.interval == 0:
                preprocess(Image.fromarray(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)))
                kept += 1
            number += 1

    return run


def decode(job: Job) -> Callable[[], int]:
    """The sampled frames as RGB."""
    import av  # noqa: F401 - not to be measured

    return lambda: _of_all(job, lambda video, threads: sum(1 for _ in _samples(job, video, threads)))


def decode_and_prepare(job: Job) -> Callable[[], int]:
    """The sampled frames as the model wants them."""
    import av  # noqa: F401
    import numpy as np
    from PIL import Image

    *shaping, _to_tensor, _normalize = _preprocess().transforms

    def prepare(frame: Any) -> Any:
        picture = Image.fromarray(frame)
        for shape in shaping:
            picture = shape(picture)
        return np.asarray(picture)

    def run() -> int:
        with ThreadPoolExecutor(job.cores) as pool:
            return _of_all(job, partial(frames, pool=pool))

    def frames(video: str, threads: int, pool: ThreadPoolExecutor) -> int:
        found = batches(_samples(job, video, threads), prepare, 8, pool, threads + 1)
        return sum(len(batch.numbers) for batch in found)

    return run


def _samples(job: Job, video: str, threads: int) -> Iterator[Frame]:
    return read_samples(video, Sampling(job.interval), threads)


def encode(job: Job) -> Callable[[], int]:
    """The vectors of frames that are prepared beforehand."""
    encoder = encoder_of(job)
    with ThreadPoolExecutor(job.cores) as pool:
        samples = _samples(job, job.videos[0], job.cores)
        prepared = list(batches(samples, encoder.prepare, encoder.batch_frames, pool, job.cores + 1))
    return lambda: sum(len(encoder.encode_prepared(batch.values)) for batch in prepared)


def whole(job: Job) -> Callable[[], int]:
    """The vectors of the videos' sampled frames, as the metric makes them."""
    encoder = encoder_of(job)

    def run() -> int:
        frames = 0
        for _, features in video_features(job.videos, encoder, Sampling(job.interval), threads=job.threads):
            if isinstance(features, Exception):
                raise features
            frames += len(features.frames)
        return frames

    return run


def score(job: Job) -> Callable[[], int]:
    """The score of one text, from vectors that are there; the texts are encoded."""
    from evaluate_qa.metrics.evqascore.scoring import compare

    encoder = encoder_of(job)
    features = dict(video_features(job.videos, encoder, Sampling(30)))[job.videos[0]]
    if isinstance(features, Exception):
        raise features

    def run() -> int:
        texts = encoder.encode_texts(["What moves? A red block moves.", *(f"key phrase {n}" for n in range(_KEYWORDS))])
        compare(features.vectors, texts[0], texts[1:], "qa")
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


def _preprocess() -> Any:
    import open_clip

    # That of CLIP at the usual size, whichever the model: the steps by themselves need none.
    return open_clip.image_transform(224, is_train=False)


def write_video(path: str | Path, seconds: float, size: tuple[int, int] = (640, 360), keys: int = 250) -> Path:
    """Write an H.264 video of 30 frames a second in which a block moves over a noisy, moving ground.

    Args:
        path: Where to.
        seconds: How long.
        size: Width and height.
        keys: Distance of the key frames at most; by default x264's own.
    """
    import av
    import numpy as np

    width, height = size
    y, x = np.mgrid[:height, :width]
    ground = np.stack([x * 255 // width, y * 255 // height, (x + y) % 256], axis=-1)
    noise = np.random.default_rng(0).integers(-6, 7, (8, height, width, 1))
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=30, options={"preset": "medium"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.gop_size = keys
        for number in range(round(seconds * 30)):
            picture = np.roll(ground, 3 * number, axis=1) + noise[number % len(noise)]
            left = 5 * number % width
            picture[height // 3 : 2 * height // 3, left : left + width // 8] = (220, 30, 40)
            frame = av.VideoFrame.from_ndarray(picture.clip(0, 255).astype(np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Path(path)


def copied(video: str, folder: str | Path, count: int) -> tuple[str, ...]:
    """Return so many copies of a video, each a file of its own."""
    return tuple(str(shutil.copyfile(video, Path(folder) / f"{number}{Path(video).suffix}")) for number in range(count))
