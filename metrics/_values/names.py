"""Compare names in which one word or character decides: identifiers, acronyms, and persons of one family.

"sodium nitrite" is not "sodium nitrate", and "Charlotte Brontë" is not "Emily Brontë".
"""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import dropwhile

from .._shared.words import exact_words
from .reading import Texts
from .text import word_set

# Endings of chemical names, in which one letter is another substance.
_CHEMICAL = re.compile(r"[a-z0-9,()\[\]'-]*(?:ate|ite|ide|ane|ene|yne|ol|al|one|oic|ine|ium|ous|ic|yl|ase|ose|acid)s?")
_CHEMISTRY = re.compile(
    r"\b(?:compound|chemical|iupac|acid|oxide|salt|formula|hydrocarbon|alcohol|molecule|alkane|alkene|gas|ion|called|"
    r"substance|[A-Z][a-z]?\d)"
)
_WITH_NUMBER = re.compile(r"[a-z]+-?\d+[a-z]*|\d+(?:st|nd|rd|th)")  # b12, a380, 14th
_SHIPS = word_set("ss uss hms rms mv hmas hmcs ms")
_LONGEST_NAME = 6  # Words.


def differs_in_one_word(texts: Texts) -> bool:
    """Return whether an answer is the reference but for a word or character that changes what it names.

    >>> differs_in_one_word(Texts("Which compound?", "sodium nitrite", "sodium nitrate"))
    True
    >>> differs_in_one_word(Texts("", "Paris, France", "Paris"))
    False
    """
    given, wanted = exact_words(texts.answer), exact_words(texts.reference)
    if len(given) + 1 == len(wanted) and texts.answer[:2] == "A ":
        given = ("a", *given)  # blood group A
    if len(given) != len(wanted) or len(wanted) > _LONGEST_NAME:
        return False
    pairs = [pair for pair in zip(given, wanted, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1:
        return False
    left, right = pairs[0]
    if left.replace("ph", "f") == right.replace("ph", "f"):
        return False  # sulphur and sulfur
    if any(map(str.isdecimal, left + right)):
        return _other_number(left, right)
    letters = len(wanted) > 1 and len(left) == len(right) == 1 and (left + right).isalpha()
    chemicals = _CHEMICAL.fullmatch(left) and _CHEMICAL.fullmatch(right) and _CHEMISTRY.search(texts.question)
    return letters or {left, right} <= _SHIPS or bool(chemicals)


def _other_number(left: str, right: str) -> bool:
    """Return whether two words differ in their number, such as b6 and b12, but not '70s and 1970s."""
    (digits, letters), (others, rest) = ((re.sub(r"\D", "", one), re.sub(r"\d", "", one)) for one in (left, right))
    if letters != rest or digits.endswith(others) or others.endswith(digits):
        return False
    return all(map(_WITH_NUMBER.fullmatch, (left, right)))


_ARTICLE_OR_POINT = re.compile(r"^(?:the|an?)\s+|[.\s]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = range(3, 7)  # Letters of an acronym.
_ACRONYM = re.compile(r"[A-Z]{4,6}")  # Shorter ones of one thing differ, such as US and USA.
_CAPITALIZED_RUN = re.compile(r"(?!The |It |A )[^\W\d_a-z]\w+(?:(?: (?:of|for|and|the|on))* [^\W\d_a-z]\w+)*")
_SMALL_WORDS = 3  # Words that have no letter in an acronym, such as "of".


def acronym(texts: Texts) -> bool | None:
    """Return whether one text is the acronym of the other; None if neither is an acronym with all of its words.

    >>> acronym(Texts("", "World Health Organization", "WHO")), acronym(Texts("", "World Trade Organization", "WHO"))
    (True, False)
    """
    given, wanted = (_ARTICLE_OR_POINT.sub("", text.strip()) for text in (texts.answer, texts.reference))
    if not (given.isupper() or wanted.isupper()):
        return None
    if _ACRONYM.fullmatch(given) and _ACRONYM.fullmatch(wanted):
        return None if given == wanted else False
    same = _abbreviates(wanted, texts.answer)
    return _abbreviates(given, texts.reference) if same is None else same


def _abbreviates(letters: str, long: str) -> bool | None:
    if len(letters) not in _LETTERS or not letters.isupper() or not letters.isalpha():
        return None
    names = [found for found in _CAPITALIZED_RUN.findall(long) if " " in found]
    long = names[0] if len(names) == 1 else long
    initials = "".join(word[0] for word in _WORD.findall(long) if word[0].isupper())
    if len(initials) < _LETTERS.start or len(long.split()) > len(initials) + _SMALL_WORDS:
        return None
    if initials in {letters, letters + "S"}:
        return True
    return False if len(initials) == len(letters) and not long.isupper() else None


_WHO = re.compile(
    r"\b(?:who|first person|whom|whose|which (?:\w+ )?(?:author|artist|painter|scientist|composer|president|king|queen|"
    r"actor|actress|singer|player|philosopher|writer|poet|physicist|woman|man|person|inventor|explorer|director))\b",
    re.IGNORECASE,
)
_TITLES = word_set(
    "dr prof mr mrs ms miss sir dame lord lady president king queen pope saint st emperor prince princess general "
    "captain jr sr baron baroness count countess duke duchess earl judge justice senator secretary father"
)
_PARTICLES = word_set("de da di van von der den la le du al el bin ibn of the y")
_NO_NAMES = word_set("the a an he she it they this that these those in on at by i we as for no yes from after")
_DENIES = re.compile(r"\b(?:not|no|never|or|nor)\b|n[’']t\b", re.IGNORECASE)
_NICKNAMES = word_set(
    "bill bob dick bobby billy jack peggy ted ned nancy polly harry hank chuck liz betty bess kate meg molly sasha will"
)
_RELATIVES = re.compile(
    r"\b(?:son|daughter|brother|sister|father|mother|wife|husband|nephew|niece|uncle|aunt|cousin|grand\w+|née|born)\b|[’']s?\s",
    re.IGNORECASE,
)
_CAPITALIZED = re.compile(
    r"(?<![\w.'’-])[^\W\d_a-z][\w'’.-]*"
    r"(?:\s+(?:(?:de|da|di|van|von|der|den|la|le|du|al|el|bin|ibn)\s+)*[^\W\d_a-z][\w'’.-]*)*"
)
_LONGEST_PERSON, _LONGEST_ANSWER = 5, 20  # Words.
_FULL = 2  # Words of a given name and a family name.
_SHORTEST_NAME = 3  # Letters.
_SIMILAR_NAME = 0.5


@lru_cache(maxsize=1 << 10)
def _asks_who(question: str) -> bool:
    return _WHO.search(question) is not None


def same_person(texts: Texts) -> bool | None:
    """Return whether an answer names the same person; None if that is not certain.

    >>> same_person(Texts("Who wrote it?", "It was Charlotte Brontë.", "Emily Brontë"))
    False
    >>> same_person(Texts("Who wrote it?", "Sir I. Newton", "Isaac Newton"))
    True
    """
    if not texts.reference[:1].isupper() or not _asks_who(texts.question):
        return None
    wanted = _person(texts.reference)
    if len(wanted) < _FULL or {"of", "the"} & {*wanted} or wanted[-1] in texts.question.lower():
        return None
    given = _person(texts.answer)
    return _same_name(given, wanted) if given else _named_in(texts, wanted)


def _named_in(texts: Texts, wanted: list[str]) -> bool | None:
    """Compare a person with the names in a sentence."""
    answer = texts.answer
    if answer.count(" ") > _LONGEST_ANSWER or _RELATIVES.search(answer) or _DENIES.search(answer):
        return None
    asked = {_without_accents(word) for word in exact_words(texts.question)}
    names = [_person(found[0]) for found in _CAPITALIZED.finditer(answer)]
    verdicts = {_same_name(name, wanted) for name in names if name and not set(name) <= asked}
    return verdicts.pop() if len(verdicts) == 1 else None


def _same_name(given: list[str], wanted: list[str]) -> bool | None:
    if given[-1] == wanted[-1]:
        left, right = ([word for word in name[:-1] if word not in _PARTICLES] for name in (given, wanted))
        return not left or left == right or (_same_given_names(left, right) if right else None)
    full = len(given) == len(wanted) == _FULL and given[0] == wanted[0] and len(given[0]) >= _SHORTEST_NAME
    spelled = "-" in given[1] + wanted[1] if full else False  # in another romanization
    return (
        False if full and not spelled and SequenceMatcher(None, given[1], wanted[1]).ratio() < _SIMILAR_NAME else None
    )


def _same_given_names(given: list[str], wanted: list[str]) -> bool | None:
    """Return whether given names are the same or an initial; None if they may be forms of one name."""
    left, right = given[0], wanted[0]
    if given[1:] and wanted[1:] and given[1][0] != wanted[1][0]:
        return False  # another middle name
    if left in {right, right[0]}:
        longer = max(given, wanted, key=len)
        more = len(given) != len(wanted) and any(len(name) > 1 for name in longer[min(len(given), len(wanted)) :])
        return None if more else True
    related = left[0] == right[0] or left in right or right in left or bool({left, right} & _NICKNAMES)
    several = len(given) > 1 or len(wanted) > 1
    return None if related or several or min(len(left), len(right)) < _SHORTEST_NAME else False


def _person(text: str) -> list[str]:
    """Return the words of a text that is just a person's name, without titles; empty for another text."""
    words = [word.strip(",'’\"") for word in text.strip().rstrip(".").split()]
    names = list(dropwhile(lambda word: word.lower().rstrip(".") in _TITLES, words))
    if len(names) > 1 and names[-1].lower().rstrip(".") in {"jr", "sr"}:
        names.pop()
    if not names or len(words) > _LONGEST_PERSON or names[0].lower() in _NO_NAMES:
        return []
    capitalized = all(word[:1].isupper() or word.lower() in _PARTICLES for word in names if word)
    initials = any("." in word.rstrip(".") for word in words)  # as in "J.R.R."
    if text.isupper() or initials or not (capitalized or (len(words) == 1 and text.islower())):
        return []
    if any(character.isdigit() or character in "'’" for character in text):
        return []
    return [_without_accents(word.rstrip(".")) for word in names if word]


def _without_accents(word: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(one))
