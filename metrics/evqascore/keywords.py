"""Keywords of texts for which the caller gives none: by a chat model, or by YAKE, which needs no model.

YAKE (Campos et al. 2020) ranks phrases by the statistics of the text itself. It lists a phrase beside its parts and its
neighbours: "red ball", "ball", "ball rolls". EVQAScore rewards the number of keywords, as a sign of how much a text
says, so every word may count once only: see `disjoint`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from .._shared.chat_models import NoAnswer
from .._shared.progress import progress
from .keyword_model import KeywordModel
from .options import YAKE

# Phrases of up to two words ("acoustic guitar"): with three, YAKE prefers those with a function word in the middle
# ("playing an acoustic"), which tear the next phrase apart.
_WORDS = 2

# All candidates are asked for; its own removal of similar phrases compares spelling, not place, and is switched off.
_ALL = 1_000_000
_KEEP_SIMILAR = 1.0


class KeywordSource:
    """Finds keywords with a chat model, which stays loaded from call to call, or with YAKE.

    Args:
        model: The chat model; None for YAKE.
    """

    def __init__(self, model: KeywordModel | None = None) -> None:
        self._model = model

    def label(self, lang: str) -> str:
        """Return what finds the keywords, for the signature."""
        if self._model:
            return self._model.label
        return f"{YAKE}-{version('yake')}" + ("" if lang == "en" else f".{lang}")

    def keywords(self, texts: Sequence[str], lang: str) -> dict[str, list[str] | NoAnswer]:
        """Return the keywords of each text, or why there are none."""
        if self._model:
            return self._model.keywords(texts)
        found: dict[str, list[str] | NoAnswer] = {}
        with progress("evqascore: keywords", len(texts), "text") as bar:
            for text in texts:
                if text not in found:
                    found[text] = yake_keywords(text, lang)
                bar.update()
        return found


def check_language(lang: str) -> None:
    """Check that YAKE is there and knows a language.

    Raises:
        ImportError: YAKE is missing.
        ValueError: it has no list of function words for the language.
    """
    _yake(lang)


@lru_cache(maxsize=8)
def _yake(lang: str) -> Any:
    """Return YAKE for a language; raises what `check_language` does."""
    try:
        import yake
    except ImportError as error:
        raise ImportError("evqascore: yake, which extracts keywords, is missing: pip install yake") from error
    lists = [file.name for file in (files("yake") / "core" / "StopwordsList").iterdir()]
    known = sorted(name.removeprefix("stopwords_").removesuffix(".txt") for name in lists)
    if lang not in known:
        raise ValueError(f"evqascore: lang is {lang!r}, which YAKE does not know; expected one of {', '.join(known)}")
    return yake.KeywordExtractor(lan=lang, n=_WORDS, dedup_lim=_KEEP_SIMILAR, top=_ALL)


def yake_keywords(text: str, lang: str = "en") -> list[str]:
    """Return the keywords of a text, best first, in lower case; none where YAKE finds none ("Yes.", "42").

    >>> yake_keywords("What rolls across the table? A red ball rolls, and the ball hits a blue box.")
    ['table', 'rolls', 'blue box', 'ball', 'red', 'hits']
    """
    found = [phrase for phrase, _ in _yake(lang).extract_keywords(text)]
    # YAKE takes the end of a short sentence for that of an abbreviation: "cats. dogs", "cats.", "dogs".
    return disjoint(text, [phrase.rstrip(".") for phrase in found if ". " not in phrase])


def disjoint(text: str, phrases: Iterable[str]) -> list[str]:
    """Return the phrases, in their order, without those that lie within or across an earlier one in the text.

    A phrase is kept if it occurs in what the kept ones have left of the text, and has a word that none of them has.
    So no word of the text counts twice, and there are never more keywords than different words.

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
