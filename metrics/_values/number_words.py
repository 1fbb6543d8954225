"""Find the language of a text, and write its number words in digits: "twenty-one" becomes "21"."""

import math
import re
from functools import lru_cache

from .numerals import LANGUAGES as NUMERALS
from .numerals import WORDS, with_numerals, words_of
from .text import Replacement, letter_words, word_set, word_starts

_Phrase = tuple[frozenset[str], re.Pattern[str], Replacement]

_FUNCTION_WORDS = {language: word_set(words) for language, kind, _, words in WORDS if kind == "function"}
_LANGUAGES = {
    word: [language for language, words in _FUNCTION_WORDS.items() if word in words]
    for word in frozenset().union(*_FUNCTION_WORDS.values())
}
# Languages with letters that no other has, or only Russian and Ukrainian have.
_LETTERS = tuple(
    (language, frozenset(letters))
    for language, letters in (
        ("de", "ß"), ("es", "¿¡ñ"), ("pt", "ãõ"), ("pl", "ąęłśźż"), ("tr", "ğşı"), ("cs", "ěřů"), ("sv", "å"),
        ("ru", "аеиоуяыэ"), ("uk", "аеиоуя"), ("ru", "ыэъё"), ("uk", "іїєґ"),
    )
)  # fmt: skip
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
_PERCENT = re.compile(
    r"\bper ?cent\b|\bprozent\b|\bpour cent\b|\bpor ciento\b|\bpor cento\b|\bper cento\b|\bпроцент\w*", re.IGNORECASE
)
# The first three letters of words in the patterns.
_IN_PERCENT = word_set("per cen pro cie про")
_IN_LETTER_SCALED, _IN_DOZENS = word_set("k m bn b"), word_set("doz dut dou doc")
_IN_ENGLISH_NUMBERS = word_set(
    "zer o os one two thr fou fiv six sev eig nin ten ele twe thi for fif hun tho mil bil tri fir sec"
)
_SCALED = re.compile(rf"(?<![\w.,])(\d[\d.,]{{0,24}})[ -]?({'|'.join(_POWER_OF_SCALE)})\b\.?", re.IGNORECASE)
_LETTER_SCALED = re.compile(r"(?<![\w.,])([$€£¥₹]\s?)?(\d[\d.,]{0,24})([kKM]|(?<=\d)m|bn|B)(?![\w/^])")
_POWER_OF_LETTER = {"k": 3, "K": 3, "m": 6, "M": 6, "bn": 9, "B": 9}
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
    starts = word_starts(text)  # Texts without the words that a pattern needs are not searched for it.
    if not _IN_PERCENT.isdisjoint(starts):
        text = _PERCENT.sub("%", text)
    for needed, pattern, replacement in _ENGLISH_PHRASES if language == "en" else _HALVES:
        if not needed or not needed.isdisjoint(starts):
            text = pattern.sub(replacement, text)
    if language in NUMERALS:
        text = with_numerals(text, language)
    if not _POWER_OF_SCALE.keys().isdisjoint(words):
        text = _SCALED.sub(lambda match: _scaled(match, language), text)
    if not _IN_LETTER_SCALED.isdisjoint(words):
        text = _LETTER_SCALED.sub(_letter_scaled, text)
    if language not in NUMERALS and (language != "en" or not _IN_ENGLISH_NUMBERS.isdisjoint(starts)):
        before, text = text, alpha2digit(text, language, 0)
        if text == before and language != "en" and _ENGLISH_NUMBER.search(text):
            return with_digits(text)
    if language != "en":
        text = _AFTER_MILLIONS.sub(lambda match: f"{match[1]}5{match[2][1:]}", text)
        text = _AFTER_NOUN.sub(r"\1 1/2 \2", text)
    return text if _IN_DOZENS.isdisjoint(starts) else _DOZENS.sub(lambda match: str(12 * int(match[1] or 1)), text)


def _scaled(match: re.Match[str], language: str) -> str:
    """Return 5×10^6 for "5 million"; an English mil is a thousandth of an inch, or short for a million."""
    number, scale = match[1].rstrip(".,"), match[2].lower()
    return match[0] if language == "en" and scale == "mil" else f"{number}×10^{_POWER_OF_SCALE[scale]}"


def _letter_scaled(match: re.Match[str]) -> str:
    """Return 12×10^3 for 12k. A lowercase m is a million only after a currency; otherwise it is a meter."""
    currency, digits, letter = match.groups("")
    return match[0] if letter == "m" and not currency else f"{currency}{digits}×10^{_POWER_OF_LETTER[letter]}"


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


_MONEY, _CODES = "dollars?|yen|rupees?|francs?", r"USD|EUR|GBP|CHF|JPY|INR|CNY|Rs\.?|Rp\.?"
_IN_LARGE = "(?: (?:thousand|[mb]illion|bn))?"
_AFTER_PRONOUN = "of|another|day|thing|side|such|more|can|could|may|must|should|would|has"
_SHARE = rf"\b(an?|{_ONE})[ -]((?:{'|'.join(_DENOMINATORS)})s?)"
_YEAR_IN_WORDS = (
    rf"\b({_TEEN}|twenty)[ -](?:((?:{_TENS})(?:[ -](?:{_ONE}))?|{_TEEN})|(?:oh|o)[ -]?({_ONE}))\b(?! hundred)"
)
# English phrases with numbers, in the order of their replacement. A pattern is tried only if a word of the text starts
# with one of the words before it.
_ENGLISH_PHRASES: tuple[_Phrase, ...] = tuple(
    (word_set(starts), re.compile(pattern, re.IGNORECASE), replacement)
    for starts, pattern, replacement in (
        ("twe thi for fif six sev eig nin", rf"\b({_TENS}) - (?=\w)", r"\1-"),
        ("dol yen rup fra", rf"\b(?:US|U\.S\.|American|Japanese|Indian|Swiss) (?=(?:{_MONEY})\b)", ""),
        ("gal pin qua cup", r"\bUS (?=(?:gallon|pint|quart|cup)s?\b)", ""),
        ("pou", r"\b(?:British pounds?|pounds? sterling)\b", "GBP"),
        ("dol", r"\b(Canadian|Australian) dollars?\b", lambda match: f"{match[1][0]}$"),
        ("usd eur gbp chf jpy inr cny rs rp pou", rf"\b({_CODES})\s?(\d[\d.,]*{_IN_LARGE})\b", r"\2 \1"),
        ("rad πra pir", r"(?:\b(\d{1,2})\s?)?(?:π|\bpi)(?:\s?/\s?([1-9]\d?))?(?= ?rad(?:ian)?s?\b)", _radians),
        ("day", r"\bday (\d{1,2}) of (?:the|each|every|a|per) month\b", r"the \1th of the month"),
        ("day", rf"\b(?:the )?last day of ({'|'.join(_LAST_DAYS)})\b", _last_day),
        ("tha who whi", r"\bone (?=(?:that|who|which|whose)\b)", ""),
        ("twi", r"\btwice\b", "2 times"),
        ("for", r"\b(?:an? )?fortnight\b", "2 weeks"),
        ("mon wee yea", r"(?<=\d) (month|week|year)ly\b", r" per \1"),
        ("pai", r"\ba pair (?=of (?:them|these|those)\b)", "2 "),
        ("thr", r"\bthrice\b", "3 times"),
        ("for", r"\b(?:fortnightly|(?:once a|every) fortnight)\b", "every 2 weeks"),
        ("onc", r"\bonce (?=(?:an?|per|every|each|in)\b)", "1 time "),
        ("s", r"(?<!\d)'(\d0)s\b", r"19\1s"),
        ("of sum win spr aut fal", r"\b(of|summer|winter|spring|autumn|fall) '([4-9]\d)\b", r"\1 19\2"),
        ("doz hal", r"\bhalf(?: a|-a|-)? ?dozen\b", "6"),
        ("sec", r"\b(per|an?|each|every|nth of a) second\b", r"\1 sec"),
        ("eac eve", r"(?<=[a-z]) (?:each|every) (?=(?:sec|minute|hour|day|week|month|year)\b)", " per "),
        ("per", r"(?: of an?)? percentage points?\b", " percent"),
        ("pow", r" to the power of ", " ^ "),
        ("bas", r" basis points?\b", " bp"),
        ("ove", r"\b(\d{3}) over (?=\d\d\b(?! \w))", r"\1/"),  # blood pressure
        ("gmt", r"\bGMT\b", "UTC"),
        ("hun", r"\b(and|to|or) (?:an?|one) hundred\b(?! and| \w*teen| \w*ty)", r"\1 100"),
        ("hun", r"\ban? hundred\b", "one hundred"),
        ("bpm", r"\bbpm\b", "beats per minute"),
        ("inc", r"\bpounds? per square inch\b", "psi"),
        ("qua", r"\bquarterly\b", "every 3 months"),
        ("qua", r"\b(?:in )?(?:the )?(first|second|third|fourth|[1-4]\w\w) quarter(?: of)? (?=\d{4}\b)", _quarter),
        ("hal", r"\bhalf an? (?=\w)", "1/2 "),
        ("tho", r"\b(?:a|an) (?=thousand\b)", "one "),
        ("mil bil tri doz", r"\b(?:a|an|one) (?=(?:million|billion|trillion|dozen)\b)", "1 "),
        ("hal", r"\b(?:an?|one) (\w+) and a half\b", r"1 1/2 \1"),
        ("qua", r"\b(?:an?|one) hour and a quarter\b", "1 1/4 hours"),
        ("ful who ent", r"(?<=[\w] )(?:full|whole|entire) (?=(?:hour|day|week|month|year)s?\b)", ""),
        ("zer", r"\b([\w-]+ ?(?:degrees?(?: C\w*| F\w*)?|° ?[CF]?)) below zero\b", r"minus \1"),
        ("min neg zer", r"\b(?:minus|negative) (?=[\da-z$€£])", "-"),
        ("twe thi for fif six sev eig nin", rf"\b(?:(eighteen|nineteen)[- ])?({'|'.join(_DECADES)})\b", _decade),
        # "One" as a pronoun is no number.
        ("one hun", r"\b(no|any|every|some|which|this|that|the|another|each) one\b", r"\1"),
        ("one hun", rf"\bone (?={_AFTER_PRONOUN})", "some "),
        ("hal", r"^\W*half\W*$|(?<=\bby )half\b(?!-| an? | of | past| time)", "1/2"),
        ("qua", r"\ban? (?=quarter (?:to|past|before|after)\b)", ""),
        ("hal", r"\band (?:a|one)[ -]half\b", "1/2"),
        (" ".join(word[:3] for word in _DENOMINATORS), rf"{_SHARE}\b(?! (?:dozen|a |person|time))", _fraction),
        ("ten ele twe thi fou fif six sev eig nin", _YEAR_IN_WORDS, _year),
    )
)
