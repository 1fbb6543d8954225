"""Find texts that the embedded matcher cannot read.

The encoder knows English and a little of other languages in Latin letters. It reads words in other scripts as unknown
tokens or single characters, so that one city looks like another.
"""

import re
import unicodedata
from functools import lru_cache

# Letters of English and of western European languages.
_WESTERN = re.compile(r"[a-zA-Z\u00c0-\u024f]")
# A lowercase word with a letter of another language, such as "başkent". Capitalized words may be names.
_OTHER_LATIN = re.compile(r"(?<![^\W\d_])[^\W\d_A-Z]*[\u0100-\u024f\u1e00-\u1eff][^\W\d_A-Z]*(?![^\W\d_])")
# A letter of another script (π) or a pair of Greek letters (βε) is a symbol. Syllables and ideographs are words.
_WORD = re.compile(r"(?![α-ω]{2}(?![^\W\d_]))[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def is_unsupported(question: str, answer: str, reference: str) -> bool:
    """Return True if the matcher cannot read one of the texts.

    These are texts with mostly letters of non-Latin scripts, and questions that have a lowercase word with a letter of
    neither English nor western European languages.

    >>> is_unsupported("Which city?", "京都", "東京"), is_unsupported("What is π?", "3.14", "πr²")
    (True, False)
    """
    return any(map(_in_other_script, (question, answer, reference))) or _in_other_language(question)


@lru_cache(maxsize=1 << 12)
def _in_other_script(text: str) -> bool:
    # A superscript, as in πr², is a word character, but no letter.
    letters = "".join(filter(str.isalpha, "".join(_WORD.findall(unicodedata.normalize("NFC", text)))))
    return len(letters) > 2 * len(_WESTERN.findall(letters))


@lru_cache(maxsize=1 << 12)
def _in_other_language(text: str) -> bool:
    return _OTHER_LATIN.search(unicodedata.normalize("NFC", text)) is not None
