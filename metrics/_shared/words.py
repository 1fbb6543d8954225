"""Split a text into words for exact matches: without punctuation of prose, with all signs that have a meaning.

"-40 °C" is not "40 °C", "C++" not "C", "xs[::-1]" not "xs[:-1]", "p < 0.05" not "p > 0.05", and "vitamin A" not
"vitamin C"; but "The Beatles, of course!" has the words of "Beatles of course".
"""

import re
from functools import lru_cache

# Different characters with one meaning.
_ALIKE = str.maketrans(
    {"−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "×": "*", "≤": "<=", "≥": ">=", "≠": "!="}
    | dict.fromkeys("“”„‟«»‹›", '"')
    | {"।": ".", "،": ",", "؛": ";", "؟": "?"}
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff")  # invisible
    | dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))
)
# Scripts without spaces, in which each character counts as a word.
UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
# Signs, a pattern that only changes texts with one of them, and its replacement.
_REWRITINGS = tuple(
    (frozenset(signs), re.compile(pattern), replacement)
    for signs, pattern, replacement in (
        # An operator joins two words: "p < 0.05" is "p<0.05".
        ("<>=+*/^±÷≈", r"(?<=[^\s(])\s+(<=|>=|!=|==|[<>=+*/^±÷≈])\s+(?=[^\s)])", r"\1"),
        # Join signs of percent, degree and currency to their number, and the bounds of an interval.
        ("%‰$€£¥₹°", r"(?<=\d)\s+(?=[%‰])|(?<=[$€£¥₹])\s+(?=\d)|(?<=°)\s+(?=[CF]\b)", ""),
        ("([", r"([\[(])\s*([-+]?[\d.]+)\s*[,;]\s*([-+]?[\d.]+)\s*([\])])", r"\1\2:\3\4"),
        # Remove the commas in 1,234,567.
        (",", r"\d+(?:,\d+)+", lambda match: _join_digits(match[0])),
        # A dash between digits is a hyphen, and one before a number a minus: "1979–80", "–40".
        ("–", r"(?<=\d)–(?=\d)|(?<!\S)(?<!\d )–(?=\d)", "-"),
        ("*", r"(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])", r"\1"),
        # Dashes between words, commas that are not between digits, and "40°C", which is two words like "40 °C".
        (",–—…;-", r"–|—|…|;|-(?<=[^\W\d_]-)-(?=[^\W\d_])|,(?<!\d,)|,(?!\d)", " "),
        ("°", r"(?<=\d)(?=°[CF]\b)", " "),
    )
)
# None of the patterns above changes a text without these characters.
_SPECIAL = re.compile(r"[^\w\s.?!'\"()-]|--")
_LETTERS = re.compile(r"[^\W\d_]+(?:[-.'][^\W\d_]+)*")
_INNER = re.compile(r"[-.']")
# Punctuation of prose before and after a word. An exclamation mark after a digit (5!), a hyphen after a letter (Cl-)
# and a prime after a single letter stay, and so do signs before a number or a short symbol.
_BEFORE = re.compile(r"^(?:[\"'`*_¿¡•·]+(?=\w)|[\"'`¿¡•*]+|-(?=[^\W\d_]{4}))")
_AFTER = re.compile(r"(?:[.,:?\"`]|(?<=\w)[。，！？]|(?<=[^\W\d_]{4})-|(?<!\d)!|(?<!^\w)'|(?<=\w)\*\*|(?<=\w)_+$)+$")
_ENDS = frozenset(".,:?")
_BRACKETS, _OPENING = {"(": ")", "[": "]"}, {")": "(", "]": "["}
_LONGEST = 200  # Brackets around longer words stay, because each pair takes time in proportion to the word.
_NO_WORD = re.compile(r"[-_&|\"'`*.,:!?()\[\]{}]*")
_ARTICLES = frozenset({"a", "an", "the", "The", "An"})


@lru_cache(maxsize=1 << 14)
def exact_words(text: str, articles: bool = False) -> tuple[str, ...]:
    """Return the words in lower case, with the signs, points, operators and brackets that have a meaning.

    Hyphens, apostrophes and points within words of letters are removed. If no word is left, return the lowercase text
    split at white space.

    Args:
        text: The text.
        articles: Whether to keep a, an and the. An "A" is an article only at the start of the text.

    >>> exact_words("The U.S. grew by 1,500 (-3.5 %) in C++.")
    ('us', 'grew', 'by', '1500', '-3.5%', 'in', 'c++')
    """
    # Most words are alphanumeric, so that only their case changes.
    stripped = [word if word.isalnum() else _strip_punctuation(word) for word in _rewrite(text).split()]
    bare = [word for word in stripped if word.isalnum() or not _NO_WORD.fullmatch(word)]
    kept = [word for number, word in enumerate(bare) if word not in _ARTICLES and (word != "A" or number)]
    words = kept if kept and not articles else bare
    return tuple(word.lower() if word.isalnum() else _plain(word) for word in words) or tuple(text.lower().split())


def _rewrite(text: str) -> str:
    """Return a text in which words are between spaces."""
    if not text.isascii():
        text = UNSPACED.sub(r" \1 ", text.translate(_ALIKE))
    elif not _SPECIAL.search(text):
        return text
    signs = frozenset(text)
    for needed, pattern, replacement in _REWRITINGS:
        if not needed.isdisjoint(signs):
            text = pattern.sub(replacement, text)
    return text


def _join_digits(digits: str) -> str:
    """Return digits without the commas before the groups of three at their end."""
    start = len(digits)
    while start > 4 and re.fullmatch(r"\d,\d{3}", digits[start - 5 : start]):  # noqa: PLR2004
        start -= 4
    return digits[:start] + digits[start:].replace(",", "")


def _strip_punctuation(word: str) -> str:
    """Return a word without surrounding punctuation of prose."""
    if word[-1] in _ENDS and word[:-1].isalnum():
        return word[:-1]
    before = None
    while word != before and not word.isalnum() and len(word) <= _LONGEST:
        before = word
        word = _AFTER.sub("", _BEFORE.sub("", word))
        opens, closes = word[:1], word[-1:]
        if opens in _BRACKETS and (word.count(opens) > word.count(_BRACKETS[opens]) or closes == _BRACKETS[opens]):
            # Remove both brackets of "(1898)" and the one of "(in"; "(0:1]" is an interval.
            word = word if ":" in word else word[1:].removesuffix(_BRACKETS[opens])
        elif closes in _OPENING and word.count(closes) > word.count(_OPENING[closes]):
            word = word if ":" in word and opens in _BRACKETS else word[:-1]
    return word


def _plain(word: str) -> str:
    lowered = word.lower()
    return _INNER.sub("", lowered) if _LETTERS.fullmatch(lowered) else lowered
