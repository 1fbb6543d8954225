"""What is said about a clip in training: of each text it is known which clips it is true of."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from .clips import BACKGROUNDS, COLOURS, SHAPES, SIZES, ToyClip

_FILLERS = ("a", "an", "the", "there", "is", "it", "this", "that", "one", "in", "of", "and", "with", "video", "clip")
_OTHERS = (
    "moves moving move to left right up down on over background behind front shape colour color coloured what which "
    "where does do has have shows shown see seen can you answer object thing size big little tiny huge not no i know"
)

# Texts with gaps for what they claim.
_TEMPLATES = (
    "A {size} {colour} {shape} moves {motion} on a {background} background.",
    "A {colour} {shape} moves {motion} on a {background} background.",
    "{size} {colour} {shape}",
    "{colour} {shape}",
    "{colour} {shape} moves",
    "{size} {shape}",
    "{shape}",
    "a {shape}",
    "the {shape}",
    "{colour}",
    "{background} background",
    "on a {background} background",
    "{shape} on a {background} background",
    "{colour} {shape} on {background}",
    "What colour is the {shape}? The {shape} is {colour}.",
    "What colour is the {shape}? {colour}",
    "Which shape is {colour}? The {colour} shape is a {shape}.",
    "Which shape is {colour}? {shape}",
    "What moves? A {size} {colour} {shape} moves.",
    "What moves? A {colour} {shape}",
    "What colour is the background? It moves on a {background} background.",
    "What colour is the background? {background}",
)
SEEN: Mapping[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "colour": tuple(COLOURS),
    "background": tuple(BACKGROUNDS),
    "size": tuple(SIZES),
}
"""What can be seen of a clip, with all its values."""

PHRASES = {"shape": "{}", "colour": "{}", "background": "{} background", "size": "{} shape"}
"""How one value of each is put, alone."""


class Claim(NamedTuple):
    """A text and what it claims, by attribute; the direction of motion cannot be seen in a frame and is no claim."""

    text: str
    claims: dict[str, str]

    def true_of(self, clip: ToyClip) -> bool:
        """Whether the clip is as the text says."""
        return all(getattr(clip, name) == value for name, value in self.claims.items())


def vocabulary() -> list[str]:
    """Return every word that a text can hold, and some that questions are made of, sorted."""
    values = {word for names in SEEN.values() for word in names}
    return sorted({*values, *_FILLERS, *_OTHERS.split(), *".,?!'"})


def claim(clip: ToyClip, generator: random.Random) -> Claim:
    """Return one of the texts that are true of a clip, sometimes with a word too much."""
    template = generator.choice(_TEMPLATES)
    text = template.format(**vars(clip))
    if generator.random() < 0.3:  # noqa: PLR2004 - nearly a third
        words = text.split()
        words.insert(generator.randrange(len(words) + 1), generator.choice([*_FILLERS, "<unk>"]))
        text = " ".join(words)
    return Claim(text, {name: getattr(clip, name) for name in SEEN if f"{{{name}}}" in template})
