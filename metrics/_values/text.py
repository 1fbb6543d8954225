"""Rewrite LaTeX, typography and scripts so that a value has one form: "10⁻³" becomes "10^-3"."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from .east_asian import in_western_notation

_LETTERS = re.compile(r"[^\W\d_]+")
VOWEL_SIGNS = r"\u0901-\u0903\u093e-\u094d\u0962\u0963\u0981-\u0983\u09be-\u09cd\u09d7\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
"""Vowel signs of Hindi, Bengali and Thai, for a set of characters; `\\w` leaves them out."""


@lru_cache(maxsize=1 << 12)
def letter_words(text: str) -> frozenset[str]:
    """Return the runs of letters in a text, in lower case, for fast tests of whether it has one of many words."""
    return frozenset(_LETTERS.findall(text.lower()))


@lru_cache(maxsize=1 << 8)
def word_starts(text: str) -> frozenset[str]:
    """Return the first three letters of the words of a text, for fast tests of whether it has one of many words."""
    return frozenset(word[:3] for word in letter_words(text))


STROKES = str.maketrans("łŁøØđĐı", "lLoOdDi")
"""Letters with strokes and the dotless i, which have no decomposition."""


def without_accents(text: str) -> str:
    """Return a text in decomposed form (NFKD), without Latin, Greek and Cyrillic accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(STROKES))
    return "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")


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
    | {"İ": "I", "ı": "i", "ſ": "s", "٫": ".", "٬": ",", "٪": "%"}
    # Dots below letters of Hindi and Bengali, and Arabic and Persian signs, which many leave out.
    | dict(zip(map(chr, (*range(0x958, 0x960), 0x9DC, 0x9DD, 0x9DF)), "कखगजडढफयডঢয", strict=True))
    | dict.fromkeys("\u093c\u09bc\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u200c")
)
_SUPERSCRIPTS = str.maketrans(dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True)))
_POWER = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_IN_DOLLARS = re.compile(r"(?<!\\)\$([^$]*)(?<!\\)\$")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_DASH = re.compile(r"(?<![^\s(=:])(?<!\d )–(?=[.\d$€£])")  # for a minus
_QUOTED = re.compile(r"(?<!\w)'(\d[\d.,]*)'(?!\w)")
_MARKUP = re.compile(r"[\\$^]")
_GREEK = dict(zip((
    "alpha", "beta", "gamma", "delta", "epsilon", "theta", "kappa", "lambda", "rho", "sigma", "tau", "phi", "psi",
    "omega", "Delta", "Omega",
), "αβγδεθκλρστφψωΔΩ", strict=True))  # fmt: skip
Replacement = str | Callable[[re.Match[str]], str]
_MINUTES = re.compile(r"(?<![\w.])(\d+) ?h(?:rs?)? ?(\d{1,2}) ?m\b")  # "1h 30m"
_DIVISOR = re.compile(r"(?<=[^\W\d_])/\(([^\W\d_]+[·*⋅× ][^\W\d_]+)\)")  # of a unit, such as J/(mol·K)
_ISO_TIME = re.compile(r"(?<=\d)T(\d\d:\d\d(?::\d\d)?)(?:Z|\+00:?00)\b")  # 1970-01-01T00:00:00Z
_REPEATING = re.compile(r"(\.\d{0,9}?(\d))(?:\.\.\.|…| (?:repeating|recurring)\b)")  # "0.666..."
_CHARGE = re.compile(r"^(\d)([+-])$")  # The charge of an ion, such as "3-".
_LATEX: tuple[tuple[re.Pattern[str], Replacement], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\d),\\!(?=\d)", ","),
        (r"\\[,;:! ]|\\(?:left|right|displaystyle|quad|qquad)\b|\\[()\[\]]|~", " "),
        (r"\\(?:text|mathrm|mathbf|operatorname|mathit|boxed|rm|textbf)\s*\{([^{}]*)\}", r" \1 "),
        (r"(?<=\d)\s*\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}(?!\s*\^)", r" \1/\2 "),
        (r"\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}(?!\s*\^)", r"(\1/\2)"),
        (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
        (r"\\[dt]?frac\s*(\d)\s*(\d)", r"(\1/\2)"),
        (r"\{?(\d+)\s*\\over\s*(\d+)\}?", r"(\1/\2)"),
        (r"\\sqrt\s*\{([^{}]*)\}", r" sqrt(\1)"),
        (r"\\sqrt\s*([a-z\d])", r" sqrt(\1)"),
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
_SPACED_THOUSANDS = re.compile(r"\d(?<![\d.,]\d)\d{0,2}(?:(?: \d{3})+|(?:, 000)+)(?!\d)")
_INCHES = re.compile(r"(?<=\d)\"(?=[\s,.;)-]|$)")
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
        text = in_western_notation(_DASH.sub("-", text))
    text = _ISO_TIME.sub(r" \1 UTC", text) if "T" in text else text
    text = _REPEATING.sub(lambda match: f"{match[1]}{match[2] * 5}{min(int(match[2]) + (match[2] > '4'), 9)}", text)
    if _MARKUP.search(text):
        text = _without_latex(text)
    text = _DIVISOR.sub(r"/\1", text) if "/(" in text else text
    text = _MINUTES.sub(r"\1 h \2 min", _CHARGE.sub(r"\2\1", text))
    text = _SPACED_THOUSANDS.sub(lambda match: match[0].replace(", ", "").replace(" ", ""), text)
    text = _FEET.sub(r"\1 foot \2 inch", _QUOTED.sub(r"\1", text)) if "'" in text else text
    return _INCHES.sub(" inch", text) if text.count('"') == 1 else text


def _without_latex(text: str) -> str:
    if text.count("$") == 2 and text[0] == text.rstrip(".")[-1:] == "$":  # noqa: PLR2004 - "$25 cm$"
        text = text.replace("$", "")
    if "\\" in text:
        text = _IN_DOLLARS.sub(r"\1", text)
    for _ in range(_NESTED):
        before = text
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
        if text == before:
            break
    return _SPACES.sub(" ", text)
