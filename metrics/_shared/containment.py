"""Score answers in languages that the embedded matcher cannot read, by whether they contain the reference's words."""

import re

from .words import exact_words

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
_ENDING_OF_NAME = re.compile(_ENDING.pattern.replace("[йюмхв]", "[йюмх]"))
# Ends of names of seas and islands, which may start with a country, and characters that may precede a noun.
_FEATURES, _BEFORE_NOUN = "海湾灣島岛", frozenset("是为為叫只隻匹头頭个個的有名一这那這些色大小黑白红紅")
_OR = re.compile("(?:^| )(?:или|또는|혹은|या|أو|أم|veya|ή|lub|hoặc)(?= )|ま た は|も し く は|或|[还還] 是|か も")
_NOT_BEFORE = re.compile(
    "(?:^| )(?:не|ни|ليست?|لا|غير|δεν|όχι|nie|không|לא|(?:不 是|[并並] 非|[没沒] 有|不 在)(?=[^、。，]*$))(?: |$)"
)
_NOT_AFTER = re.compile(
    "[^、。，]*?(?:な[いくか]|ません|以外|아[니닌님닙냐]|않|말고|不[是在]|[并並]非|[没沒]有|नहीं|değil)"
)


def containment_score(answer: str, reference: str) -> float:
    """Return 1.0 if the answer contains the reference's words, one after another, else 0.0.

    The last word may have a Korean or Turkish ending, and all words Russian or Polish ones. An answer that negates the
    words or gives alternatives scores 0.

    >>> [containment_score(answer, "東京") for answer in ("それは東京です。", "京都", "東京ではない。")]
    [1.0, 0.0, 0.0]
    """
    answer, reference, is_name = *(_AFTER_LATIN.sub(" ", text) for text in (answer, reference)), reference.istitle()
    texts = (reference, answer if _TURKISH.search(reference) else _TURKISH.sub("", answer))
    reference, answer = (" ".join(exact_words(_MARKS.sub("", text.translate(_SUBSCRIPTS)))) for text in texts)
    if _INFLECTED.search(f"{reference} {answer}"):
        ending_of = _ENDING_OF_NAME if is_name else _ENDING  # Иванов is not Иван.
        reference, answer = (ending_of.sub("", text.translate(_LETTERS)) for text in (reference, answer))
    if not reference or reference == answer:
        return float(bool(reference))
    # 南スーダン is not スーダン, 東京タワー not 東京, 日本海 not 日本, and 水素 not 水; but 赤色 is 赤.
    ending, compound = (
        (f"{_KOREAN}ا?", f"ァ-ー{_FEATURES}") if len(reference) > 1 else ("(?: 色)?", "ァ-ー\u4e00-\u9fff")
    )
    words = re.search(
        f"(?<![^ ])(?<![ァ-ー南北东東副] ){re.escape(reference)}{ending}(?![^ ])(?! [{compound}])", answer
    )
    if not words or _OR.search(answer) or _is_in_compound(answer[: words.start()].rstrip()[-1:], reference):
        return 0.0
    after = answer[words.end() :].replace(" ", "")
    return float(not (_NOT_BEFORE.search(answer[: words.start()]) or _NOT_AFTER.match(after)))


def _is_in_compound(before: str, reference: str) -> bool:
    """Return whether the character before a reference of one ideograph makes it part of a word: 猫 in 熊猫."""
    return len(reference) == 1 and "\u4e00" <= before <= "\u9fff" and before not in _BEFORE_NOUN
