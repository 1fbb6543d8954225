"""Compare statements about two things: who did what to whom, and which is larger.

"Brazil beat Germany" is not "Germany beat Brazil", and "A is older than B" says the same as "B is younger than A".
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice

from .comparison import Texts
from .directions import POLE, around, content_words, opposite
from .phrases import NEGATION, WORD, stem
from .reading import SIGN_OF_VALUE
from .word_tables import pattern_of, word_set

_SYMMETRIC = re.compile(rf"\b(?:{pattern_of('symmetric')})\b|[,;&=+*/]", re.IGNORECASE)
_COMPARATIVE = re.compile(
    r"\b(?:(?P<how>more|less|fewer)(?: (?P<base>\w+))?|(?!rather|other|either|whether)(?P<word>\w+er)) than\b"
)
_COMPARED_ALONE = re.compile(rf"\b(?:{'|'.join(word for word in POLE if word.endswith('er'))})\b")
_PRONOUN = re.compile(r"\W*(?:it|they|he|she)(?:\b|['’])", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:was|were|is|are|got|been|being) (?:\w+ly )?(\w{4,}) by\b", re.IGNORECASE)
_IS_DONE = re.compile(r"\b(?:is|are|was|were|been) \w+(?:ed|en) (?:by|in|to|from|of)\b")
_CAUSES = re.compile(r"\b(?:causes?|caused|beats?|defeats?|defeated)\b")
_NOTHING = re.compile(r"(?:nothing|nobody|no one|none)\b", re.IGNORECASE)
_RELATIONS = [
    word_set(words)
    for words in (
        "before after", "above below", "over under", "north south", "east west", "left right", "bought sold",
    )
]  # fmt: skip
_SIDES = frozenset().union(*_RELATIONS)
_LONGEST_ANSWER = 25  # Words.
_FEWEST = 3  # Words of a statement with roles.
_SIDED = frozenset(map(stem, word_set("than beat beats defeated defeats outsold causes caused before after")))
# Comparisons and conditions, whose two sides may both be opposites.
_TWO_SIDED = re.compile(r"\b(?:than|when|while|if|as|whereas)\b|\d")
_PREVENTS = re.compile(r"\b(?:prevent|stop|keep|protect|avoid|against)")
# Words whose opposites can both be true, or that have other senses.
_OTHER_SENSES = {
    POLE[word][0] for word in word_set("before above older absorb left basic first early close open alive")
}
# Content words of a reference, how many more an answer may have, and the share of the reference's words in both.
_FEWEST_WORDS, _ADDED, _SHARED = 4, 3, 0.5
_LONGER = 3  # Characters of an answer, as a multiple of those of the reference.


def unless_denied(compare: Callable[[Texts], bool | None]) -> Callable[[Texts], bool | None]:
    """Return a rule that skips statements with a negation, and never calls statements with a value equal."""

    def compare_affirmed(texts: Texts) -> bool | None:
        same = compare(texts) if texts.answer.count(" ") < _LONGEST_ANSWER else None
        if same is False and _are_converse(texts.reference, texts.answer):
            return None
        if same is None or NEGATION.search(f"{texts.reference}\n{texts.answer}") or _NOTHING.match(texts.reference):
            return None
        if any(mention.number.value < 0 for mention in texts.answer_values.numbers):
            return None  # A negative income is a loss.
        return None if same and SIGN_OF_VALUE.search(texts.reference) else same

    return compare_affirmed


def may_be_statement(reference: str) -> bool:
    """Return whether a reference has enough words for a statement about two things."""
    return len(_words(reference)) >= _FEWEST


def compare_roles(texts: Texts) -> bool | None:
    """Return whether two statements give two things the same roles; None for other texts or if that is not certain.

    >>> compare_roles(Texts("", "Ice is denser than water", "Ice is less dense than water"))
    False
    >>> compare_roles(Texts("", "The Jets were beaten by the Owls", "The Jets beat the Owls"))
    False
    """
    reference, answer = texts.reference, texts.answer
    if reference.count(" ") < _FEWEST - 1:
        return None
    if " than " in reference:
        ranks = " than " not in answer
        return ranks_first(reference, answer, named=True) if ranks else _compare_comparatives(reference, answer)
    lowered = answer.lower()
    named = all(word.rstrip(".,;:!?")[:4] in lowered for word in reference.lower().split())
    return False if named and (_swaps_words(reference, answer) or _reverses_passive(reference, answer)) else None


def _compare_comparatives(reference: str, answer: str) -> bool | None:
    """Compare "A is older than B" with "B is younger than A"; None unless both compare the same things."""
    in_reference, in_answer = (_read_comparison(text.lower()) for text in (reference, answer))
    if not in_reference or not in_answer or in_reference[1] != in_answer[1]:
        return None
    (first, _, side, second), (subject, _, other, rest) = in_reference, in_answer
    common = first & second
    first, second = first - common, second - common
    kept, exchanged = (first & subject, second & rest), (first & rest, second & subject)
    same, swapped = all(kept), all(exchanged)
    if same == swapped:
        same, swapped = any(kept), any(exchanged)
    if same == swapped:
        return None
    equal = same == (side == other)
    return None if equal and not first | second <= subject | rest else equal


def _read_comparison(text: str) -> tuple[frozenset[str], str | int, int, frozenset[str]] | None:
    """Return the words before and after a comparative, and its property and side: "denser" and "less dense"."""
    match = _COMPARATIVE.search(text)
    if not match:
        return None
    how, base, word = match.groups()
    forms = (f"{base.rstrip('e')}er", f"{base[:-1]}ier", base) if base else (word or how,)
    name, side = next((POLE[form] for form in forms if form in POLE), (forms[0], 0))
    flipped = bool(base) and how != "more"
    before, after = around(text[: match.start()], text[match.end() :])
    return before, name, side ^ flipped, after


def ranks_first(question: str, answer: str, named: bool = False) -> bool | None:
    """Return whether an answer ranks two things as a question does; None if that is not certain.

    With `named`, the answer has to name one of the things, because a pronoun may stand for any.

    >>> ranks_first("Is the Pacific larger than the Atlantic?", "The Atlantic is the bigger one.")
    False
    """
    lowered = answer.lower()
    asked, word = _read_comparison(question.lower()), _COMPARED_ALONE.search(lowered)
    if not asked or " than " in answer or not word or NEGATION.search(f"{question} {answer}"):
        return None
    first, name, side, second = asked
    first, second = first - second, second - first  # Lake Baikal and Lake Tanganyika
    subject, after = around(lowered[: word.start()], lowered[word.end() :])
    if POLE[word[0]][0] != name or (subject & first and subject & second) or after & (first | second):
        return None
    about_first = bool(subject & first) or (not named and _PRONOUN.match(answer) is not None)
    return about_first == (POLE[word[0]][1] == side) if about_first or subject & second else None


def _reverses_passive(reference: str, answer: str) -> bool:
    """Return whether one statement is in the passive, and the roles are exchanged: "A were beaten by B"."""
    passives = [_PASSIVE.search(text) for text in (reference, answer)]
    passive, active = (passives[1], reference) if passives[1] else (passives[0], answer)
    if all(passives) or not passive:
        return False
    before, _, after = active.lower().partition(passive[1][:4].lower())
    patient, agent = around(passive.string[: passive.start()], passive.string[passive.end() :])
    subject, object_ = around(before, after.partition(" ")[2])
    return bool(patient & subject and agent & object_) and not (patient & object_ or agent & subject)


def _swaps_words(reference: str, answer: str) -> bool:
    """Return whether two words of a statement, or what is around a verb, have changed places: "B beat A"."""
    sides = [around(*_CAUSES.split(text)) for text in (reference, answer) if len(_CAUSES.findall(text)) == 1]
    passive = [_IS_DONE.search(text) is not None for text in (reference, answer)]
    if passive[0] != passive[1]:
        return False  # "Cancer is caused by smoking" for "smoking causes cancer"
    if len(sides) > 1 and _exchanges_sides(*sides):
        return True
    words = list(map(stem, content_words(reference)))
    if any(map(str.isdigit, words)):
        return False  # "1999 March 12"
    if len(words) < _FEWEST or len(set(words)) < len(words) or _SYMMETRIC.search(f"{reference} {answer}"):
        return False
    said = [word for word in map(stem, content_words(answer)) if word in words]
    if len(said) != len(words) or set(said) != set(words):
        return False
    places = [place for place, (word, other) in enumerate(zip(said, words, strict=True)) if word != other]
    return len(places) == 2 and places[1] - places[0] > 1  # noqa: PLR2004


def _exchanges_sides(reference: Sequence[frozenset[str]], answer: Sequence[frozenset[str]]) -> bool:
    """Return whether the words before and after a verb have changed sides, where the answer may add others."""
    first, second = reference
    before, after = answer
    return bool(first and second) and first <= after and second <= before and not first & before and not second & after


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def says_opposite(texts: Texts) -> bool:
    """Return whether an answer has the words of the reference, but an opposite, or two exchanged words.

    Words are exchanged around "than" and verbs such as "beat", or if they are opposites themselves.

    >>> says_opposite(Texts("", "Red is scattered more than blue.", "Blue is scattered more than red"))
    True
    >>> says_opposite(Texts("", "Demand rose and costs fell", "Demand fell and costs rose"))
    True
    >>> says_opposite(Texts("", "It lowers the food prices for farms.", "The tax raises food prices for small farms"))
    True
    """
    reference, answer = texts.reference, texts.answer
    if len(answer) > _LONGER * len(reference):
        return False
    found = _has_opposite(reference.lower(), answer.lower()) or _exchanges_words(reference, answer)
    return found and not _are_converse(reference, answer)


def _exchanges_words(text: str, other_text: str) -> bool:
    """Return whether the end of another text differs in one word, an opposite, or in two that have changed places."""
    reference = _words(text)
    answer = _words(other_text)[-len(reference) :]
    if len(answer) != len(reference):
        return False
    pairs = enumerate(zip(answer, reference, strict=True))
    different = (place for place, (word, other) in pairs if word != other and stem(word) != stem(other))
    places = [*islice(different, 3)]
    if not 0 < len(places) <= 2:  # noqa: PLR2004
        return False
    answer, reference = [*map(stem, answer)], [*map(stem, reference)]
    first, last = places[0], places[-1]
    bounds = reference[:first][-1:] == ["at"] and {answer[first], reference[first]} == {"least", "most"}
    opposites = bounds or opposite(answer[first], [reference[first]])
    if first == last:
        return opposites
    between = reference[first + 1 : last]
    swapped = answer[first] == reference[last] and answer[last] == reference[first]
    return swapped and bool(_SIDED.intersection(between) or (opposites and set(between) - {"and", "or"}))


def _are_converse(reference: str, answer: str) -> bool:
    """Return whether two texts may state one relation in both directions: "A is above B" and "B is below A"."""
    wanted, said = (text.lower().rstrip(" .").split() for text in (reference, answer))
    if _SIDES.isdisjoint(wanted) or _SIDES.isdisjoint(said):
        return False
    ends = {*wanted[-1:], *said[-1:]}
    found = [(sides & {*wanted}, sides & {*said}) for sides in _RELATIONS if sides.isdisjoint(ends)]
    return len(ends) > 1 and any(left and right and left != right for left, right in found)


def _has_opposite(reference: str, answer: str) -> bool:
    """Return whether an answer has most content words of a reference, and the opposite of another one."""
    poles = _poles(reference)
    if not poles or any(pattern.search(text) for pattern in (_PREVENTS, _TWO_SIDED) for text in (reference, answer)):
        return False
    words, said = content_words(reference), content_words(answer)
    if not _FEWEST_WORDS <= len(words) >= len(said) - _ADDED or NEGATION.search(f"{reference}\n{answer}"):
        return False
    others = _poles(answer)
    opposites = {(name, side) for name, side in poles - others if (name, 1 - side) in others - poles}
    left, right = {*map(stem, words)}, {*map(stem, said)}
    return len(opposites) == 1 and len(left & right) >= _SHARED * (len(left) - len(opposites))


@lru_cache(maxsize=1 << 10)
def _poles(text: str) -> frozenset[tuple[int, int]]:
    """Return the properties that a text names by words with opposites, each with its side."""
    found = {POLE.get(word) or POLE.get(stem(word)) for word in content_words(text)}
    return frozenset(pole for pole in found if pole and pole[0] not in _OTHER_SENSES)
