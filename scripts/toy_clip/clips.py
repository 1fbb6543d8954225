"""Clips of one shape that moves over a plain background, and what can be said and asked about them."""

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHAPES = ("circle", "square", "triangle", "cross", "ring")
COLOURS = {
    "red": (215, 40, 40),
    "green": (45, 165, 60),
    "blue": (45, 85, 220),
    "yellow": (235, 210, 40),
    "purple": (145, 55, 190),
}
BACKGROUNDS = {"white": (240, 240, 240), "black": (20, 20, 20), "grey": (128, 128, 128), "brown": (115, 75, 45)}
SIZES = {"small": 11, "large": 20}
"""Distance of a shape's sides from its centre, in pixels."""
MOTIONS = {"to the left": (-1, 0), "to the right": (1, 0), "up": (0, -1), "down": (0, 1)}

WIDTH, HEIGHT, RATE = 96, 64, 12
# CLIP sees the middle square of a picture: the shape stays in it.
_REACH = 6


@dataclass(frozen=True)
class ToyClip:
    """One clip; the same values make the same pictures.

    Args:
        shape: One of `SHAPES`.
        colour: Of the shape, one of `COLOURS`.
        background: One of `BACKGROUNDS`.
        size: One of `SIZES`.
        motion: One of `MOTIONS`.
        seed: Decides where the shape begins, and the noise.
    """

    shape: str
    colour: str
    background: str
    size: str
    motion: str
    seed: int = 0

    def caption(self) -> str:
        """Return a sentence that says all about the clip."""
        return f"A {self.size} {self.colour} {self.shape} moves {self.motion} on a {self.background} background."

    def questions(self) -> dict[str, str]:
        """Return questions about what can be seen, with their answers."""
        return {
            f"What colour is the {self.shape}?": f"The {self.shape} is {self.colour}.",
            f"Which shape is {self.colour}?": f"The {self.colour} shape is a {self.shape}.",
            "What moves?": f"A {self.size} {self.colour} {self.shape} moves.",
            "What colour is the background?": f"It moves on a {self.background} background.",
        }


def all_clips() -> list[ToyClip]:
    """Return every combination once, with seeds of their own, in an order that tells nothing."""
    values = itertools.product(SHAPES, COLOURS, BACKGROUNDS, SIZES, MOTIONS)
    clips = [ToyClip(*value, seed=seed) for seed, value in enumerate(values)]
    random.Random(0).shuffle(clips)
    return clips


def held_out(clip: ToyClip) -> bool:
    """Whether a clip is never trained on: about a fifth of all combinations of shape, colour and background."""
    return random.Random(f"{clip.shape} {clip.colour} {clip.background}").random() < 0.2  # noqa: PLR2004 - a fifth


def another(clip: ToyClip) -> ToyClip:
    """Return a clip that looks different in shape, colour and background, as a wrong answer would have it."""
    generator = random.Random(clip.seed)
    return ToyClip(
        generator.choice([shape for shape in SHAPES if shape != clip.shape]),
        generator.choice([colour for colour in COLOURS if colour != clip.colour]),
        generator.choice([background for background in BACKGROUNDS if background != clip.background]),
        generator.choice(list(SIZES)),
        clip.motion,
        clip.seed,
    )


def pictures(clip: ToyClip, count: int) -> Iterator[Any]:
    """Yield the clip's frames as pictures of Pillow."""
    from PIL import Image, ImageDraw

    generator = random.Random(clip.seed)
    right, down = MOTIONS[clip.motion]
    aside = generator.uniform(-_REACH, _REACH)
    shade = [channel + generator.randint(-12, 12) for channel in BACKGROUNDS[clip.background]]
    fill = tuple(channel + generator.randint(-12, 12) for channel in COLOURS[clip.colour])
    for number in range(count):
        along = _REACH * (2 * number / max(1, count - 1) - 1)
        x = WIDTH / 2 + right * along + (aside if not right else 0)
        y = HEIGHT / 2 + down * along + (aside if not down else 0)
        picture = Image.new("RGB", (WIDTH, HEIGHT), tuple(shade))
        _draw(ImageDraw.Draw(picture), clip.shape, x, y, SIZES[clip.size], fill, tuple(shade))
        yield picture


def _draw(pen: Any, shape: str, x: float, y: float, r: float, fill: Any, behind: Any) -> None:
    if shape in {"circle", "ring"}:
        pen.ellipse((x - r, y - r, x + r, y + r), fill=fill)
        if shape == "ring":
            pen.ellipse((x - r / 2, y - r / 2, x + r / 2, y + r / 2), fill=behind)
    elif shape == "square":
        pen.rectangle((x - r, y - r, x + r, y + r), fill=fill)
    elif shape == "triangle":
        corners = [math.radians(angle) for angle in (-90, 30, 150)]
        pen.polygon([(x + 1.2 * r * math.cos(a), y + 1.2 * r * math.sin(a)) for a in corners], fill=fill)
    else:
        pen.rectangle((x - r, y - r / 3, x + r, y + r / 3), fill=fill)
        pen.rectangle((x - r / 3, y - r, x + r / 3, y + r), fill=fill)


def write_clip(clip: ToyClip, path: str | Path, frames: int = 24) -> Path:
    """Write a clip as a video file, H.264 where the name does not tell otherwise; return its path."""
    import av

    frame_of: Any = av.VideoFrame.from_image
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in pictures(clip, frames):
            container.mux(stream.encode(frame_of(picture)))
        container.mux(stream.encode())
    return Path(path)
