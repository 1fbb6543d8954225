"""Compare names in which one word or character decides: identifiers, acronyms, and persons of one family.

"sodium nitrite" is not "sodium nitrate", and "Charlotte Brontë" is not "Emily Brontë".
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import dropwhile, product

from .._shared.words import exact_words
from .reading import Texts, value_of_roman
from .text import word_set

# Endings of chemical names, in which one letter is another substance.
_CHEMICAL = re.compile(r"[a-z0-9,()\[\]'-]*(?:ate|ite|ide|ane|ene|yne|ol|al|one|oic|ine|ium|ous|ic|yl|ase|ose|acid)s?")
_CHEMISTRY = re.compile(
    r"\b(?:compound|chemical|iupac|acid|oxide|salt|formula|hydrocarbon|alcohol|molecule|alkane|alkene|gas|ion|called|"
    r"substance|[A-Z][a-z]?\d)"
)
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
    letters = len(wanted) > 1 and len(left) == len(right) == 1 and (left + right).isalpha()
    chemicals = _CHEMICAL.fullmatch(left) and _CHEMICAL.fullmatch(right) and _CHEMISTRY.search(texts.question)
    return letters or {left, right} <= _SHIPS or bool(chemicals)


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


_ROLE = (
    r"(?:author|painter|composer|president|king|queen|pope|emperor|monarch|actor|actress|singer|player|philosopher|writer|"
    r"poet|inventor|explorer|director|minister|chancellor|leader|founder|sculptor|architect|engineer|astronomer|ruler|"
    r"general|brothers?|sisters?|captain|coach|lawyer|doctor|nurse|sultan|pharaoh|president|musician|"
    r"\w{3,}(?:ist|ician|wright|naut|woman)|woman|\w*man|person)"
)
_WHO = re.compile(
    rf"\b(?:who|first person|whom|whose|(?:which|what|name the)(?: (?!is\b|was\b|did\b)\w+){{0,3}} {_ROLE})\b|"
    rf"\b{_ROLE}\W*$|\bby\W*$|^\W*(?:wer|wen|wem|qui|chi|quem|кто|kim)\b|\b(?:wessen|quién(?:es)?|(?:à|par|de) qui|"
    r"(?:da|di) chi|por quem|кем|кого|чь[яёи]|wie (?:schreef|schilderde|heeft|ontdekte|componeerde|regisseerde))\b",
    re.IGNORECASE,
)
_TITLES = word_set(
    "dr prof mr mrs ms miss sir dame lord lady president king queen pope saint st emperor prince princess general "
    "captain baron baroness count countess duke duchess earl judge justice senator secretary father capt gen col lt "
    "sgt rev premier chancellor professor doctor herr frau kaiser könig königin papst präsident roi reine président "
    "rey reina presidente papa rei rainha король царь президент император доктор"
)
_PARTICLES = word_set("de da di van von der den la le du al el bin ibn of the y")
_NO_NAMES = word_set(
    "the a an he she it they this that these those in on at by i we as for no yes from after es das c'est fu è fue foi "
    "é het это der die el la le il lo o"
)
_DENIES = re.compile(
    r"\b(?:not|no|never|or|nor|nothing|but|even|although|though|except|unlike)\b|n[’']t\b", re.IGNORECASE
)
_NOT_ANOTHER = re.compile(r",? (?:not|pas|nicht|no|non|não) (?:by |von |de |di |por )?(?=[^\W\d_a-z])[\w.’ -]+$")
# Nicknames that look unlike the full name, with the first letters of full names.
_NICKNAMES = {
    nickname: letters
    for letters, nicknames in {
        "w": "bill billy will", "r": "bob bobby dick rick", "et": "ted", "e": "ned liz betty bess", "c": "chuck",
        "j": "jack jim jimmy", "m": "peggy maggie meg molly polly", "h": "harry hank", "ck": "kate kitty",
        "a": "nancy tony sasha",
    }.items()
    for nickname in nicknames.split()
}  # fmt: skip
_RELATIVES = re.compile(
    r"\b(?:son|daughter|brother|sister|father|mother|wife|husband|nephew|niece|uncle|aunt|cousin|grand\w+|née|born)\b|[’']s?\s",
    re.IGNORECASE,
)
_CAPITALIZED = re.compile(
    r"(?<![\w.'’-])[^\W\d_a-z][\w'’.-]*"
    r"(?:\s+(?:(?:de|da|di|van|von|der|den|la|le|du|al|el|bin|ibn)\s+)*[^\W\d_a-z][\w'’.-]*)*"
)
# A name at the start of a sentence, and what follows it if the sentence is about that person.
_SUBJECT = re.compile(
    rf"(?:(?i:(?:it|that|this)(?: was|['’]s| is) (?:by )?|by ))?(?P<name>{_CAPITALIZED.pattern})"
    r"(?:\s+(?:did|was|is)\s*(?:[,.;(]|$)|\s+who\b|,\s+(?!(?:or|and|maybe|perhaps|possibly|then)\b)[a-z]|"
    r"\s+(?P<verb>(?!(?:is|was|did|had|has|does|war|ist|est|fu|es|foi)\b)[a-z]+)\b)"
)
_OTHER_CLAUSE = re.compile(rf",? (?:and|while) ({_CAPITALIZED.pattern}) [a-z]+")
_GENERATION = re.compile(
    r"(?P<name>[^,]{2,40}),? (?P<number>[IVX]+|Ier|[JS]r|jr|fils|père|the \w+)\.?(?: of [A-Z]\w+)?"
)
_GENERATIONS = [
    *map(
        word_set, ("first ier sr elder père", "second jr younger fils", "third", "fourth", "fifth", "sixth", "seventh")
    )
]
_DOUBLE = re.compile(r"-(?=[^\W\d_a-z])")  # as in Joliot-Curie
_LIST, _ARTICLE = re.compile(r"[;/&]|,(?! [JS]r)"), re.compile(r"\b(?:the|der|die|das|den|le|la|el|il|o|a) $")
_INITIAL = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_])")
_IS_ROLE = re.compile(_ROLE)
_LONGEST_PERSON, _LONGEST_ANSWER = 5, 20  # Words.
_FULL = 2  # Words of a given name and a family name.
_SHORTEST_NAME = 3  # Letters.
# Similarities of names below which they are different; given names of the same first letter may be nicknames.
_SIMILAR_NAME, _SIMILAR_NICKNAME = 0.5, 0.32


@dataclass(frozen=True)
class _Person:
    names: Sequence[str] = ()
    number: int = 0  # 6 for George VI, 2 for Jr.
    junior: bool = False  # Whether the number is Jr. or Sr.


@lru_cache(maxsize=1 << 10)
def _asks_who(question: str) -> bool:
    return _WHO.search(question) is not None


def same_person(texts: Texts) -> bool | None:
    """Return whether an answer names the same person; None if that is not certain.

    >>> same_person(Texts("Who wrote it?", "It was Charlotte Brontë.", "Emily Brontë"))
    False
    >>> same_person(Texts("Who?", "Sir I. Newton", "Isaac Newton")), same_person(Texts("Who?", "Paul V", "Paul VI"))
    (True, False)
    """
    if not texts.reference[:1].isupper() or not _asks_who(texts.question) or _LIST.search(texts.reference):
        return None
    wanted = _person(texts.reference)
    if len(wanted.names) + (wanted.number > 0) < _FULL:
        return None
    given = _person(texts.answer)
    if wanted.names[-1] in texts.question.lower() and len(given.names) < _FULL:
        return None
    return _same_name(given, wanted) if given.names else _named_in(texts, wanted)


def _named_in(texts: Texts, wanted: _Person) -> bool | None:
    """Compare a person with the names in a sentence."""
    answer = texts.answer.strip()
    if (another := _NOT_ANOTHER.search(answer)) and not {*exact_words(another[0])} & {*wanted.names}:
        answer = answer[: another.start()]
    if answer.count(" ") > _LONGEST_ANSWER or _DENIES.search(answer):
        return None
    asked = {_without_accents(word) for word in exact_words(texts.question)}
    if (
        (found := _SUBJECT.match(answer))
        and (given := _person(found["name"])).names
        and not asked.issuperset(given.names)
    ):
        rest, verb = answer[found.end() :], found["verb"]
        others = {_without_accents(word) for name in _CAPITALIZED.findall(rest) for word in name.split()}
        if not verb or (verb in asked and (rest.startswith(" it") or others <= asked)):
            same, other = _same_name(given, wanted), _OTHER_CLAUSE.search(rest)
            if same is None and other and _same_name(_person(other[1]), wanted):
                return False
            return None if same is False and not others.isdisjoint(wanted.names) else same
    if _RELATIVES.search(answer):
        return None
    verdicts = set()
    for found in _CAPITALIZED.finditer(answer):
        if (given := _person(found[0])).names and not asked.issuperset(given.names):
            same = _same_name(given, wanted)
            verdicts.add(None if same is False and _ARTICLE.search(answer[: found.start()]) else same)
    return verdicts.pop() if len(verdicts) == 1 else None


def _same_name(given: _Person, wanted: _Person) -> bool | None:
    """Compare names; "Martin Luther King" may lack its "Jr.", but "George" is not certainly George VI."""
    if given.number and wanted.number and len(given.names) == len(wanted.names) == 1:
        same = _same_given_name(given.names[0], wanted.names[0])
    else:
        same = _same_names(given.names, wanted.names)
    if not same or given.number == wanted.number:
        return same
    return False if given.number and wanted.number else None if given.number or not wanted.junior else True


def _same_names(given: Sequence[str], wanted: Sequence[str]) -> bool | None:
    left, right = ([word for word in name[:-1] if word not in _PARTICLES] for name in (given, wanted))
    if given[-1] == wanted[-1]:
        if not left or left == right[-len(left) :]:
            return True
        return _same_given_names(left, right) if right else None
    if not left or not right or left[0] != right[0] or len(left[0]) < _SHORTEST_NAME:
        return None
    others = product(given[1:], wanted[1:])
    spelled = "-" in given[-1] + wanted[-1]  # in another romanization
    return None if spelled or any(_similar(*pair, _SIMILAR_NAME) for pair in others) else False


def _same_given_names(given: Sequence[str], wanted: Sequence[str]) -> bool | None:
    """Return whether given names are the same or initials; None if they may be forms of one name."""
    first, *others = [_same_given_name(*pair) for pair in zip(given, wanted, strict=False)]
    later = [pair[0][0] == pair[1][0] for pair in zip(given[1:], wanted[1:], strict=False)]
    if first is False:
        crossed = product(given, wanted)
        moved = any(max(map(len, pair)) > 1 and _same_given_name(*pair) is not False for pair in crossed)
        return None if moved else False
    if not all(later):
        return False  # another middle name
    more = max(given, wanted, key=len)[min(len(given), len(wanted)) :]
    return None if None in {first, *others} or any(len(name) > 1 for name in more) else True


def _same_given_name(one: str, other: str) -> bool | None:
    if one == other or 1 in {len(one), len(other)}:
        return one[0] == other[0]
    if one in other or other in one or _IS_ROLE.fullmatch(one):
        return None
    for nickname, name in ((one, other), (other, one)):
        if nickname in _NICKNAMES:
            return None if name[0] in _NICKNAMES[nickname] or name in _NICKNAMES else False
    similar = _similar(one, other, _SIMILAR_NICKNAME if one[0] == other[0] else _SIMILAR_NAME)
    return None if similar or min(len(one), len(other)) < _SHORTEST_NAME else False


def _similar(one: str, other: str, least: float) -> bool:
    return 1 in {len(one), len(other)} or SequenceMatcher(None, one, other).ratio() > least


def _person(text: str) -> _Person:
    """Return the words of a text that is just a person's name, without titles; no words for another text."""
    found = _GENERATION.fullmatch(text.strip().rstrip("."))
    word = found["number"].lower().removeprefix("the ") if found else ""
    number = next((i for i, words in enumerate(_GENERATIONS, 1) if word in words), value_of_roman(word.upper()) or 0)
    if found and number:
        return _Person(_person(found["name"]).names, number, word in {"jr", "sr"})
    words = [word.strip(",'’\"") for word in _INITIAL.sub(". ", text.strip()).rstrip(".").split()]
    names = list(dropwhile(lambda word: word.lower().rstrip(".") in _TITLES, words))
    if not names or len(words) > _LONGEST_PERSON or names[0].lower() in _NO_NAMES or {"of", "the"} & {*names}:
        return _Person()
    capitalized = all(word[:1].isupper() or word.lower() in _PARTICLES for word in names if word)
    if text.isupper() or not (capitalized or (len(words) == 1 and text.islower())):
        return _Person()
    if any(character.isdigit() or character in "'’" for character in text):
        return _Person()
    names[-1:] = _DOUBLE.split(names[-1])
    return _Person([_without_accents(word.rstrip(".")) for word in names if word])


def _without_accents(word: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(one))
