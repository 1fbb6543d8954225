"""Compare names of persons: "Charlotte Brontë" is not "Emily Brontë", and "Paul" may be "Paul VI"."""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import dropwhile, product

from .._shared.words import exact_words
from .comparison import Texts
from .names import NAMES, RELATIVES, name_sets
from .reading import value_of_roman
from .text import without_accents
from .word_tables import pattern_of

_ROLE = rf"(?:{pattern_of('role')})"
_WHO = re.compile(
    rf"\b(?:who|whom|whose|first person|(?:which|what|name the)(?: (?!is\b|was\b|did\b)[\w'’-]+){{0,3}}[ -]{_ROLE})\b|"
    rf"^\W*(?:the )?{_ROLE} (?:of|who)\b|: {_ROLE}\W*$|\bby\W*$|"
    rf"^\W*(?:{pattern_of('who')})\b|\b(?:{pattern_of('whose')})\b|"
    r"\bwhich (?P<family>(?-i:[A-Z])\w+)",
    re.IGNORECASE,
)
asks_who = lru_cache(maxsize=1 << 8)(_WHO.search)
"""Return a match if a question asks for a person, perhaps one of a `family` ("Which Kennedy?")."""
_TITLES, _PARTICLES = (frozenset().union(*name_sets(kind)) for kind in ("title", "particle"))
_NO_NAMES = frozenset().union(*name_sets("no_name"))  # First words of texts that are no person's name.
# Words of answers that name a person whom they do not mean, in lower case.
_DENIES = re.compile(rf"\b(?:{pattern_of('exception')}|{pattern_of('negator')})\b|n[’']t\b")
# Nicknames that look unlike the full name, with the first letters of full names.
_FULL_NAMES = {
    word: letters
    for kind, words in NAMES
    if kind == "nickname"
    for letters, *names in [words.split()]
    for word in names
}
# Forms of one given name in several languages that look unlike each other.
_FORMS_OF = {name: group for group in name_sets("form") for name in group}
_CAPITAL = r"[^\W\d_a-zß-öø-ÿа-яё]"
_CAPITALIZED = re.compile(
    rf"(?<![\w.'’-]){_CAPITAL}[\w'’.-]*"
    rf"(?:\s+(?:(?:{'|'.join(sorted(_PARTICLES))}|the(?=\s+(?:Elder|Younger|Great)\b))\s+)*{_CAPITAL}[\w'’.-]*)*"
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
_NUMBER_OF = {word: number for number, words in enumerate(name_sets("number"), 1) for word in words}
_IN_BRACKETS = re.compile(r"\((fils|père|[JS]r\.?|the \w+)\)")
_INITIAL, _DOUBLE = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_])"), re.compile(r"-(?=[^\W\d_a-z])")  # as in Joliot-Curie
_LIST, _ARTICLE = re.compile(r"[;/&]|,(?! [JS]r)"), re.compile(r"\b(?:the|der|die|das|den|le|la|el|il|o|a) $")
_LONGEST_PERSON, _LONGEST_ANSWER = 5, 20  # Words.
_FULL, _SHORTEST_NAME = 2, 3  # Words of a given name and a family name; letters.
# Similarities of names below which they are different; given names of the same first letter may be nicknames.
_SIMILAR_NAME, _SIMILAR_NICKNAME, _SIMILAR_FAMILY = 0.5, 0.32, 0.65
_QUOTED = re.compile(r"(?<!\w)['‘]([^'’]{1,60})['’](?!\w)")
_SIGN = re.compile(r"\d|(?<!\w)['’]|['’](?:s\b|(?!\w))")  # not in O'Neill
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
    if len(names) + (number > 0) < _FULL or (len(person[0]) == 1 and names[-1] in texts.question.lower()):
        return None
    return _compare_name(person, reference) if person[0] else _compare_sentence(texts, reference)


def _compare_sentence(texts: Texts, reference: _Person) -> bool | None:
    """Compare a person with the names in a sentence."""
    answer = _QUOTED.sub(r"\1", texts.answer.strip())
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
    if RELATIVES.search(answer):
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
    elif len(names) == len(others) == _FULL and (names[1] == others[0]) != (names[0] == others[1]):
        left_over = (names[0], others[1]) if names[1] == others[0] else (names[1], others[0])
        same = None if _similar(*left_over) else False  # "Upton Sinclair" and "Sinclair Lewis"
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
    has_sign = _SIGN.search(text)
    if has_sign or not (capitalized or (len(words) == 1 and text.islower())):
        return [], 0
    names[-1:] = _DOUBLE.split(names[-1])
    return [without_accents(word.rstrip(".").lower()) for word in names if word], 0
