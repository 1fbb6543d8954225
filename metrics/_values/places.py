"""Compare names of places and languages in many languages: "Lisbon" is "Lisboa".

The names are in `place_names.tsv`, which `python -m evaluate_qa.dev.place_names` writes.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from .comparison import Texts
from .phrases import NEGATION
from .text import STROKES, without_accents

Keys = frozenset[str]
"""What a name stands for: `c/PT` is a country, `l/pt` a language, `p/…` a city, sea or mountain."""

_MOST_WORDS = 12  # Words of an answer.
_WORDS = 5  # Words of a name, and characters without spaces.
_SHORT = 3  # Letters of a name that must be in capitals.
_WORD = re.compile(r"([^\W_]+)(?:[.'’-]+[^\W_]+)*\.?")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_UNSURE = re.compile(
    r"\b(?:or|oder|ou|near|than|but|maybe|perhaps|between|like|или|не)\b|ではな|不是|也许", re.IGNORECASE
)
_SUFFIXES = "市都州県省府国國"


def is_known_name(reference: str) -> bool:
    """Return whether a reference is the name of a place or language."""
    return bool(_reference_keys(reference))


def _reference_keys(reference: str) -> Keys:
    name = reference.strip(" .").removeprefix("the ")
    if len(name) == _SHORT and name.istitle():
        return frozenset(key for key in _keys_of_names().get(plain_name(name), ()) if key[0] == "p")  # "Rom"
    return keys_of(name) or keys_of(name[:-1] if name[-1:] in _SUFFIXES and name[2:] else name)


def compare_known_name(texts: Texts) -> bool | None:
    """Return whether the answer names the reference's place or language; None if that is not certain.

    >>> compare_known_name(Texts("", "Em Lisbon.", "Lisboa")), compare_known_name(Texts("", "京都", "東京"))
    (True, False)
    """
    answer = texts.answer
    if len(answer.split()) > _MOST_WORDS:
        return None
    reference_keys = _reference_keys(texts.reference)
    if _UNSURE.search(answer) or NEGATION.search(answer):
        return None
    kinds = {key[0] for key in reference_keys}
    city, _, country = answer.rstrip(" .").partition(", ")
    if "p" in kinds and {key[0] for key in keys_of(country)} == {"c"}:
        answer = city  # "Firenze, Italy"
    mentioned = [keys for keys in _mentions(answer) if keys is None or not keys <= _asked_keys(texts.question)]
    alike = {keys for keys in mentioned if keys and kinds & {key[0] for key in keys}}
    if None in mentioned or len(alike) != 1:
        return None
    same = bool(reference_keys & alike.pop())
    return None if same and re.search(rf"\b{re.escape(texts.reference)}\b", answer) else same


def plain_name(name: str) -> str:
    """Return a name in lower case, without accents, hyphens and typographic apostrophes."""
    plain = name.replace("’", "'").casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", without_accents(plain))
    return " ".join(plain.replace("-", " ").split())


@lru_cache(maxsize=1)
def _keys_of_names() -> dict[str, Keys]:
    keys_of_name = defaultdict[str, set[str]](set)
    text = Path(__file__).with_name("place_names.tsv").read_text(encoding="utf-8").translate(STROKES)
    for key, names in re.findall(r"^([^#\t]+)\t(.+)$", text, re.MULTILINE):
        for name in names.split("|"):
            keys_of_name[name].add(key)
    return {name: frozenset(keys) for name, keys in keys_of_name.items()}


@lru_cache(maxsize=1)
def _starts() -> Keys:
    """Return the letters or digits with which the known names start."""
    return frozenset(start for name in _keys_of_names() for start in _WORD.findall(name)[:1])


@lru_cache(maxsize=1 << 12)
def keys_of(text: str) -> Keys:
    """Return what a text that is just a name stands for; nothing for another text.

    >>> keys_of("Lisboa") == keys_of("Lisbon"), keys_of("x")
    (True, frozenset())
    """
    if len(text) <= _SHORT and text.isascii() and not text.isupper():
        return frozenset()
    known = text[:1].isupper() or not text[:1].isascii()
    return _keys_of_names().get(plain_name(text), frozenset()) if known else frozenset()


@lru_cache(maxsize=64)
def _asked_keys(question: str) -> Keys:
    return frozenset().union(*(keys for keys in _mentions(question) if keys))


def _mentions(text: str) -> Iterator[Keys | None]:
    """Yield what each name in a text stands for; None after a comma, and in another name, such as "Real Madrid"."""
    whole = keys_of(text.strip(" .!"))
    if whole:
        yield whole
        return
    if _IDEOGRAPHS.search(text):
        yield from _ideographic(text)
        return
    words = list(_WORD.finditer(text))
    place = 0
    while place < len(words):
        start, first = words[place].start(), words[place][1]
        may_start = not text.isascii() or first.isdecimal() or first.lower() in _starts()  # a fast test
        for size in range(min(_WORDS, len(words) - place) if may_start else 0, 0, -1):
            end = words[place + size - 1].end()
            if keys := keys_of(text[start:end].rstrip(".")):
                yield None if "," in text[:start] or _is_part(text, start, end) else keys
                place += size - 1
                break
        place += 1


def _is_part(text: str, start: int, end: int) -> bool:
    """Return whether a longer name contains the characters from `start` to `end`."""
    before = text[:start].rstrip(" ").rpartition(" ")[2]
    first = before == text[: start - 1]  # such as "In"
    named = before[:1].isupper() and before[-1].isalnum() and not (first and len(before) <= _SHORT)
    return named or (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper())


def _ideographic(text: str) -> Iterator[Keys | None]:
    """Yield what each name in a text without spaces stands for; None if a longer word contains the name."""
    start = 0
    while start < len(text):
        for size in range(min(2 * _WORDS, len(text) - start), 1, -1):
            if keys := keys_of(text[start : start + size]):
                rest = text[start + size :].lstrip(_SUFFIXES)
                part = re.match("[ァ-ー\u3400-\u9fff]", rest) or text[start - 1 : start] in tuple("南北东東副")
                yield None if part else keys
                start += size - 1
                break
        start += 1
