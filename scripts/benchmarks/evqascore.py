"""EVQAScore's reading of a video against an OpenCV loop with Pillow and against pure decoding, by interval."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..metrics.evqascore.clip import Encoder
from ..metrics.evqascore.clip_models import load_clip
from ..metrics.evqascore.encoding import available_cores, batches, video_features
from ..metrics.evqascore.video import Sampling, read_samples
from .measure import Prepare

RANDOM = "random ViT-B-32"
"""Stands for a model of that size whose weights are random: as slow as a real one, and always at hand."""

PURE, SCORE = "pure decode", "score of one row"
LOOP, DECODE, PREPARED = "OpenCV + Pillow loop", "decode", "decode, preprocess"
ENCODE, WHOLE = "encode", "all at once"

_KEYWORDS = 5


@dataclass(frozen=True)
class Job:
    """A video, how it is sampled, and the model (as `load_clip` takes it, or `RANDOM`)."""

    video: str
    interval: int = 30
    model: str = RANDOM
    device: str | None = None
    threads: int | None = None

    @property
    def cores(self) -> int:
        """Threads that decode."""
        return self.threads or available_cores()


def cases(job: Job, intervals: Sequence[int]) -> dict[str, tuple[Prepare, Job]]:
    """Return what is measured: the baselines, each step by itself, and all together."""
    listed: dict[str, tuple[Prepare, Job]] = {PURE: (pure_decode, job)}
    for interval in intervals:
        at = replace(job, interval=interval)
        steps = {LOOP: opencv_loop, DECODE: decode, PREPARED: decode_and_prepare, ENCODE: encode, WHOLE: whole}
        listed |= {named(step, interval): (prepare, at) for step, prepare in steps.items()}
    return listed | {SCORE: (score, job)}


def named(step: str, interval: int) -> str:
    """Return the name of a case that is measured at every interval."""
    return f"{step}, interval {interval}"


def pure_decode(job: Job) -> Callable[[], int]:
    """Every frame decoded, none converted."""
    import av

    def run() -> int:
        with av.open(job.video) as container:
            stream = container.streams.video[0]
            stream.thread_type, stream.codec_context.thread_count = "AUTO", job.cores
            return sum(1 for _ in container.decode(stream))

    return run


def opencv_loop(job: Job) -> Callable[[], int]:
    """What one writes with OpenCV and Pillow: read every frame, keep each so many, preprocess it."""
    import cv2
    from PIL import Image

    preprocess = _preprocess()

    def run() -> int:
        capture, number, kept = cv2.VideoCapture(job.video), 0, 0
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
    return lambda: sum(1 for _ in read_samples(job.video, Sampling(job.interval), job.cores))


def decode_and_prepare(job: Job) -> Callable[[], int]:
    """The sampled frames as the model wants them."""
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
            samples = read_samples(job.video, Sampling(job.interval), job.cores)
            return sum(len(batch.numbers) for batch in batches(samples, prepare, 8, pool, job.cores + 1))

    return run


def encode(job: Job) -> Callable[[], int]:
    """The vectors of frames that are prepared beforehand."""
    encoder = encoder_of(job)
    with ThreadPoolExecutor(job.cores) as pool:
        samples = read_samples(job.video, Sampling(job.interval), job.cores)
        prepared = list(batches(samples, encoder.prepare, encoder.batch_frames, pool, job.cores + 1))
    return lambda: sum(len(encoder.encode_prepared(batch.values)) for batch in prepared)


def whole(job: Job) -> Callable[[], int]:
    """The vectors of a video's sampled frames, as the metric makes them."""
    encoder = encoder_of(job)

    def run() -> int:
        features = dict(video_features([job.video], encoder, Sampling(job.interval), threads=job.threads))[job.video]
        if isinstance(features, Exception):
            raise features
        return len(features.frames)

    return run


def score(job: Job) -> Callable[[], int]:
    """The score of one text, from vectors that are there; the texts are encoded."""
    from ..metrics.evqascore.scoring import compare

    encoder = encoder_of(job)
    features = dict(video_features([job.video], encoder, Sampling(30)))[job.video]
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

    from ..metrics.evqascore.open_clip_models import of_open_clip

    model, _, preprocess = open_clip.create_model_and_transforms("ViT-B-32")
    clip = of_open_clip(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), RANDOM, RANDOM)
    return Encoder(clip, device=job.device)


def _preprocess() -> Any:
    import open_clip

    # That of CLIP at the usual size, whichever the model: the steps by themselves need none.
    return open_clip.image_transform(224, is_train=False)


def write_video(path: str | Path, seconds: float, size: tuple[int, int] = (640, 360), keys: int = 60) -> Path:
    """Write an H.264 video of 30 frames a second in which a block moves over a noisy, moving ground.

    Args:
        path: Where to.
        seconds: How long.
        size: Width and height.
        keys: Distance of the key frames at most.
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
