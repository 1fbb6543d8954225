"""Clips of one shape that moves over a plain background, with captions, questions and answers."""

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHAPES = ("circle", "square", "triangle", "cross", "ring")
COLORS = {
    "red": (215, 40, 40),
    "green": (45, 165, 60),
    "blue": (45, 85, 220),
    "yellow": (235, 210, 40),
    "purple": (145, 55, 190),
}
BACKGROUNDS = {"white": (240, 240, 240), "black": (20, 20, 20), "grey": (128, 128, 128), "brown": (115, 75, 45)}
SIZES = {"small": 11, "large": 20}
"""Distance of a shape's sides from its center, in pixels."""
MOTIONS = {"to the left": (-1, 0), "to the right": (1, 0), "up": (0, -1), "down": (0, 1)}

WIDTH, HEIGHT, RATE = 96, 64, 12
# CLIP sees only the middle square of a picture, so the shape stays in it.
_REACH = 6


@dataclass(frozen=True)
class ToyClip:
    """One clip. Equal values give equal pictures; `seed` determines the shape's start and the shades."""

    shape: str
    color: str
    background: str
    size: str
    motion: str
    seed: int = 0

    def caption(self) -> str:
        """Return a complete description of the clip."""
        return f"A {self.size} {self.color} {self.shape} moves {self.motion} on a {self.background} background."

    def questions(self) -> dict[str, str]:
        """Return questions about the clip with their answers, in words that the model was trained on."""
        return {
            f"What color is the {self.shape}?": f"The {self.shape} is {self.color}.",
            f"Which shape is {self.color}?": f"The {self.color} shape is a {self.shape}.",
            "What moves?": f"A {self.size} {self.color} {self.shape} moves.",
            "What color is the background?": f"It moves on a {self.background} background.",
        }


def all_clips() -> list[ToyClip]:
    """Return every combination once, each with its own seed, in random order."""
    values = itertools.product(SHAPES, COLORS, BACKGROUNDS, SIZES, MOTIONS)
    clips = [ToyClip(*value, seed=seed) for seed, value in enumerate(values)]
    random.Random(0).shuffle(clips)
    return clips


def held_out(clip: ToyClip) -> bool:
    """Return True if a clip is held out from training: a fifth of the combinations of shape, color and background."""
    return random.Random(f"{clip.shape} {clip.color} {clip.background}").random() < 0.2  # noqa: PLR2004 - a fifth


def another(clip: ToyClip) -> ToyClip:
    """Return a clip that differs in shape, color and background, for wrong answers."""
    generator = random.Random(clip.seed)
    return ToyClip(
        generator.choice([shape for shape in SHAPES if shape != clip.shape]),
        generator.choice([color for color in COLORS if color != clip.color]),
        generator.choice([background for background in BACKGROUNDS if background != clip.background]),
        generator.choice(list(SIZES)),
        clip.motion,
        clip.seed,
    )


def pictures(clip: ToyClip, count: int) -> Iterator[Any]:
    """Yield the clip's frames as images of Pillow."""
    from PIL import Image, ImageDraw

    generator = random.Random(clip.seed)
    right, down = MOTIONS[clip.motion]
    aside = generator.uniform(-_REACH, _REACH)
    shade = [channel + generator.randint(-12, 12) for channel in BACKGROUNDS[clip.background]]
    fill = tuple(channel + generator.randint(-12, 12) for channel in COLORS[clip.color])
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
    """Write a clip as an H.264 video file and return its path."""
    import av

    frame_of: Any = av.VideoFrame.from_image
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in pictures(clip, frames):
            container.mux(stream.encode(frame_of(picture)))
        container.mux(stream.encode())
    return Path(path)
