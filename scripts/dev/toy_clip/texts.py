"""Training texts about clips, each with the attributes that it claims."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from .clips import BACKGROUNDS, COLORS, SHAPES, SIZES, ToyClip

_FILLERS = ("a", "an", "the", "there", "is", "it", "this", "that", "one", "in", "of", "and", "with", "video", "clip")
_OTHERS = (
    "moves moving move to left right up down on over background behind front shape colour color coloured what which "
    "where does do has have shows shown see seen can you answer object thing size big little tiny huge not no i know"
)

_TEMPLATES = (
    "A {size} {color} {shape} moves {motion} on a {background} background.",
    "A {color} {shape} moves {motion} on a {background} background.",
    "{size} {color} {shape}",
    "{color} {shape}",
    "{color} {shape} moves",
    "{size} {shape}",
    "{shape}",
    "a {shape}",
    "the {shape}",
    "{color}",
    "{background} background",
    "on a {background} background",
    "{shape} on a {background} background",
    "{color} {shape} on {background}",
    "What color is the {shape}? The {shape} is {color}.",
    "What color is the {shape}? {color}",
    "Which shape is {color}? The {color} shape is a {shape}.",
    "Which shape is {color}? {shape}",
    "What moves? A {size} {color} {shape} moves.",
    "What moves? A {color} {shape}",
    "What color is the background? It moves on a {background} background.",
    "What color is the background? {background}",
)
SEEN: Mapping[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "color": tuple(COLORS),
    "background": tuple(BACKGROUNDS),
    "size": tuple(SIZES),
}
"""The visible attributes of a clip, with their values."""

PHRASES = {"shape": "{}", "color": "{}", "background": "{} background", "size": "{} shape"}
"""The phrase for one value of each attribute."""


class Claim(NamedTuple):
    """A text and the visible attributes that it claims. One frame does not show the direction of motion."""

    text: str
    claims: dict[str, str]

    def true_of(self, clip: ToyClip) -> bool:
        """Return True if the text describes the clip correctly."""
        return all(getattr(clip, name) == value for name, value in self.claims.items())


def vocabulary() -> list[str]:
    """Return all words of the texts and some common words of questions, sorted."""
    values = {word for names in SEEN.values() for word in names}
    return sorted({*values, *_FILLERS, *_OTHERS.split(), *".,?!'"})


def claim(clip: ToyClip, generator: random.Random) -> Claim:
    """Return a random true text about a clip, sometimes with an extra word."""
    template = generator.choice(_TEMPLATES)
    text = template.format(**vars(clip))
    if generator.random() < 0.3:  # noqa: PLR2004 - nearly a third
        words = text.split()
        words.insert(generator.randrange(len(words) + 1), generator.choice([*_FILLERS, "<unk>"]))
        text = " ".join(words)
    return Claim(text, {name: getattr(clip, name) for name in SEEN if f"{{{name}}}" in template})
