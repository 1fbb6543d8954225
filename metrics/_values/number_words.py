"""Find the language of a text, and write its number words in digits: "twenty-one" becomes "21"."""

import math
import re
from functools import lru_cache

from .numerals import NUMERALS, with_numerals
from .text import Replacement, letter_words, word_starts
from .word_tables import WORDS, pattern_of, word_set, words_of

_Phrase = tuple[frozenset[str], re.Pattern[str], Replacement]

_FUNCTION_WORDS = {language: word_set(words) for language, kind, _, words in WORDS if kind == "function"}
_LANGUAGES = {
    word: [language for language, words in _FUNCTION_WORDS.items() if word in words]
    for word in frozenset().union(*_FUNCTION_WORDS.values())
}
# Languages with letters that no other has, or only Russian and Ukrainian have.
_LETTERS = [(language, frozenset(words)) for language, kind, _, words in WORDS if kind == "letters"]
# Words of English texts, names and units that are function words of other languages.
_IN_ENGLISH = words_of("in_english")
_SURE = 1.001  # what a word counts that is in no English text
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=1 << 12)
def _function_words(text: str) -> tuple[dict[str, float], bool]:
    """Return the number of each language's function words in a text, and whether one of them is in no English text.

    Words that are not in English texts count a little more than one, and so do letters of one language.
    """
    counts: dict[str, float] = {}
    lower = text.lower()
    if not text.isascii():
        for language, letters in _LETTERS:
            if not letters.isdisjoint(lower):
                counts[language] = counts.get(language, 0) + _SURE
    foreign = bool(counts)
    for word in _WORD.findall(lower):
        for language in _LANGUAGES.get(word, ()):
            sure = word not in _IN_ENGLISH
            counts[language] = counts.get(language, 0) + (_SURE if sure else 1)
            foreign = foreign or (sure and language != "en")
    return counts, foreign


def language_of(*texts: str) -> str:
    """Return the language of texts by their function words, a key of `_FUNCTION_WORDS`; en if none prevails.

    Words that also occur in English texts, such as "la", do not suffice.

    >>> language_of("Wie viele Knochen hat ein Mensch?", "206"), language_of("206 bones")
    ('de', 'en')
    """
    found = [_function_words(text) for text in texts]
    if not any(foreign for _, foreign in found):
        return "en"
    counts = {language: sum(words.get(language, 0) for words, _ in found) for language in _FUNCTION_WORDS}
    # Without a fraction, all words may be English.
    others = [language for language, count in counts.items() if count % 1 and language != "en"]
    language = max(others, key=counts.__getitem__, default="en")
    return language if int(counts[language]) > int(counts["en"]) else "en"


_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ONE = "|".join(_ONES)
_TEN = "ten|eleven|twelve"
_TEEN = f"{_TEN}|(?:thir|four|fif|six|seven|eigh|nine)teen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_DENOMINATORS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "twelfth": 12, "sixteenth": 16, "twentieth": 20, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_POWER_OF_SCALE = {word: int(power) for _, kind, power, words in WORDS if kind == "scale" for word in words.split()}
_PERCENT = re.compile(pattern_of("percent"), re.IGNORECASE)
# The first three letters of words in the patterns.
_IN_PERCENT = word_set("per cen pro cie про")
_IN_LETTER_SCALED, _IN_DOZENS = word_set("k m bn b t"), word_set("doz dut dou doc")
_IN_ENGLISH_NUMBERS = words_of("english_number_start")
_SCALED = re.compile(rf"(?<![\w.,])(\d[\d.,]{{0,24}})[ -]?({'|'.join(_POWER_OF_SCALE)})\b\.?", re.IGNORECASE)
_LETTER_SCALED = re.compile(
    r"(?<![\w.,])([$€£¥₹]\s?)?(\d[\d.,]{0,24}(?:(?<=\d) (?=B\b))?)([kKMT]|(?<=\d)m|bn|B)(?![\w/^])"
)
_POWER_OF_LETTER = {"k": 3, "K": 3, "m": 6, "M": 6, "bn": 9, "B": 9, "T": 12}
_DOZENS = re.compile(r"\b(?:(\d+)|une|ein|una) (?:dozen|dutzend|douzaines?|docenas?|dozzin[ae])\b", re.IGNORECASE)
_LAST_DAYS = dict.fromkeys(("january", "march", "may", "july", "august", "october", "december"), 31) | dict.fromkeys(
    ("april", "june", "september", "november"), 30
)
_HALVES: tuple[_Phrase, ...] = tuple(
    (frozenset(), re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\ben och en halv\b", "1 1/2"),
        (r"\b(?:andert?|(\w+?)(?:ein|ën|een(?=half)))hal[bfv]e?\b", lambda match: f"{match[1] or 1} 1/2"),
        (r"\b(?:un[oa]s|uns|umas) (?=\d|[a-zà-ü]{3,})", "about "),
        (r" (?:en een half|e mei[oa]|y medi[oa]|et demie?|e mezz[oa]|och en halv)\b", " 1/2"),
        (r"(?<=\d)(×10\^\d+) 1/2", r".5\1"),
    )
)
_AFTER_MILLIONS = re.compile(r"\b(\d+?)((?:000)+) 1/2\b")
_AFTER_NOUN = re.compile(r"\b(\d+) (?!heures?)([^\W\d_]+) 1/2\b")
# Words of English numbers that are no words of another language; those are read in texts without other number words.
_ENGLISH_NUMBER = re.compile(rf"\b(?:{_ONE}|{_TEEN}|{_TENS}|hundred|half|quarter)\b(?<!\bten)", re.IGNORECASE)
_ENGLISH_LARGE = re.compile(rf"\b(?:{_ONE}|{_TEEN}|{_TENS}) (?:hundred|thousand|[mb]illion)\b", re.IGNORECASE)


@lru_cache(maxsize=1 << 13)
def with_digits(text: str, language: str = "en") -> str:
    """Return a text with digits for number words.

    >>> with_digits("two and a half of twenty-one, in nineteen sixty-nine"), with_digits("half a dozen")
    ('2 1/2 of 21, in 1969', '6')
    """
    from text_to_num import alpha2digit

    words = letter_words(text)
    if not words:
        return text
    if language != "en" and _ENGLISH_LARGE.search(text):
        return with_digits(text)
    starts = word_starts(text)  # Texts without the words that a pattern needs are not searched for it.
    if not _IN_PERCENT.isdisjoint(starts):
        text = _PERCENT.sub("%", text)
    for needed, pattern, replacement in _ENGLISH_PHRASES if language == "en" else _HALVES:
        if not needed or not needed.isdisjoint(starts):
            text = pattern.sub(replacement, text)
    before = text
    if language in NUMERALS:
        text = with_numerals(text, language)
    if not _POWER_OF_SCALE.keys().isdisjoint(words):
        text = _SCALED.sub(lambda match: _scale(match, language), text)
    if not _IN_LETTER_SCALED.isdisjoint(words):
        text = _LETTER_SCALED.sub(_scale_by_letter, text)
    if language not in NUMERALS and (language != "en" or not _IN_ENGLISH_NUMBERS.isdisjoint(starts)):
        text = alpha2digit(text, language, 0)
    if text == before and language != "en" and _ENGLISH_NUMBER.search(text):
        return with_digits(text)
    if language != "en":
        text = _AFTER_MILLIONS.sub(lambda match: f"{match[1]}5{match[2][1:]}", text)
        text = _AFTER_NOUN.sub(r"\1 1/2 \2", text)
    return text if _IN_DOZENS.isdisjoint(starts) else _DOZENS.sub(lambda match: str(12 * int(match[1] or 1)), text)


def _scale(match: re.Match[str], language: str) -> str:
    """Return 5×10^6 for "5 million"; an English mil is a thousandth of an inch, or short for a million."""
    number, scale = match[1].rstrip(".,"), match[2].lower()
    return match[0] if language == "en" and scale == "mil" else f"{number}×10^{_POWER_OF_SCALE[scale]}"


def _scale_by_letter(match: re.Match[str]) -> str:
    """Return 12×10^3 for 12k. After a currency, m is a million and T a trillion; otherwise, they are units."""
    currency, digits, letter = match.groups("")
    unit = not currency and (letter in "mT" or digits.endswith(" "))
    return match[0] if unit else f"{currency}{digits.rstrip()}×10^{_POWER_OF_LETTER[letter]}"


def _radians(match: re.Match[str]) -> str:
    """Return 1.570796 for the number before "radians" in "π/2 radians"."""
    return f"{int(match[1] or 1) * math.pi / int(match[2] or 1):.6f}"


def _last_day(match: re.Match[str]) -> str:
    """Return March 31 for "the last day of March"."""
    return f"{match[1]} {_LAST_DAYS[match[1].lower()]}"


def _decade(match: re.Match[str]) -> str:
    """Return 1920s for "twenties", and 1870s for "eighteen seventies"."""
    century = 18 if (match[1] or "").lower() == "eighteen" else 19
    return f"{century}{_DECADES.index(match[2].lower()) + 2}0s"


def _quarter(match: re.Match[str]) -> str:
    """Return Q2 for "the second quarter of" before a year."""
    return f"Q{('fir', 'sec', 'thi', 'fou').index(match[1].lower()[:3]) + 1 if match[1].isalpha() else match[1][0]} "


def _fraction(match: re.Match[str]) -> str:
    """Return 2/3 for "two thirds"."""
    top, bottom = match[1].lower(), match[2].lower()
    denominator = _DENOMINATORS.get(bottom) or _DENOMINATORS[bottom.removesuffix("s")]
    return f"{_ONES.index(top) + 1 if top in _ONES else 1}/{denominator}"


def _year(match: re.Match[str]) -> str:
    """Return 1969 for "nineteen sixty-nine", and 1905 for "nineteen oh five"."""
    from text_to_num import text2num

    parts = (words.replace("-", " ").lower() for words in (match[1], match[2] or match[3]))
    return "".join(f"{int(text2num(part, 'en')):02}" for part in parts)


# Parts of the patterns of phrases, and functions that replace phrases.
_PARTS = {
    "<ONE>": _ONE,
    "<TENS>": _TENS,
    "<NUMERAL>": rf"(?:(?:{_TENS})-)?(?:{_ONE})|{_TEEN}|{_TENS}",
    "<MONEY>": "dollars?|yen|rupees?|francs?",
    "<CODES>": r"USD|EUR|GBP|CHF|JPY|INR|CNY|Rs\.?|Rp\.?",
    "<IN_LARGE>": r"(?: ?(?:thousand|(?:m|b|tr)illion|bn|[kmb]\b))?",
    "<AFTER_PRONOUN>": "of|another|day|thing|side|such|more|can|could|may|must|should|would|has",
    "<SHARE>": rf"\b(an?|{_ONE})[ -]((?:{'|'.join(_DENOMINATORS)})s?)",
    "<LAST_DAYS>": "|".join(_LAST_DAYS),
    "<DECADES>": "|".join(_DECADES),
    "<YEAR_IN_WORDS>": (
        rf"\b({_TEEN}|twenty)[ -](?:((?:{_TENS})(?:[ -](?:{_ONE}))?|{_TEEN})|(?:oh|o)[ -]?({_ONE}))\b(?! hundred)"
    ),
}
_FUNCTIONS: dict[str, Replacement] = {
    "<dollar>": lambda match: f"{match[1][0]}$", "<radians>": _radians, "<last_day>": _last_day, "<decade>": _decade,
    "<quarter>": _quarter, "<fraction>": _fraction, "<year>": _year,
    "per <period>": lambda match: f"per {'day' if match[1].lower() == 'dai' else match[1].replace('annual', 'year')}",
}  # fmt: skip


def _phrase(starts: str, replacement: str, pattern: str) -> _Phrase:
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return word_set(starts), re.compile(pattern, re.IGNORECASE), _FUNCTIONS.get(replacement, replacement)


_ENGLISH_PHRASES = [
    _phrase(starts, replacement, words) for starts, kind, replacement, words in WORDS if kind == "phrase"
]
