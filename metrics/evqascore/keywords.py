"""Extract key phrases with YAKE, which needs no model, or with a chat model.

YAKE (Campos et al. 2020) ranks phrases by the statistics of the text itself. It lists a phrase together with its parts
and neighbors: "red ball", "ball", "ball rolls". EVQAScore rewards the number of keywords, so every word may count only
once: see `disjoint`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from .._shared.chat_models import NoAnswer
from .._shared.progress import followed
from .keyword_model import KeywordModel
from .options import YAKE

# Phrases of up to two words ("acoustic guitar"). With three, YAKE prefers phrases with a function word in the middle
# ("playing an acoustic"), which split the next phrase.
_WORDS = 2

# Return all candidates. YAKE's own removal of similar phrases compares spelling, not position, and is switched off.
_ALL = 1_000_000
_KEEP_SIMILAR = 1.0


def extract(texts: Sequence[str], lang: str, chat_model: KeywordModel | None) -> Mapping[str, list[str] | NoAnswer]:
    """Return the keywords of each text, or the reason why a chat model gave none; without a chat model, ask YAKE."""
    if chat_model:
        return chat_model.keywords(texts)
    distinct = followed(dict.fromkeys(texts), "evqascore: keywords", "text")
    return {text: yake_keywords(text, lang) for text in distinct}


def yake_label(lang: str) -> str:
    """Return the name of YAKE, its version and the language, for the signature."""
    return f"{YAKE}-{version('yake')}" + ("" if lang == "en" else f".{lang}")


@lru_cache(maxsize=8)
def yake_for(lang: str) -> Any:
    """Return YAKE; raise ImportError if it is missing, and ValueError if it has no stop words for the language."""
    try:
        import yake
    except ImportError as error:
        raise ImportError(
            "evqascore: yake, which extracts keywords, is missing. Install it with: pip install yake"
        ) from error
    lists = [file.name for file in (files("yake") / "core" / "StopwordsList").iterdir()]
    known = sorted(name.removeprefix("stopwords_").removesuffix(".txt") for name in lists)
    if lang not in known:
        raise ValueError(
            f"evqascore: lang is {lang!r}, which YAKE does not support; expected one of {', '.join(known)}"
        )
    return yake.KeywordExtractor(lan=lang, n=_WORDS, dedup_lim=_KEEP_SIMILAR, top=_ALL)


def yake_keywords(text: str, lang: str = "en") -> list[str]:
    """Return the keywords of a text, best first, in lower case; an empty list for texts such as "Yes." or "42".

    >>> yake_keywords("What rolls across the table? A red ball rolls, and the ball hits a blue box.")
    ['table', 'rolls', 'blue box', 'ball', 'red', 'hits']
    """
    found = [phrase for phrase, _ in yake_for(lang).extract_keywords(text)]
    # YAKE mistakes the end of a short sentence for an abbreviation: "cats. dogs", "cats.", "dogs".
    return disjoint(text, [phrase.rstrip(".") for phrase in found if ". " not in phrase])


def disjoint(text: str, phrases: Iterable[str]) -> list[str]:
    """Return the phrases that do not overlap an earlier one in the text, in order.

    A phrase is kept if it occurs in the rest of the text, without the kept phrases, and has a new word. So no word of
    the text counts twice, and there are never more keywords than different words.

    >>> disjoint("A red ball and a blue ball roll.", ["red ball", "ball", "blue ball", "ball roll", "roll"])
    ['red ball', 'blue ball', 'roll']
    """
    left, seen, kept = _spaced(text), set[str](), list[str]()
    for phrase in phrases:
        words = _spaced(phrase)
        if words in left and not seen.issuperset(words.split()):
            kept.append(phrase)
            seen.update(words.split())
            left = left.replace(words, " | ")
    return kept


def _spaced(text: str) -> str:
    """Return the words in lower case, with a space before and after each."""
    return "".join(f" {word} " for word in re.findall(r"[^\W_]+", text.lower()))
