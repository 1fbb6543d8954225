"""Compare names in which one word or character decides: identifiers, acronyms, and persons of one family.

"sodium nitrite" is not "sodium nitrate", and "Charlotte Brontë" is not "Emily Brontë".
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import dropwhile, permutations, product
from pathlib import Path

from .._shared.words import exact_words
from .aliases import ACRONYMS, are_aliases
from .comparison import Texts
from .reading import value_of_roman
from .substances import have_one_name
from .text import without_accents
from .word_tables import pattern_of, word_set

_TABLE = [line.split("\t") for line in Path(__file__).with_name("names.tsv").read_text(encoding="utf-8").splitlines()]


def _sets(kind: str) -> list[frozenset[str]]:
    """Return the sets of words of one kind in `names.tsv`."""
    return [word_set(words) for name, words in _TABLE if name == kind]


# Endings of chemical names, where another letter means another substance.
_ENDING = "(?:ate|ite|ide|ane|ene|yne|ol|al|one|oic|ine|ium|ous|ic|yl|ase|ose|acid)s?"
_SHORTEST_ROOT = 4  # Letters of a term without its prefix.
_PREFIXES = _sets("prefix")  # "hypertension" and "hypotension"
_COMPASS = {"n", "s"}, {"e", "w"}
_QUARTERS = frozenset({"q1", "q2", "q3", "q4"})
_SIDES_OR_NUMERALS = [*_sets("side"), *_sets("numeral")]
# Each word of a set names a different thing.
_EXCLUSIVE = [*_sets("exclusive"), *_SIDES_OR_NUMERALS]
MAY_DIFFER = re.compile(
    rf"\b(?i:[a-z]|q[1-4]|{'|'.join(sorted(frozenset().union(*_EXCLUSIVE)))})\b|{_ENDING}\b|"
    rf"\b(?i:{'|'.join(sorted(frozenset().union(*_PREFIXES)))})\w{{{_SHORTEST_ROOT}}}"
)
"""A word that may name something else if one letter or word changes."""
_CHEMICAL = re.compile(rf"[a-z0-9,()\[\]'-]*{_ENDING}")
_CHEMISTRY = re.compile(rf"\b(?:{pattern_of('chemistry')}|[A-Z][a-z]?\d)")
_ELSEWHERE = re.compile(r"\b(?:after|before|opposite|not|unlike)\b", re.IGNORECASE)
_LONGEST_WITH_NAME, _LONGEST_WITH_NUMERAL = 12, 20  # Words.
_MOST_JOINTS = 6  # Characters.


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
    of_kind = _are_points(left, right) or any({left, right} <= kind for kind in _EXCLUSIVE)
    if any({left, right} <= kind for kind in _SIDES_OR_NUMERALS):
        return not (_RELATIVES.search(texts.answer) or _ELSEWHERE.search(texts.answer))
    # The letter l often stands for the Roman numeral I.
    letters = (
        " " in texts.reference
        and "," not in texts.reference
        and len(left) == len(right) == 1
        and (left + right).isalpha()
        and {*pair} != {"i", "l"}
    )
    chemicals = _CHEMICAL.fullmatch(left) and _CHEMICAL.fullmatch(right) and _CHEMISTRY.search(texts.question)
    differs = (
        letters or of_kind or (bool(chemicals) and not have_one_name(left, right)) or _has_other_prefix(left, right)
    )
    return differs and texts.answer.count(" ") <= _LONGEST_WITH_NAME


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
    numbers = any(map(str.isdecimal, left + right)) and not _are_points(left, right)
    same = left.replace("ph", "f") == right.replace("ph", "f") or numbers
    return None if same else (left, right)


def _are_points(word: str, other: str) -> bool:
    """Return whether two words are quarters, or coordinates with opposite directions: 3.1°E and 3.1°W."""
    degrees = word[:-1] == other[:-1] and not word[-2:-1].isalpha() and {word[-1:], other[-1:]} in _COMPASS
    return degrees or {word, other} <= _QUARTERS


def _has_other_prefix(word: str, other: str) -> bool:
    """Return whether two terms differ only in prefixes that do not mean the same."""
    pairs = (pair for prefixes in _PREFIXES for pair in permutations(prefixes, 2) if word.startswith(pair[0]))
    roots = ((word.removeprefix(prefix), another) for prefix, another in pairs)
    return any(len(root) >= _SHORTEST_ROOT and other == another + root for root, another in roots)


NAME = re.compile(r"[^\W\d_]{2}")
"""Two letters. In other texts, a hyphen or a raised digit changes a number: 1e-5 is not 1e5."""
# Between letters, or a letter and a digit.
_JOINT = re.compile(r"(?<=[^\W\d_])(?!\s+-\d)[\s-]+(?=\w)|(?<=\d)[\s-]+(?=[^\W\d_])")
_ARTICLE_OR_POINT = re.compile(r"^(?:(?:at|in|by|for|from|it['’]s|it is)\s+)?(?:(?:the|an?)\s+)?|[.\s]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = range(3, 7)  # Letters of an acronym.
# Two acronyms of three letters may be of one thing, except codes.
_ACRONYM, _ASKS_CODE = re.compile(r"[A-Z]{3,9}"), re.compile(r"\b(?:code|gene|symbol|codon|ticker)\b")
_IN_PARENTHESES = re.compile(r" ?\([^()]*\)\.?$")
_CAPITALIZED_RUN = re.compile(r"(?!The |It |A )[^\W\d_a-z]\w+(?:(?: (?:of|for|and|the|on))* [^\W\d_a-z](?:\w+|\.))*")
_SMALL_WORDS = 3  # Words that have no letter in an acronym, such as "of".


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
    names = [_IN_PARENTHESES.sub("", text.strip()) for text in (clause, texts.reference)]
    answer, reference = (_ARTICLE_OR_POINT.sub("", name) for name in names)
    if all(map(_ACRONYM.fullmatch, (answer, reference))) and (answer not in reference and reference not in answer):
        long = min(len(answer), len(reference)) > _LETTERS.start or _ASKS_CODE.search(texts.question)
        return False if long and _is_other(answer, reference) else None
    same = _abbreviates(reference, texts.answer)
    same = _abbreviates(answer, texts.reference) if same is None else same
    # FBI is not the "Federal Bureau of Intelligence".
    known = [letters for letters in (reference, answer) if letters in ACRONYMS]
    listed = any(are_aliases(name, letters) for letters in known for name in (*names, texts.answer) if name != letters)
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


_ROLE = rf"(?:{pattern_of('role')})"
_WHO = re.compile(
    rf"\b(?:who|whom|whose|first person|(?:which|what|name the)(?: (?!is\b|was\b|did\b)[\w-]+){{0,3}}[ -]{_ROLE})\b|"
    rf"^\W*(?:the )?{_ROLE} (?:of|who)\b|: {_ROLE}\W*$|\bby\W*$|"
    rf"^\W*(?:{pattern_of('who')})\b|\b(?:{pattern_of('whose')})\b|"
    r"\bwhich (?P<family>(?-i:[A-Z])\w+)",
    re.IGNORECASE,
)
asks_who = lru_cache(maxsize=1 << 8)(_WHO.search)
"""Return a match if a question asks for a person, perhaps one of a `family` ("Which Kennedy?")."""
_TITLES, _PARTICLES = (frozenset().union(*_sets(kind)) for kind in ("title", "particle"))
_NO_NAMES = frozenset().union(*_sets("no_name"))  # First words of texts that are no person's name.
# Words of answers that name a person whom they do not mean, in lower case.
_DENIES = re.compile(rf"\b(?:{pattern_of('exception')}|{pattern_of('negator')})\b|n[’']t\b")
# Nicknames that look unlike the full name, with the first letters of full names.
_FULL_NAMES = {
    word: letters
    for kind, words in _TABLE
    if kind == "nickname"
    for letters, *names in [words.split()]
    for word in names
}
# Forms of one given name in several languages that look unlike each other.
_FORMS_OF = {name: group for group in _sets("form") for name in group}
_RELATIVES = re.compile(rf"\b(?:{pattern_of('relative')})\b|(?<!\bit)(?<!\bthat)[’']s?\s", re.IGNORECASE)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿа-яё]"
_CAPITALIZED = re.compile(
    rf"(?<![\w.'’-]){_CAPITAL}[\w'’.-]*"
    rf"(?:\s+(?:(?:{'|'.join(sorted(_PARTICLES))})\s+)*{_CAPITAL}[\w'’.-]*)*"
)
# A name at the start of a sentence, and what follows it if the sentence is about that person.
_SUBJECT = re.compile(
    rf"(?:(?i:(?:it|that|this)(?: was|['’]s| is) (?:by )?|by ))?(?P<name>{_CAPITALIZED.pattern})"
    r"(?:\s+(?:did|was|is)\s*(?:[,.;(]|$)|\s+who\b|,\s+(?!(?:or|and|maybe|perhaps|possibly|then)\b)[a-z]|"
    r"\s+(?P<verb>(?!(?:is|was|did|had|has|does|war|ist|est|fu|es|foi)\b)[a-z]+)\b)"
)
_IS = re.compile(r"\b(?:is|was|by|ist|war|von|est|par|es|por|è|di) $")
_NO_SUBJECT = re.compile(r"(?:According|Thanks|Contrary|Due) to the ")  # "According to the text, Robert Boyle"
_OTHER_CLAUSE = re.compile(rf",? (?:and|while) ({_CAPITALIZED.pattern}) [a-z]+")
_NUMBERED = re.compile(
    r"(?P<name>[^,]{2,40}),? (?P<number>[IVX]+|Ier|[JS]r|jr|Senior|Junior|fils|père|the \w+)\.?(?: of [A-Z]\w+)?"
)
_NUMBER_OF = {word: number for number, words in enumerate(_sets("number"), 1) for word in words}
_IN_BRACKETS = re.compile(r"\((fils|père|[JS]r\.?|the \w+)\)")
_INITIAL, _DOUBLE = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_])"), re.compile(r"-(?=[^\W\d_a-z])")  # as in Joliot-Curie
_LIST, _ARTICLE = re.compile(r"[;/&]|,(?! [JS]r)"), re.compile(r"\b(?:the|der|die|das|den|le|la|el|il|o|a) $")
_LONGEST_PERSON, _LONGEST_ANSWER = 5, 20  # Words.
_FULL, _SHORTEST_NAME = 2, 3  # Words of a given name and a family name; letters.
# Similarities of names below which they are different; given names of the same first letter may be nicknames.
_SIMILAR_NAME, _SIMILAR_NICKNAME, _SIMILAR_FAMILY = 0.5, 0.32, 0.65
_PATRONYMIC = re.compile(r"\w{2,}(?:[oe]vi(?:t?ch|ch)|[oe]vna|[ое]вич|[ое]вна|ильич|инична)")
_Person = tuple[list[str], int]  # The words of a name, and a number, which is 6 for George VI and 2 for Jr.


def may_be_person(reference: str) -> bool:
    """Return whether a reference may be a person's name."""
    return reference[:1].isupper() and _LIST.search(reference) is None


def compare_person(texts: Texts) -> bool | None:
    """Return whether an answer names the same person; None if that is not certain.

    >>> compare_person(Texts("Who wrote it?", "It was Charlotte Brontë.", "Emily Brontë"))
    False
    >>> [compare_person(Texts("Who?", name, "Paul VI")) for name in ("Pope Paul VI", "Paul V", "Paul")]
    [True, False, None]
    """
    reference, person = _person(texts.reference), _person(texts.answer)
    names, number = reference
    asked = asks_who(texts.question)
    if asked and asked["family"] and names[-1:] != [without_accents(asked["family"].lower())]:
        return None
    if len(names) + (number > 0) < _FULL or (names[-1] in texts.question.lower() and len(person[0]) < _FULL):
        return None
    return _compare_name(person, reference) if person[0] else _compare_sentence(texts, reference)


def _compare_sentence(texts: Texts, reference: _Person) -> bool | None:
    """Compare a person with the names in a sentence."""
    answer = texts.answer.strip()
    if answer.count(" ") > _LONGEST_ANSWER or _DENIES.search(answer.lower()):
        return None
    asked = {without_accents(word.lower()) for word in exact_words(texts.question)}
    if match := _SUBJECT.match(answer):
        subject, verb, rest = _person(match["name"]), match["verb"], answer[match.end() :]
        others = {without_accents(word.lower()) for name in _CAPITALIZED.findall(rest) for word in name.split()}
        about = not verb or (verb in asked and (rest.startswith(" it") or others <= asked))
        if about and not asked.issuperset(subject[0]):
            same, other = _compare_name(subject, reference), _OTHER_CLAUSE.search(rest)
            if same is None and other and (person := _person(other[1]))[0] and _compare_name(person, reference):
                return False
            return None if same is False and not others.isdisjoint(reference[0]) else same
    if _RELATIVES.search(answer):
        return None
    persons = [(_person(match[0]), match) for match in _CAPITALIZED.finditer(answer)]
    persons = [(name, match) for name, match in persons if not asked.issuperset(name[0])]
    noun = _NO_SUBJECT.match(answer) or (not answer.isascii() and persons and len(persons[0][0][0]) == 1)
    if len(persons) > 1 and noun and persons[0][1].start() == 0:
        persons = persons[1:]  # "Роман написал Лев Толстой."
    named = [(_compare_name(name, reference), match) for name, match in persons]
    family = [
        name for name, match in persons if name[0][-1] == reference[0][-1] and _IS.search(answer[: match.start()])
    ]
    joint = reference[0][0] in map(without_accents, texts.answer_words)  # "by Orville and Wilbur Wright"
    if len(family) == 1 and not joint and _compare_name(family[0], reference) is False:
        return False  # "It's a classic of English literature. Its author is Charlotte Brontë."
    verdicts = {None if same is False and _ARTICLE.search(answer[: match.start()]) else same for same, match in named}
    return verdicts.pop() if len(verdicts) == 1 else None


def _compare_name(answer: _Person, reference: _Person) -> bool | None:
    """Compare names with their numbers; "George" is not certainly George VI."""
    (names, number), (others, other_number) = answer, reference
    numbered = bool(number and other_number)
    left, right = ([word for word in name[:-1] if word not in _PARTICLES] for name in (names, others))
    same: bool | None = None
    if names[-1] == others[-1]:
        same = (not left or left == right[-len(left) :]) or (_compare_given_names(left, right) if right else None)
    elif numbered and len(names) == len(others) == 1:
        same = _compare_given_name(names[0], others[0])
    elif left and left[:1] == right[:1] and len(left[0]) >= _SHORTEST_NAME and "-" not in names[-1] + others[-1]:
        same = None if any(_similar(*pair, _SIMILAR_FAMILY) for pair in product(names[1:], others[1:])) else False
    return same if not same or number == other_number else False if numbered else None


def _compare_given_names(answer: list[str], reference: list[str]) -> bool | None:
    """Return whether given names are the same or initials; None if they may be forms of one name."""
    pairs = list(zip(answer, reference, strict=False))
    verdicts = [_compare_given_name(*pair) for pair in pairs]
    if verdicts[0] is False:
        formal = sum(len(name) > 1 for name in answer) > 1 == len(reference)  # as the full name of a pseudonym may be
        crossed = [pair for pair in product(answer, reference) if max(map(len, pair)) > 1]
        return None if formal or any(_compare_given_name(*pair) is not False for pair in crossed) else False
    if any(name[0] != other[0] for name, other in pairs[1:]):
        return False  # another middle name
    more = [name for name in max(answer, reference, key=len)[len(pairs) :] if not _PATRONYMIC.fullmatch(name)]
    return None if None in verdicts or any(len(name) > 1 for name in more) else True


def _compare_given_name(name: str, other: str) -> bool | None:
    if name == other or 1 in {len(name), len(other)}:
        return name[0] == other[0]
    if other in _FORMS_OF.get(name, ()):
        return None
    if name in other or other in name or re.fullmatch(_ROLE, name) or min(len(name), len(other)) < _SHORTEST_NAME:
        return None
    letters = [(_FULL_NAMES[word], full) for word, full in ((name, other), (other, name)) if word in _FULL_NAMES]
    if letters:
        return None if len(letters) > 1 or letters[0][1][0] in letters[0][0] else False
    return None if _similar(name, other, _SIMILAR_NICKNAME if name[0] == other[0] else _SIMILAR_NAME) else False


def _similar(name: str, other: str, least: float = _SIMILAR_NAME) -> bool:
    return 1 in {len(name), len(other)} or SequenceMatcher(None, name, other).ratio() > least


@lru_cache(maxsize=1 << 10)
def _person(text: str) -> _Person:
    """Return the words of a text that is just a person's name, without titles; no words for another text."""
    if match := _NUMBERED.fullmatch(_IN_BRACKETS.sub(r"\1", text.strip()).rstrip(".")):
        word = match["number"].removeprefix("the ")
        if number := _NUMBER_OF.get(word.lower()) or value_of_roman(word):
            return _person(match["name"])[0], number
    words = [word.strip(",'’\"") for word in _INITIAL.sub(". ", text.strip()).rstrip(".").split()]
    names = list(dropwhile(lambda word: word.lower().rstrip(".") in _TITLES, words))
    if not names or len(words) > _LONGEST_PERSON or names[0].lower() in _NO_NAMES or text.isupper():
        return [], 0
    capitalized = all(word[:1].isupper() or word.lower() in _PARTICLES for word in names if word)
    has_sign = any(char.isdigit() or char in "'’" for char in text)
    if has_sign or not (capitalized or (len(words) == 1 and text.islower())):
        return [], 0
    names[-1:] = _DOUBLE.split(names[-1])
    return [without_accents(word.rstrip(".").lower()) for word in names if word], 0
