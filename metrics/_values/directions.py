"""Compare directions: from A to B, up or down, faster or slower.

"It flows from cathode to anode" is not "from the anode to the cathode".
"""

import re
from collections.abc import Iterable
from pathlib import Path

from .._shared.words import exact_words
from .comparison import Texts
from .phrases import FILLERS, stem
from .text import letter_words
from .word_tables import WORDS, words_of

# Each line has words of one meaning, and words of the opposite meaning.
_OPPOSITES = Path(__file__).with_name("opposites.tsv").read_text(encoding="utf-8").splitlines()
POLE = {
    form: (number, side)
    for number, sides in enumerate(_OPPOSITES)
    for side, words in enumerate(sides.split("\t"))
    for word in words.split()
    for form in (word, stem(word))
}
_PAIRS = [[frozenset(words.split()) for words in line[2:]] for line in WORDS if line[1] == "side"]
SIDES = [(side, other) for pair in _PAIRS for side, other in (pair, pair[::-1])]
"""Words for what a question may ask, each set with the words for its opposite."""
# One word for all with the same meaning, such as "colder" and "cold".
_SENSE = {form: f"{number}/{side}" for form, (number, side) in POLE.items()}
_TO = {
    "en": "to|into|towards?", "de": "zu|zum|zur|nach|in", "fr": "à|au|aux|vers|en", "es": "a|al|hacia",
    "it": "a|al|alla|verso", "pt": "para|à|ao", "nl": "naar", "ru": "к|в",
}  # fmt: skip
_MAY_HAVE_ENDS = re.compile(rf" (?:{'|'.join(_TO.values())}) ")
_TO_IN = {language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _TO.items()}
_FROM = re.compile(r"\b(?:from|von|vom|aus|de|desde|du|des|dal|da|van|из|от)\b", re.IGNORECASE)
_INTO = re.compile(r"\binto\b", re.IGNORECASE)
_LONGEST, _LONGEST_END = 12, 4  # Words of a reference with one of these words, and of one end of a way.
_LIST = re.compile(", .* (?:and|or) ")  # There, "Legal" may be a department.
_ASKS_WHO = re.compile(r"\W*who(?:se)?\b", re.IGNORECASE)  # Rose is a name.
_SHORTEST = 4  # Letters of a word that may have a prefix.
_ADJECTIVE = re.compile(r"(?<!flamm)(?<!valu)(?<!habit)(?:[ai]ble|al|ar|[ae]nt|ive|ate|ect|ite|ure|ous|it)$")
_PRONOUNS = words_of("pronoun")


def opposite(word: str, others: Iterable[str]) -> bool:
    """Return whether a word has an opposite among others.

    >>> opposite("open", ["closed"]), opposite("open", ["opened"])
    (True, False)
    """
    pole = POLE.get(word) or POLE.get(stem(word))
    return any((pole and POLE.get(other) == (pole[0], 1 - pole[1])) or _denies(word, other) for other in others)


def _denies(word: str, other: str) -> bool:
    """Return whether one word is the other with a prefix that denies it, such as "immutable"."""
    short, long = sorted((word, other), key=len)
    prefix = long.removesuffix(short)
    return len(short) >= _SHORTEST and (
        prefix in ("un", "non") or (prefix in ("in", "im", "ir", "il", "dis") and bool(_ADJECTIVE.search(short)))
    )


def _has_pole(reference: str) -> bool:
    return reference.count(" ") < _LONGEST and not POLE.keys().isdisjoint(letter_words(reference))


def has_direction(reference: str) -> bool:
    """Return whether a reference may have a direction."""
    return _MAY_HAVE_ENDS.search(reference) is not None or _has_pole(reference)


def compare_direction(texts: Texts) -> bool | None:
    """Return whether an answer has the same direction; None for another reference or if that is not certain.

    >>> compare_direction(Texts("", "to AC from DC", "DC to AC")), compare_direction(Texts("", "AC to DC", "DC to AC"))
    (None, False)
    """
    if _MAY_HAVE_ENDS.search(texts.reference) and (same := _compare_ends(texts)) is not None:
        return same
    return _compare_pole(texts) if _has_pole(texts.reference) else None


def _compare_ends(texts: Texts) -> bool | None:
    """Compare references such as "from the anode to the cathode" and "DC to AC"."""
    to = _TO_IN.get(texts.language[0])
    if all(len(_INTO.findall(text)) == 1 for text in (texts.reference, texts.answer)):
        to = _INTO
    if to is None or len(to.findall(texts.reference)) != 1 or not to.search(texts.answer):
        return None
    reference_ends = _ends(texts.reference, to)
    (start, end), common = reference_ends[0], reference_ends[0][0] & reference_ends[0][1]
    start, end = start - common, end - common
    if not start or not end:
        return None
    answer_ends = _ends(texts.answer, to)
    same = any(start <= first and end <= last and not start & last for first, last in answer_ends)
    swapped = any(
        start - first and start - first <= last and end & first and not first & last for first, last in answer_ends
    )
    return same if same != swapped else None


def _ends(text: str, to: re.Pattern[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return the words before and after each "to"."""
    return [around(_FROM.split(text[: match.start()])[-1], text[match.end() :]) for match in to.finditer(text)]


def around(before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the content words nearest to a word or phrase, in the texts before and after it."""
    words = content_words(before)[-_LONGEST_END:], content_words(after)[:_LONGEST_END]
    before_it, after_it = (frozenset(_SENSE.get(word) or stem(word) for word in side) for side in words)
    return before_it, after_it


def content_words(text: str) -> list[str]:
    """Return the words of a text that are neither fillers nor pronouns."""
    return [word for word in exact_words(text) if word not in FILLERS and word not in _PRONOUNS]


def _compare_pole(texts: Texts) -> bool | None:
    """Compare references with a word such as "rose", "north" or "faster"."""
    reference_words = content_words(texts.reference)
    poles = [word for word in reference_words if word in POLE]
    if len(poles) != 1 or _LIST.search(texts.reference) or _ASKS_WHO.match(texts.question):
        return None
    answer_words, (number, side) = content_words(texts.answer), POLE[poles[0]]
    answer_poles = {POLE[word] for word in answer_words if word in POLE and POLE[word][0] == number}
    if len(answer_poles) != 1:
        return None
    question_stems, reference_stems = set(map(stem, exact_words(texts.question))), list(map(stem, reference_words))
    others = [word for word in reference_stems if word != stem(poles[0])]
    rest = [stem(word) for word in answer_words if word not in POLE]
    left = [word for word in rest if word in others]
    # The answer may be about something else that the question names: "a tortoise is faster" for "a hare is faster".
    names_else = not question_stems.isdisjoint({*rest} - {*reference_stems})
    short = not left and question_stems.issuperset(others) and not names_else and " than " not in texts.reference
    about_else = bool(others) and poles[0].endswith("er") and names_else
    same = answer_poles == {(number, side)}
    # In another order, the words may give other things their roles: "sound is faster than light".
    reordered = not same and sorted(left) == sorted(others) and " than " not in texts.answer
    if about_else or not (left == others or reordered or short):
        return None
    new = [word for word in rest if word not in question_stems | {*reference_stems}]
    elsewhere = not same and "," in texts.answer  # "$40, after a debit of $10" for "a credit of $40"
    return same if len(new) <= same + 1 and not elsewhere else None
