"""Find texts that the embedded matcher cannot read, and score them by exact rules.

The encoder knows English and a little of other languages in Latin letters. It reads words in other scripts as unknown
tokens or single characters, so that one city looks like another.
"""

import re
import unicodedata
from functools import lru_cache

from .words import exact_words

# Letters of English and of western European languages.
_WESTERN = re.compile(r"[a-zA-Z\u00c0-\u024f]")
# A lowercase word with a letter of another language, such as "başkent". Capitalized words may be names.
_OTHER_LATIN = re.compile(r"(?<![^\W\d_])[^\W\d_A-Z]*[\u0100-\u024f\u1e00-\u1eff][^\W\d_A-Z]*(?![^\W\d_])")
# Single letters of other scripts, such as α or π, are symbols. Syllables and ideographs are words.
_WORD = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def unsupported(question: str, answer: str, reference: str) -> bool:
    """Return True if the matcher cannot read one of the texts.

    These are texts with mostly letters of non-Latin scripts, and questions that have a lowercase word with a letter of
    neither English nor western European languages.

    >>> unsupported("Which city?", "京都", "東京"), unsupported("What is π?", "3.14", "π")
    (True, False)
    """
    return any(map(_of_other_script, (question, answer, reference))) or _of_other_language(question)


def exact_score(answer: str, reference: str) -> float:
    """Return 1.0 if the answer contains the reference's words, one after another, else 0.0.

    >>> exact_score("それは東京です。", "東京"), exact_score("京都", "東京")
    (1.0, 0.0)
    """
    return float(f" {' '.join(exact_words(reference))} " in f" {' '.join(exact_words(answer))} ")


@lru_cache(maxsize=1 << 12)
def _of_other_script(text: str) -> bool:
    letters = "".join(_WORD.findall(unicodedata.normalize("NFC", text)))
    return len(letters) > 2 * len(_WESTERN.findall(letters))


@lru_cache(maxsize=1 << 12)
def _of_other_language(text: str) -> bool:
    return _OTHER_LATIN.search(unicodedata.normalize("NFC", text)) is not None
