"""Compare directions and roles: from A to B, up or down, and who did what to whom.

"It flows from cathode to anode" is not "from the anode to the cathode", and "Brazil beat Germany" is not "Germany beat
Brazil".
"""

import re
from collections.abc import Iterable

from .._shared.words import exact_words
from .phrases import FILLERS, stem
from .reading import Texts
from .text import word_set

# Words with opposite meanings; those on one side of a line have the same meaning.
_OPPOSITES = (
    ("rise rose risen raise raised raises increase increased grow grew grown climb climbed",
     "fall fell fallen decrease decreased drop dropped decline declined shrink shrank shrunk lowers lowered "
     "reduce reduced"),
    ("up upward", "down downward"), ("higher", "lower"), ("more", "less fewer"), ("larger bigger greater", "smaller"),
    ("heavier", "lighter"), ("longer", "shorter"), ("older", "younger"), ("faster quicker quickly", "slower slowly"),
    ("hotter warmer", "colder cooler"), ("stronger", "weaker"), ("better", "worse"), ("thicker", "thinner"),
    ("north northward northern", "south southward southern"), ("east eastward eastern", "west westward western"),
    ("open opened", "closed close shut"), ("left", "right"), ("hot warm", "cold cool"), ("high", "low"),
    ("odd", "even"), ("clockwise", "counterclockwise anticlockwise"), ("attract", "repel"), ("expand", "contract"),
    ("absorb absorbed", "release released emit emitted"), ("positive", "negative"), ("acidic", "basic alkaline"),
    ("above", "below"), ("before", "after"), ("inside", "outside"), ("first", "last"), ("early", "late"),
    ("upheld uphold", "overturned overturn struck"), ("passed pass", "failed fail"), ("accepted approved", "rejected"),
    ("legal", "illegal"), ("possible", "impossible"), ("true", "false"), ("alive", "dead"), ("dominant", "recessive"),
    ("endothermic", "exothermic"), ("maximum", "minimum"), ("buy bought", "sell sold"), ("import", "export"),
)  # fmt: skip
_POLE = {
    form: (number, side)
    for number, sides in enumerate(_OPPOSITES)
    for side, words in enumerate(sides)
    for word in words.split()
    for form in (word, stem(word))
}
_FIRST_LETTERS = frozenset(word[:3] for word in _POLE)
_TO = {
    "en": "to|into|towards?", "de": "zu|zum|zur|nach|in", "fr": "à|au|aux|vers|en", "es": "a|al|hacia",
    "it": "a|al|alla|verso", "pt": "para|à|ao", "nl": "naar", "ru": "к|в",
}  # fmt: skip
_MAY_HAVE_ENDS = re.compile(rf" (?:{'|'.join(_TO.values())}) ")
_FROM = re.compile(r"\b(?:from|von|vom|aus|de|desde|du|des|dal|da|van|из|от)\b", re.IGNORECASE)
_SYMMETRIC = re.compile(
    r"\b(?:and|or|with|between|plus|by|und|et|y|equals?|marr\w+|met|meets?|borders?|near|next|like|same|equal|vs|versus|"
    r"either|both)\b|[,;&=+*/]",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|never|neither|nor|without|nicht|kein\w*|pas|non?)\b|n['’]t\b", re.IGNORECASE)
_LONGEST, _LONGEST_ANSWER, _LONGEST_END = 12, 25, 4  # Words of a reference, of an answer, and of one end.
_PRONOUNS = word_set(
    "they he she we you i this that these those does do did has have will would be been then there "
    "got gets became becomes become went goes go turned"
)
_FEWEST = 3  # Words of a statement with roles.
_SIDED = frozenset(map(stem, word_set("than beat beats defeated defeats outsold causes caused before after")))
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LONGER = 3  # Characters of an answer, as a multiple of those of the reference.


def opposite(word: str, others: Iterable[str]) -> bool:
    """Return whether a word has an opposite among others.

    >>> opposite("open", ["closed"]), opposite("open", ["opened"])
    (True, False)
    """
    pole = _POLE.get(word) or _POLE.get(stem(word))
    return pole is not None and any(_POLE.get(other) == (pole[0], 1 - pole[1]) for other in others)


def same_direction(texts: Texts) -> bool | None:
    """Return whether an answer has the same direction or roles; None for another reference or if that is not certain.

    >>> same_direction(Texts("", "to AC from DC", "DC to AC")), same_direction(Texts("", "AC to DC", "DC to AC"))
    (None, False)
    """
    reference, answer = texts.reference, texts.answer
    words = reference.lower().split()
    # Fast tests, which most references do not pass.
    ends = len(words) > 2 and _MAY_HAVE_ENDS.search(reference)  # noqa: PLR2004
    pole = not _FIRST_LETTERS.isdisjoint([word[:3] for word in words])
    if not (ends or pole or len(words) >= _FEWEST) or len(words) > _LONGEST or answer.count(" ") >= _LONGEST_ANSWER:
        return None
    if _NOT.search(reference) or _NOT.search(answer):
        return None
    if ends and (same := _same_ends(texts)) is not None:
        return same
    if pole:
        return _same_pole(texts)
    lowered = answer.lower()
    return False if all(word[:4] in lowered for word in words) and _swapped(reference, answer) else None


def _same_ends(texts: Texts) -> bool | None:
    """Compare references such as "from the anode to the cathode" and "DC to AC"."""
    to = re.compile(rf"\b(?:{_TO.get(texts.language[0], _TO['en'])})\b", re.IGNORECASE)
    wanted, given = ([_ends(text, found) for found in to.finditer(text)] for text in (texts.reference, texts.answer))
    if len(wanted) != 1 or not all(wanted[0]):
        return None
    (start, end), common = wanted[0], wanted[0][0] & wanted[0][1]
    start, end = start - common, end - common
    if not start or not end:
        return None
    same = any(start <= first and end <= last and not start & last for first, last in given)
    swapped = any(start <= last and end & first and not first & (start | last) for first, last in given)
    return same if same != swapped else None


def _ends(text: str, to: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words before and after a preposition such as "to"."""
    before = _FROM.split(text[: to.start()])
    return _content(before[-1], -_LONGEST_END, None), _content(text[to.end() :], 0, _LONGEST_END)


def _content(text: str, first: int, last: int | None) -> frozenset[str]:
    return frozenset(map(stem, _words(text)[first:last]))


def _words(text: str) -> list[str]:
    return [word for word in exact_words(text) if word not in FILLERS and word not in _PRONOUNS]


def _same_pole(texts: Texts) -> bool | None:
    """Compare references with a word such as "rose", "north" or "faster"."""
    wanted, given = _words(texts.reference), _words(texts.answer)
    poles = [word for word in wanted if word in _POLE]
    if len(poles) != 1:
        return None
    number, side = _POLE[poles[0]]
    found = {_POLE[word] for word in given if word in _POLE and _POLE[word][0] == number}
    known = {stem(word) for word in (*exact_words(texts.question), *wanted)}
    others = [word for word in map(stem, wanted) if word != stem(poles[0])]
    left = [word for word in map(stem, given) if word in others]
    if len(found) != 1 or (left != others and not set(others) <= set(map(stem, exact_words(texts.question)))):
        return None
    same = found == {(number, side)}
    new = [word for word in given if word not in _POLE and stem(word) not in known]
    return same if len(new) <= same + 1 else None


def _swapped(reference: str, answer: str) -> bool:
    """Return whether two words of a statement have changed places: "A beat B" and "B beat A"."""
    wanted = list(map(stem, _words(reference)))
    if len(wanted) < _FEWEST or len(set(wanted)) < len(wanted) or _SYMMETRIC.search(f"{reference} {answer}"):
        return False
    given = [word for word in map(stem, _words(answer)) if word in wanted]
    if len(given) != len(wanted) or set(given) != set(wanted):
        return False
    places = [place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other]
    apart = len(places) == 2 and places[1] - places[0] > 1  # noqa: PLR2004
    return apart and given[places[0]] == wanted[places[1]] and given[places[1]] == wanted[places[0]]


def says_opposite(texts: Texts) -> bool:
    """Return whether an answer has the words of the reference, but an opposite, or two exchanged words.

    Words are exchanged around "than" and verbs such as "beat", or if they are opposites themselves.

    >>> says_opposite(Texts("", "Red is scattered more than blue.", "Blue is scattered more than red"))
    True
    >>> says_opposite(Texts("", "Demand rose and costs fell", "Demand fell and costs rose"))
    True
    """
    if texts.reference.count(" ") > _LONGEST_ANSWER or len(texts.answer) > _LONGER * len(texts.reference):
        return False
    given, wanted = (
        [stem(word) for word in _LETTERS.findall(text.lower())] for text in (texts.answer, texts.reference)
    )
    given = given[max(0, len(given) - len(wanted)) :]
    if len(given) != len(wanted) or len(wanted) < _FEWEST:
        return False
    places = [place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other]
    if not 0 < len(places) <= 2:  # noqa: PLR2004
        return False
    first, last = places[0], places[-1]
    opposites = opposite(given[first], [wanted[first]])
    if first == last:
        return opposites
    between = wanted[first + 1 : last]
    swapped = given[first] == wanted[last] and given[last] == wanted[first]
    return swapped and bool(_SIDED.intersection(between) or (opposites and set(between) - {"and", "or"}))
