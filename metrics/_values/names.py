"""Compare names in which one word or character decides, and acronyms with what they stand for.

"sodium nitrite" is not "sodium nitrate", "Sài Gòn" is "Saigon", and "WHO" is the "World Health Organization".
"""

import re
from itertools import permutations
from pathlib import Path

from .._shared.words import exact_words
from .aliases import ACRONYMS, are_aliases
from .comparison import Texts
from .reading import value_of_roman
from .substances import have_one_name
from .text import without_accents
from .word_tables import pattern_of, word_set

NAMES = [line.split("\t") for line in Path(__file__).with_name("names.tsv").read_text(encoding="utf-8").splitlines()]


def name_sets(kind: str) -> list[frozenset[str]]:
    """Return the sets of words of one kind in `names.tsv`."""
    return [word_set(words) for name, words in NAMES if name == kind]


# Endings of chemical names, where another letter means another substance.
_ENDING = "(?:ate|ite|ide|ane|ene|yne|ol|al|one|oic|ine|ium|ous|ic|yl|ase|ose|acid)s?"
_SHORTEST_ROOT = 4  # Letters of a term without its prefix.
_PREFIXES = name_sets("prefix")  # "hypertension" and "hypotension"
_COMPASS = {"n", "s"}, {"e", "w"}
_SIDES_OR_NUMERALS = [*name_sets("side"), *name_sets("numeral")]
# Each word of a set names a different thing.
_EXCLUSIVE = [*name_sets("exclusive"), *_SIDES_OR_NUMERALS]
MAY_DIFFER = re.compile(
    rf"\b(?i:[a-z]|{'|'.join(sorted(frozenset().union(*_EXCLUSIVE)))})\b|{_ENDING}\b|"
    rf"\b(?i:{'|'.join(sorted(frozenset().union(*_PREFIXES)))})\w{{{_SHORTEST_ROOT}}}"
)
"""A word that may name something else if one letter or word changes."""
_CHEMICAL = re.compile(rf"[a-z0-9,()\[\]'-]*{_ENDING}")
_CHEMISTRY = re.compile(rf"\b(?:{pattern_of('chemistry')}|[A-Z][a-z]?\d)")
RELATIVES = re.compile(rf"\b(?:{pattern_of('relative')})\b|(?<!\bit)(?<!\bthat)[’']s?\s", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\b(?:after|before|opposite|not|unlike)\b", re.IGNORECASE)
_LONGEST_WITH_NAME, _LONGEST_WITH_NUMERAL = 12, 20  # Words.
_MOST_JOINTS = 6  # Characters.
MAY_BE_NAME = re.compile(r"[^\W\d_]{2}")
"""Two letters. In other texts, a hyphen or a raised digit changes a number: 1e-5 is not 1e5."""
# Between letters, or a letter and a digit.
_JOINT = re.compile(r"(?<=[^\W\d_])(?!\s+-\d)[\s-]+(?=\w)|(?<=\d)[\s-]+(?=[^\W\d_])")
_ARTICLE = re.compile(r"^(?:(?:at|in|by|for|from|it['’]s|it is)\s+)?(?:(?:the|an?)\s+)?", re.IGNORECASE)
_POINT = re.compile(r"[.\s]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = range(3, 7)  # Letters of an acronym.
# Two acronyms of three letters may be of one thing, except codes.
_ACRONYM, _ASKS_CODE = re.compile(r"[A-Z]{3,9}"), re.compile(r"\b(?:code|gene|symbol|codon|ticker)\b")
_IN_PARENTHESES = re.compile(r" ?\([^()]*\)\.?$")
_CAPITALIZED_RUN = re.compile(r"(?!The |It |A )[^\W\d_a-z]\w+(?:(?: (?:of|for|and|the|on))* [^\W\d_a-z](?:\w+|\.))*")
_SENTENCE = re.compile(r"(?<=[a-z]{2})\. (?=[A-Z])")
_SMALL_WORDS = 3  # Words that have no letter in an acronym, such as "of".


def differs_in_one_word(texts: Texts) -> bool:
    """Return whether an answer has the reference, except for one word or character that changes what it names.

    >>> differs_in_one_word(Texts("Which compound?", "It is sodium nitrite.", "sodium nitrate"))
    True
    >>> differs_in_one_word(Texts("", "Paris, France", "Paris"))
    False
    """
    pair = _only_change(texts) if texts.answer.count(" ") <= _LONGEST_WITH_NUMERAL else None
    if pair is None:
        return False
    left, right = pair
    if any({left, right} <= kind for kind in _SIDES_OR_NUMERALS):
        return not (RELATIVES.search(texts.answer) or _ELSEWHERE.search(texts.answer))
    # The letter l often stands for the Roman numeral I.
    letters = len(left) == len(right) == 1 and (left + right).isalpha() and {*pair} != {"i", "l"}
    letters = letters and " " in texts.reference and "," not in texts.reference
    chemicals = _CHEMICAL.fullmatch(left) and _CHEMICAL.fullmatch(right) and _CHEMISTRY.search(texts.question)
    differs = letters or (bool(chemicals) and not have_one_name(left, right)) or _has_other_prefix(left, right)
    return (differs or _are_exclusive(left, right)) and texts.answer.count(" ") <= _LONGEST_WITH_NAME


def _only_change(texts: Texts) -> tuple[str, str] | None:
    """Return the answer's and the reference's word, if the answer has the reference once, except for one word."""
    answer, reference = (
        tuple("every" if word == "each" else word for word in words)
        for words in (texts.answer_words, exact_words(texts.reference))
    )
    if sum(word not in answer for word in reference) > 1:
        return None
    if len(answer) + 1 == len(reference) and texts.answer[:2] == "A ":
        answer = ("a", *answer)  # blood group A
    size = len(reference)
    parts = [zip(answer[start : start + size], reference, strict=True) for start in range(len(answer) - size + 1)]
    changes = [[pair for pair in part if pair[0] != pair[1]] for part in parts]
    close = [pairs for pairs in changes if len(pairs) <= 1]
    if len(close) != 1 or not close[0]:
        return None
    left, right = close[0][0]
    # Sulphur is sulfur, and numbers are compared elsewhere.
    numbers = any(map(str.isdecimal, left + right)) and not _are_exclusive(left, right)
    same = left.replace("ph", "f") == right.replace("ph", "f") or numbers
    return None if same else (left, right)


def _are_exclusive(word: str, other: str) -> bool:
    """Return whether two words cannot name one thing: words of a set, or coordinates such as 3.1°E and 3.1°W."""
    degrees = word[:-1] == other[:-1] and not word[-2:-1].isalpha() and {word[-1:], other[-1:]} in _COMPASS
    return degrees or any({word, other} <= names for names in _EXCLUSIVE)


def _has_other_prefix(word: str, other: str) -> bool:
    """Return whether two terms differ only in prefixes that do not mean the same."""
    pairs = (pair for prefixes in _PREFIXES for pair in permutations(prefixes, 2) if word.startswith(pair[0]))
    roots = ((word.removeprefix(prefix), another) for prefix, another in pairs)
    return any(len(root) >= _SHORTEST_ROOT and other == another + root for root, another in roots)


def is_same_name(texts: Texts) -> bool:
    """Return whether two texts differ only in spaces, hyphens, accents and case.

    >>> is_same_name(Texts("", "Sài Gòn", "Saigon")), is_same_name(Texts("", "Saigons", "Saigon"))
    (True, False)
    """
    if abs(len(texts.answer) - len(texts.reference)) > _MOST_JOINTS:
        return False
    answer, reference = (
        _JOINT.sub("", without_accents(text.strip(" .").removeprefix("the ").removeprefix("No. ").casefold()))
        for text in (texts.answer, texts.reference)
    )
    return answer == reference and texts.answer_words != exact_words(texts.reference)


def compare_acronym(texts: Texts) -> bool | None:
    """Return whether one text is the acronym of the other; None if neither is an acronym with all of its words.

    >>> names = "World Health Organization", "World Trade Organization", "United Nations"
    >>> [compare_acronym(Texts("", name, "WHO")) for name in names]
    [True, False, None]
    """
    clause = texts.answer.partition(", ")[0]  # "the WHO, based in Geneva"
    if not (_may_be_acronym(texts.reference) or _may_be_acronym(texts.answer) or _may_be_acronym(clause)):
        return None
    names = [_ARTICLE.sub("", _IN_PARENTHESES.sub("", text.strip(" ."))) for text in (clause, texts.reference)]
    answer, reference = (_POINT.sub("", name) for name in names)
    if all(map(_ACRONYM.fullmatch, (answer, reference))) and (answer not in reference and reference not in answer):
        long = min(len(answer), len(reference)) > _LETTERS.start or _ASKS_CODE.search(texts.question)
        return False if long and _is_other(answer, reference) else None
    sentence = _SENTENCE.split(texts.answer, maxsplit=1)[0]
    same = _abbreviates(reference, sentence)
    same = _abbreviates(answer, texts.reference) if same is None else same
    # FBI is not the "Federal Bureau of Intelligence".
    known = [letters for letters in (reference, answer) if letters in ACRONYMS]
    named = [*names, texts.answer, *_CAPITALIZED_RUN.findall(sentence)]
    listed = any(are_aliases(name, letters) for letters in known for name in named if name != letters)
    return listed if same and known else same


def _may_be_acronym(text: str) -> bool:
    return text[1:2] == "." or text.rstrip(". ")[-2:].isupper()


def _abbreviates(letters: str, long: str) -> bool | None:
    if len(letters) not in _LETTERS or not letters.isupper() or not letters.isalpha():
        return None
    names = [name for name in _CAPITALIZED_RUN.findall(long) if " " in name]
    long = names[0] if len(names) == 1 else long
    words = [word for word in _WORD.findall(long) if word[0].isupper()]
    if all(map(value_of_roman, words)):
        return None
    initials = "".join(word if value_of_roman(word) else word[0] for word in words)  # "WWII"
    if len(initials) < _LETTERS.start or len(long.split()) > len(initials) + _SMALL_WORDS:
        return None
    if initials in {letters, letters + "S"}:
        return True
    other = len(initials) == len(letters) and not long.isupper() and not value_of_roman(letters[-1])
    return False if other and _is_other(letters, initials) else None


def _is_other(letters: str, others: str) -> bool:
    """Return whether letters are another acronym, and not one of the same name in another language: NATO and OTAN."""
    return letters[0] == others[0] and sorted(letters) != sorted(others)
