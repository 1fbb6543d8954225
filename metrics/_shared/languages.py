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
# A letter of another script (π) or a pair of Greek letters (βε) is a symbol. Syllables and ideographs are words.
_WORD = re.compile(r"(?![α-ω]{2}(?![^\W\d_]))[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
# Vowel marks of Arabic and Hebrew, points after Latin letters, and endings of Turkish names and Korean words.
_MARKS = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
_AFTER_LATIN = re.compile("(?<=[a-zA-Z0-9₀-₉])[。．！？、，]")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TURKISH = re.compile(r"(?<=[^\W\d_]{2})['’][^\W\d_]{1,6}\b")
_KOREAN = "(?:특별시|시)?(?:입니다|이?(?:에요|다|야|요|죠|었습니다)|예요|였(?:습니)?다|께서|[이가은는을를]|에(?= 있))?"
# Letters of Russian and Polish, and endings of nouns: "nad Odrą" has "Odra".
_INFLECTED = re.compile("[а-яёąćęłńóśźż]")
_LETTERS = str.maketrans("óё", "oе")
_ENDING = re.compile(
    r"(?<=\w{3})(?:ами|[ое]го|[ое]му|[иы]ми|[оеаиы][йюмхв]|[аеёиоуыэюяь]|owi|i?em|ie|ach|ami|om|[aeiouyąę])(?!\w)"
)
_OR = re.compile("(?:^| )(?:или|또는|혹은|या|أو|أم|veya|ή|lub|hoặc)(?= )|ま た は|も し く は|或|[还還] 是|か も")
_NOT_BEFORE = re.compile(
    "(?:^| )(?:не|ни|ليست?|لا|غير|δεν|όχι|nie|không|לא|(?:不 是|[并並] 非|[没沒] 有|不 在)(?=[^、。，]*$))(?: |$)"
)
_NOT_AFTER = re.compile(
    "[^、。，]*?(?:な[いくか]|ません|以外|아[니닌님닙냐]|않|말고|不[是在]|[并並]非|[没沒]有|नहीं|değil)"
)


def unsupported(question: str, answer: str, reference: str) -> bool:
    """Return True if the matcher cannot read one of the texts.

    These are texts with mostly letters of non-Latin scripts, and questions that have a lowercase word with a letter of
    neither English nor western European languages.

    >>> unsupported("Which city?", "京都", "東京"), unsupported("What is π?", "3.14", "πr²")
    (True, False)
    """
    return any(map(_of_other_script, (question, answer, reference))) or _of_other_language(question)


def exact_score(answer: str, reference: str) -> float:
    """Return 1.0 if the answer contains the reference's words, one after another, else 0.0.

    The last word may have a Korean or Turkish ending, and all words Russian or Polish ones. An answer that negates the
    words or gives alternatives scores 0.

    >>> exact_score("それは東京です。", "東京"), exact_score("京都", "東京"), exact_score("東京ではない。", "東京")
    (1.0, 0.0, 0.0)
    """
    answer, reference = (_AFTER_LATIN.sub(" ", text) for text in (answer, reference))
    texts = (reference, answer if _TURKISH.search(reference) else _TURKISH.sub("", answer))
    reference, answer = (" ".join(exact_words(_MARKS.sub("", text.translate(_SUBSCRIPTS)))) for text in texts)
    if _INFLECTED.search(f"{reference} {answer}"):
        reference, answer = (_ENDING.sub("", text.translate(_LETTERS)) for text in (reference, answer))
    if not reference or reference == answer:
        return float(bool(reference))
    # 南スーダン is not スーダン, 東京タワー not 東京, and 水素 not 水.
    # "赤色" is the color "赤".
    ending, compound = (f"{_KOREAN}ا?", "ァ-ー") if len(reference) > 1 else ("(?: 色)?", "ァ-ー\u4e00-\u9fff")
    words = re.search(
        f"(?<![^ ])(?<![ァ-ー南北东東副] ){re.escape(reference)}{ending}(?![^ ])(?! [{compound}])", answer
    )
    if not words or _OR.search(answer):
        return 0.0
    after = answer[words.end() :].replace(" ", "")
    return float(not (_NOT_BEFORE.search(answer[: words.start()]) or _NOT_AFTER.match(after)))


@lru_cache(maxsize=1 << 12)
def _of_other_script(text: str) -> bool:
    # A superscript, as in πr², is a word character, but no letter.
    letters = "".join(filter(str.isalpha, "".join(_WORD.findall(unicodedata.normalize("NFC", text)))))
    return len(letters) > 2 * len(_WESTERN.findall(letters))


@lru_cache(maxsize=1 << 12)
def _of_other_language(text: str) -> bool:
    return _OTHER_LATIN.search(unicodedata.normalize("NFC", text)) is not None
