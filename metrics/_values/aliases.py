"""Recognize two names of one person, thing or substance: "Samuel Clemens" is "Mark Twain"."""

from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from .._shared.lexical import match as contains
from .._shared.words import exact_words
from .candidates import candidates_in, hedges
from .comparison import Texts
from .phrases import NEGATION
from .substances import SUBSTANCES

_LINES = Path(__file__).with_name("aliases.tsv").read_text(encoding="utf-8").splitlines()
ACRONYMS = frozenset(name for line in _LINES for name in line.split("\t") if name.isupper())
"""Acronyms whose names are known."""
_SHORTEST = 3  # Letters of a name of only English letters.


@lru_cache(maxsize=1)
def _names() -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the words of each name in `aliases.tsv` and of each substance, with all names of the same thing."""
    listed = [line.split("\t") for line in _LINES] + [[name, *others] for name, _, *others in SUBSTANCES]
    groups = [
        [exact_words(name) for name in names if len(name) >= (_SHORTEST if name.isascii() else 2)] for names in listed
    ]
    names = defaultdict[tuple[str, ...], list[tuple[str, ...]]](list)
    for group in groups:
        for name in group:
            names[name] += group
    return dict(names)


def has_alias(reference: str) -> bool:
    """Return whether a reference is a name that has another one."""
    return exact_words(reference) in _names()


def are_aliases(name: str, other: str) -> bool:
    """Return whether two texts are just names of the same thing."""
    return exact_words(name) in _names().get(exact_words(other), ())


def is_alias(texts: Texts) -> bool:
    """Return whether an answer names the reference by another name, which the question must not contain.

    >>> is_alias(Texts("Who wrote it?", "It was Samuel Clemens.", "Mark Twain"))
    True
    >>> is_alias(Texts("What was Mark Twain's real name?", "Mark Twain", "Samuel Clemens"))
    False
    """
    if NEGATION.search(texts.answer) or " or " in texts.answer or hedges(texts.answer):
        return False
    reference, asked = exact_words(texts.reference), exact_words(texts.question.replace("'s ", " "))
    if contains(texts.answer_words, reference) or contains(asked, reference) or len(candidates_in(texts.answer)) > 1:
        return False
    names = (name for name in _names()[reference] if not contains(asked, name))
    return any(contains(texts.answer_words, name) for name in names)
