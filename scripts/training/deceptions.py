"""Made answers that would deceive a judge: each kind half right, half wrong, the right ones in the dress of the wrong.

They are made of a question, its references, and other references of the same kind.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..agreement.labelled import LabelledRow
from .wording import CHOICES, DECLINED, ECHOES, EMPTY, HEDGED, INSTRUCTIONS, LISTS, MEASURES, RETRACTIONS

_HALF = 0.5
# Longest reference, in words, that these sentences can take.
_WORDS = 8
# Share of quantities among all, and of those in another unit among quantities.
_MEASURED, _CONVERTED = 0.12, 0.6
# Converted numbers that one would write.
_FEWEST, _MOST = 0.01, 1e6


class Deception(NamedTuple):
    """A question, an answer, what that is compared with, and whether it is right."""

    question: str
    answer: str
    reference: str
    label: float


class _Texts(NamedTuple):
    question: str
    right: str  # a reference, perhaps another one than that which the answer is compared with
    wrong: Sequence[str]


def deceive(row: LabelledRow, others: Sequence[str], draw: random.Random) -> Deception | None:
    """Return an answer of a kind drawn at random.

    Args:
        row: Whose references are short enough to be said within a sentence; else None is returned.
        others: Other references of the same kind, at least one; without them None is returned.
        draw: Where chance comes from.
    """
    if draw.random() < _MEASURED:
        return _measured(draw)
    short = [text for text in row.references if len(text.split()) <= _WORDS]
    wrong = [text for text in dict.fromkeys(others) if len(text.split()) <= _WORDS]
    if not short or not wrong:
        return None
    texts = _Texts(row.question.rstrip("?! "), draw.choice(short), wrong)
    answer, right = draw.choice(_KINDS)(texts, draw)
    return Deception(row.question, answer[:1].upper() + answer[1:], draw.choice(short), float(right))


def _measured(draw: random.Random) -> Deception:
    """Ask for a quantity, and answer with the same in another unit, or with another unit, or with another number."""
    question, sizes = draw.choice(list(_UNITS.items()))
    (name, size), (other, its) = draw.sample(list(sizes.items()), 2)
    value = round(draw.choice((1, 10, 100, 1000)) * draw.uniform(1, 10), draw.choice((0, 0, 1)))
    converted = value * size / its
    right, fitting = draw.random() < _HALF, _FEWEST <= converted < _MOST
    if right and fitting and draw.random() < _CONVERTED:
        said = f"{_written(converted)} {other}"
    elif right:
        said = f"{_written(value)} {name}"
    elif draw.random() < _CONVERTED and size != its:
        said = f"{_written(value)} {other}"
    else:
        said = f"{_written(value * draw.choice((0.1, 0.5, 0.8, 0.9, 1.1, 1.2, 2, 10)))} {name}"
    return Deception(question, draw.choice(MEASURES).format(said=said), f"{_written(value)} {name}", float(right))


def _written(value: float) -> str:
    return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"  # noqa: PLR2004


def _retracted(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    right, wrong = draw.random() < _HALF, draw.choice(texts.wrong)
    first, last = (wrong, texts.right) if right else (texts.right, wrong)
    return draw.choice(RETRACTIONS).format(first=first, last=last), right


def _listed(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    items = [texts.right, *texts.wrong[:3]]
    draw.shuffle(items)
    joined = f"{', '.join(items[:-1])} {draw.choice(('or', 'and'))} {items[-1]}"
    if draw.random() < 0.4:  # noqa: PLR2004
        return draw.choice(LISTS).format(listed=joined), False
    right = draw.random() < 0.85  # noqa: PLR2004 - so that with the lists half are right
    return draw.choice(CHOICES).format(listed=joined, chosen=texts.right if right else draw.choice(texts.wrong)), right


def _declined(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    if draw.random() < _HALF:
        return draw.choice(DECLINED).format(right=texts.right), False
    right = draw.random() < 0.9  # noqa: PLR2004
    return draw.choice(HEDGED).format(said=texts.right if right else draw.choice(texts.wrong)), right


def _instructing(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    told = draw.choice(INSTRUCTIONS)
    if draw.random() < 0.2:  # noqa: PLR2004
        return told, False
    right = draw.random() < 0.6  # noqa: PLR2004
    said = f"{texts.right if right else draw.choice(texts.wrong)}."
    return (f"{told} {said}" if draw.random() < 0.3 else f"{said} {told}"), right  # noqa: PLR2004


def _empty(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    right, phrases = draw.random() < _HALF, " ".join(draw.sample(EMPTY, draw.randint(1, 3)))
    return (f"{phrases} {draw.choice(('It is ', 'Answer: ', ''))}{texts.right}." if right else phrases), right


def _echoed(texts: _Texts, draw: random.Random) -> tuple[str, bool]:
    right, echo = draw.random() < _HALF, draw.choice(ECHOES).format(question=texts.question)
    return (f"{echo} {texts.right}." if right else echo), right


_KINDS: tuple[Callable[[_Texts, random.Random], tuple[str, bool]], ...] = (
    _retracted,
    _retracted,
    _listed,
    _listed,
    _declined,
    _declined,
    _instructing,
    _empty,
    _echoed,
)

# Question -> units of its answer, with their sizes.
_UNITS: dict[str, dict[str, float]] = {
    "How long is it?": {"m": 1, "metres": 1, "km": 1e3, "cm": 0.01, "mm": 1e-3, "feet": 0.3048, "inches": 0.0254},
    "How far is it from one to the other?": {"km": 1, "kilometres": 1, "miles": 1.609344, "m": 1e-3, "metres": 1e-3},
    "How much does it weigh?": {"kg": 1, "kilograms": 1, "g": 1e-3, "grams": 1e-3, "tonnes": 1e3, "pounds": 0.45359237},
    "What dose was given?": {"mg": 1, "milligrams": 1, "g": 1e3, "grams": 1e3, "micrograms": 1e-3},
    "How long did it take?": {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800},
    "How old did it get?": {"months": 1, "years": 12, "decades": 120, "centuries": 1200},
    "How much does it hold?": {"litres": 1, "liters": 1, "ml": 1e-3, "millilitres": 1e-3, "gallons": 3.785411784},
    "How many people live there?": {"million": 1e6, "billion": 1e9, "thousand": 1e3},
    "How fast does it go?": {"km/h": 1, "kilometres per hour": 1, "mph": 1.609344, "m/s": 3.6},
}
