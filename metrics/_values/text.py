"""Rewrite a text so that a value has one form: digits for number words, plain text for LaTeX and typography.

"twenty-one" becomes "21", "二百零八" becomes "208", and "10⁻³" becomes "10^-3".
"""

import math
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from .ideographs import without_ideographs
from .numerals import LANGUAGES as NUMERALS
from .numerals import with_numerals


def word_set(text: str) -> frozenset[str]:
    """Return the words of a table that is written as text."""
    return frozenset(text.split())


@lru_cache(maxsize=1 << 8)
def word_starts(text: str) -> frozenset[str]:
    """Return the first three letters of the words of a text, for fast tests of whether it has one of many words."""
    return frozenset(word[:3] for word in text.lower().split())


def without_accents(text: str) -> str:
    """Return a text in decomposed form (NFKD), without Latin, Greek and Cyrillic accents."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not "\u0300" <= char <= "\u036f")


# Characters with the same meaning. Exponents and subscripts have rules of their own. The last line has letters that
# `re.IGNORECASE` matches with i and s, but that `str.lower` keeps.
_ALIKE = str.maketrans(
    dict.fromkeys("\u00a0\u2009\u202f\u2007\u200a", " ")
    | dict.fromkeys("\u2212\u2010\u2011\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u02bc\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u2033", '"')
    | dict.fromkeys("\u00d7\u22c5\u2217", "×")
    | {"\u00b5": "μ", "\u2103": "°C", "\u2109": "°F", "\u2044": "/", "\uff05": "%"}
    | dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))
    | {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8"}
    | {"⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8", "⅕": " 1/5", "⅖": " 2/5"}
    | {"İ": "I", "ı": "i", "ſ": "s"}
)
_SUPERSCRIPTS = str.maketrans(dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True)))
_POWER = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_IN_DOLLARS = re.compile(r"(?<!\\)\$([^$]*)(?<!\\)\$")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_MARKUP = re.compile(r"[\\$^]")
_GREEK = dict(zip((
    "alpha", "beta", "gamma", "delta", "epsilon", "theta", "kappa", "lambda", "rho", "sigma", "tau", "phi", "psi",
    "omega", "Delta", "Omega",
), "αβγδεθκλρστφψωΔΩ", strict=True))  # fmt: skip
_Rewriting = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_LATEX: tuple[_Rewriting, ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\[,;:! ]|\\(?:left|right|displaystyle|quad|qquad)\b|\\[()\[\]]|~", " "),
        (r"\\(?:text|mathrm|mathbf|operatorname|mathit|boxed|rm|textbf)\s*\{([^{}]*)\}", r" \1 "),
        (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
        (r"\\[dt]?frac\s*(\d)\s*(\d)", r"(\1/\2)"),
        (r"\\sqrt\s*\{([^{}]*)\}", r" sqrt(\1)"),
        (r"\\(?:times|cdot|ast)(?![a-zA-Z])", "×"),
        (r"\\div(?![a-zA-Z])", "/"),
        (r"\\pm\b", "±"),
        (r"\\(?:approx|sim)\b", "about "),
        (r"\^\s*\{?\s*\\circ\s*\}?|\\(?:degree|circ)(?![a-zA-Z])", "°"),
        (r"\\%", "%"),
        (r"\^\s*\{([^{}]*)\}", r"^(\1)"),
        (r"\\(?:mu|micro)\b", "μ"),
        (r"\\(pi|sin|cos|tan|sec|csc|cot|log|ln|exp)(?![a-zA-Z])", r" \1"),
        (rf"\\({'|'.join(_GREEK)})(?![a-zA-Z])", lambda match: _GREEK[match[1]]),
        # A dollar sign before a number is a currency.
        (r"\$(?=[^$]*\$)(?!\d[\d.,]*(?:[kKmM]|[bt]n|B)?(?:[\s,;:)]|$))|(?<=[^\s])(?<!\bUS)(?<!\bR)\$(?!\d)", ""),
    )
)
_SPACES = re.compile(" {2,}")
_NESTED = 3  # Depth of LaTeX groups in groups.
# The pattern starts with a digit because a search for a lookbehind is slower.
_SPACED_THOUSANDS = re.compile(r"\d(?<![\d.,]\d)\d{0,2}(?: \d{3})+(?!\d)")
_FEET = re.compile(r"(?<![\w.])(\d)'\s?(\d\d?)(?:\"|''|$|(?=[\s,.;)]))")


@lru_cache(maxsize=1 << 13)
def plain(text: str) -> str:
    r"""Return a text without LaTeX commands, typographic characters and digits of other scripts.

    >>> plain(r"$3.0\times10^{8}$ m/s"), plain("10⁻³ H₂O"), plain("١٩٦٩")
    ('3.0×10^(8) m/s', '10^-3 H2O', '1969')
    """
    text = text.encode("utf-8", "replace").decode("utf-8")  # `text_to_num` rejects lone surrogates.
    if not text.isascii():
        text = _POWER.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text).translate(_ALIKE)
        text = _OTHER_DIGIT.sub(lambda match: str(int(match[0])), text)
        text = without_ideographs(text)
    if _MARKUP.search(text):
        text = _without_latex(text)
    text = _SPACED_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), text)
    return _FEET.sub(r"\1 foot \2 inch", text) if "'" in text else text


def _without_latex(text: str) -> str:
    if "\\" in text:
        text = _IN_DOLLARS.sub(r"\1", text)
    for _ in range(_NESTED):
        before = text
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
        if text == before:
            break
    return _SPACES.sub(" ", text)


_FUNCTION_WORDS = {
    "de": word_set(
        "der die das und ist war wurde wie viel viele wann welche welcher welches in im jahr ein eine nicht uhr mit "
        "von zu"
    ),
    "fr": word_set(
        "le la les des et est un une combien quand quel quels quelle quelles était an ans du en il elle ce dans heure "
        "coûte dure"
    ),
    "es": word_set(
        "el la los las y es un una cuesta cuánto cuántos cuánta cuántas cuándo qué cuál fue año años del en son hay de"
    ),
    "it": word_set(
        "il lo la gli le è un una quanto quanta quanti quante costa chi quando quale fu anni del della nel sono di e "
        "ha che ora ore dura"
    ),
    "pt": word_set(
        "o a os as é um uma quanto custa quantos quantas quando qual quem foi do da dos das em no na são de e tem ano "
        "anos que horas tempo dura"
    ),
    "nl": word_set(
        "de het een en is in was hoe hoeveel wanneer welke wat wie van zijn er heeft dat jaar op met voor laat "
        "lang kost"
    ),
    "ru": word_set("в и на не он она это был была было сколько когда какой какая кто что года году лет"),
    "pl": word_set("w i na nie jest to się z do po o jak czy ile kto który która które jakie kiedy był była roku lat"),
    "tr": word_set("ve bir bu ne kaç kim hangi nasıl mi mı mu mü da de için ile olarak kadar zaman nedir var saat"),
    "en": word_set("a the of is are was were and how what when which who in it to did does many much for by there has"),
}
_LANGUAGES = {
    word: [language for language, words in _FUNCTION_WORDS.items() if word in words]
    for word in frozenset().union(*_FUNCTION_WORDS.values())
}
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=1 << 12)
def _function_words(text: str) -> tuple[int, ...]:
    """Return the number of each language's function words in a text."""
    counts = dict.fromkeys(_FUNCTION_WORDS, 0)
    for languages in filter(None, map(_LANGUAGES.get, _WORD.findall(text.lower()))):
        for language in languages:
            counts[language] += 1
    return tuple(counts.values())


def language_of(*texts: str) -> str:
    """Return the language of texts by their function words, a key of `_FUNCTION_WORDS`; en if none prevails.

    >>> language_of("Wie viele Knochen hat ein Mensch?", "206"), language_of("206 bones")
    ('de', 'en')
    """
    counts = [*map(sum, zip(*map(_function_words, texts), strict=True))]
    most = max(counts)
    return "en" if most == counts[-1] else [*_FUNCTION_WORDS][counts.index(most)]


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
_POWER_OF_SCALE = {
    word: power
    for power, words in {
        2: "hundred",
        3: "thousand thousands tausend mille mil mila duizend тысяч тысячи тысяча тыс",
        5: "lakh",
        6: "million millions mn mio millionen millones millón milioni milione miljoen milhões milhão "
        "миллион миллиона миллионов млн",
        7: "crore",
        9: "billion billions bn mrd milliarden milliarde milliards milliard miliardi miljard bilhões "
        "миллиард миллиарда миллиардов млрд",
        12: "trillion tn",
    }.items()
    for word in words.split()
}
_PERCENT = re.compile(
    r"\bper ?cent\b|\bprozent\b|\bpour cent\b|\bpor ciento\b|\bpor cento\b|\bper cento\b|\bпроцент\w*", re.IGNORECASE
)
# The first six letters of words in the patterns.
_IN_PERCENT = word_set("percen cent prozen ciento cento процен")
_IN_LETTER_SCALED, _IN_DOZENS = word_set("k m bn b"), word_set("dozen dutzen douzai docena dozzin")
_SCALED = re.compile(rf"(?<![\w.,])(\d[\d.,]{{0,24}})[ -]?({'|'.join(_POWER_OF_SCALE)})\b\.?", re.IGNORECASE)
_LETTER_SCALED = re.compile(r"(?<![\w.,])([$€£¥₹]\s?)?(\d[\d.,]{0,24})([kKM]|(?<=\d)m|bn|B)(?![\w/^])")
_POWER_OF_LETTER = {"k": 3, "K": 3, "m": 6, "M": 6, "bn": 9, "B": 9}
_DOZENS = re.compile(r"\b(?:(\d+)|une|ein|una) (?:dozen|dutzend|douzaines?|docenas?|dozzin[ae])\b", re.IGNORECASE)
_LAST_DAYS = dict.fromkeys(("january", "march", "may", "july", "august", "october", "december"), 31) | dict.fromkeys(
    ("april", "june", "september", "november"), 30
)
_HALVES: tuple[_Rewriting, ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\b(?:andert?|(\w+?)(?:ein|ën|een(?=half)))hal[bfv]e?\b", lambda match: f"{match[1] or 1} 1/2"),
        (r"\b(?:un[oa]s|uns|umas) (?=\d|[a-zà-ü]{3,})", "about "),
        (r" (?:en een half|e mei[oa]|y medi[oa]|et demie?|e mezz[oa])\b", " 1/2"),
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

    words = _LETTERS.findall(text.lower())
    if not words:
        return text
    starts = {word[:6] for word in words}  # Texts without the words that a pattern needs are not searched for it.
    if not _IN_PERCENT.isdisjoint(starts):
        text = _PERCENT.sub("%", text)
    if language != "en" or "0s" in text.lower() or not _IN_ENGLISH_PHRASES.isdisjoint(words):
        for pattern, replacement in _ENGLISH_PHRASES if language == "en" else _HALVES:
            text = pattern.sub(replacement, text)
    if not _POWER_OF_SCALE.keys().isdisjoint(words):
        text = _SCALED.sub(lambda match: f"{match[1].rstrip('.,')}×10^{_POWER_OF_SCALE[match[2].lower()]}", text)
    if not _IN_LETTER_SCALED.isdisjoint(words):
        text = _LETTER_SCALED.sub(_letter_scaled, text)
    if language in NUMERALS:
        text = with_numerals(text, language)
    else:
        before, text = text, alpha2digit(text, language, 0)
        if text == before and language != "en" and _ENGLISH_NUMBER.search(text):
            return with_digits(text)
    if language != "en":
        text = _AFTER_MILLIONS.sub(lambda match: f"{match[1]}5{match[2][1:]}", text)
        text = _AFTER_NOUN.sub(r"\1 1/2 \2", text)
    return text if _IN_DOZENS.isdisjoint(starts) else _DOZENS.sub(lambda match: str(12 * int(match[1] or 1)), text)


def _letter_scaled(match: re.Match[str]) -> str:
    """Return 12×10^3 for 12k. A lowercase m is a million only after a currency; otherwise it is a meter."""
    currency, digits, letter = match.groups("")
    return match[0] if letter == "m" and not currency else f"{currency}{digits}×10^{_POWER_OF_LETTER[letter]}"


def _radians(match: re.Match[str]) -> str:
    """Return 1.570796 for the number before "radians" in "π/2 radians"."""
    return f"{int(match[1] or 1) * math.pi / int(match[2] or 1):.6f}"


def _decade(match: re.Match[str]) -> str:
    """Return 1920s for "twenties", and 1870s for "eighteen seventies"."""
    century = 18 if (match[1] or "").lower() == "eighteen" else 19
    return f"{century}{_DECADES.index(match[2].lower()) + 2}0s"


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


_ENGLISH_PHRASES: tuple[_Rewriting, ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (rf"\b({_TENS}) - (?=\w)", r"\1-"),
        (r"\b(?:US|U\.S\.|American|Japanese|Indian|Swiss) (?=(?:dollars?|yen|rupees?|francs?)\b)", ""),
        (r"\b(?:British pounds?|pounds? sterling)\b", "GBP"),
        (r"\b(Canadian|Australian) dollars?\b", lambda match: f"{match[1][0]}$"),
        (r"\b(USD|EUR|GBP|CHF|JPY|INR|CNY)\s?(\d[\d.,]*(?: (?:thousand|[mb]illion|bn))?)\b", r"\2 \1"),
        (r"(?:\b(\d{1,2})\s?)?(?:π|\bpi)(?:\s?/\s?([1-9]\d?))?(?= ?rad(?:ian)?s?\b)", _radians),
        (r"\bday (\d{1,2}) of (?:the|each|every|a|per) month\b", r"the \1th of the month"),
        (
            rf"\b(?:the )?last day of ({'|'.join(_LAST_DAYS)})\b",
            lambda match: f"{match[1]} {_LAST_DAYS[match[1].lower()]}",
        ),
        (r"\btwice\b", "2 times"),
        (r"\ba pair (?=of (?:them|these|those)\b)", "2 "),
        (r"\bthrice\b", "3 times"),
        (r"\bonce (?=(?:an?|per|every|each|in)\b)", "1 time "),
        (r"(?<!\d)'(\d0)s\b", r"19\1s"),
        (r"\bhalf(?: a|-a|-)? ?dozen\b", "6"),
        (r"\b(per|an?|each|every|nth of a) second\b", r"\1 sec"),
        (r"(?<=[a-z]) (?:each|every) (?=(?:sec|minute|hour|day|week|month|year)\b)", " per "),
        (r"(?: of an?)? percentage points?\b", " percent"),
        (r" basis points?\b", " bp"),
        (r"\bGMT\b", "UTC"),
        (r"\b(and|to|or) (?:an?|one) hundred\b(?! and| \w*teen| \w*ty)", r"\1 100"),
        (r"\ban? hundred\b", "one hundred"),
        (r"\bbpm\b", "beats per minute"),
        (r"\bfortnightly\b", "every 2 weeks"),
        (r"\b(?:once a quarter|quarterly)\b", "every 3 months"),
        (r"\bhalf an? (?=\w)", "1/2 "),
        (r"\b(?:a|an|one) (?=(?:thousand|million|billion|trillion|dozen)\b)", "1 "),
        (r"\b(?:an?|one) (\w+) and a half\b", r"1 1/2 \1"),
        (r"\b([\w-]+ degrees?) below zero\b", r"minus \1"),
        (r"\b(?:minus|negative) (?=\d|[a-z]+)", "-"),
        (rf"\b(?:(eighteen|nineteen)[- ])?({'|'.join(_DECADES)})\b", _decade),
        # "One" as a pronoun is no number.
        (r"\b(no|any|every|some|which|this|that|the|another|each) one\b", r"\1"),
        (r"\bone (?=of|another|day|thing|side|such|more|can|could|may|must|should|would|has)", "some "),
        (r"\ban? (?=quarter (?:to|past|before|after)\b)", ""),
        (r"\band (?:a|one)[ -]half\b", "1/2"),
        (rf"\b(an?|{_ONE})[ -]((?:{'|'.join(_DENOMINATORS)})s?)\b(?! (?:dozen|a |person|time))", _fraction),
        (
            rf"\b({_TEEN}|twenty)[ -](?:((?:{_TENS})(?:[ -](?:{_ONE}))?|{_TEEN})|(?:oh|o)[ -]?({_ONE}))\b(?! hundred)",
            _year,
        ),
    )
)
# Each of the patterns needs one of these words or "0s", which most texts do not have.
_IN_ENGLISH_PHRASES = (
    word_set(
        "dollar dollars yen rupee rupees franc francs pound pounds usd eur gbp chf jpy inr cny rad rads radian radians "
        "πrad πrads πradian πradians pirad pirads piradian piradians day twice thrice once pair dozen halfdozen second "
        "each every percentage basis gmt bpm fortnightly quarterly hundred half thousand "
        "million billion trillion zero minus negative one quarter ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    )
    .union(_DECADES, _TENS.split("|"), _DENOMINATORS)
    .union(f"{word}s" for word in _DENOMINATORS)
)
