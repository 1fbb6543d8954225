"""Find the list in an answer: "It takes two eggs, sugar and salt to taste" names eggs, sugar and salt.

The items get the names of the reference's parts, so that `list_matching` can compare them.
"""

import re
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

from .._shared.words import exact_words
from .comparison import Texts
from .lists import HEDGE, SEPARATOR, TAIL, asks_for_several, is_title, parts_or_solutions
from .phrases import singular
from .word_tables import word_set, words_of

_KEY = re.compile(r"^\s*[a-z]\s?=\s?(?=[-−+\d])")
_LEAD = re.compile(r"^[^,;:]{0,60}?(?:\b(?:are|were|is|was|includes?|included)\b:?|:)\s+(?=\S)")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3}[.!?])\s+(?=[A-Z])")
# A remark in parentheses at the end, such as "(in this order)".
_REMARK = re.compile(r"^([^()]*\w) \(([^()]*)\)\.?$")
_NOTE = re.compile(r" ?\([^()]*\)")
_SEGMENT = re.compile(r"[;!?]|\.(?=\s|$)|\s[–—-]\s")
OPEN = re.compile(r"\b(?:etc|such as|including|among|for example|e\.g|others?|more)\b", re.IGNORECASE)
# What may stand after the name of an item, and between two items besides a comma or "and".
_ADJUNCT = re.compile(r"(?:to|in|on|at|of|from|with|by|for)\b|\(")
_JOINS = re.compile(r"(?:and|or|by|with|in|to|of|from|for|also|finally|then|lastly)", re.IGNORECASE)
_DETERMINERS = word_set("the a an both one two some")
FUNCTION_WORDS = words_of("function") | word_set("while whereas where because since all both each")
_FEWEST = 2  # Required parts that an answer names.
_LONGEST_NAME = 2  # Words of a part for which a list without it is wrong.
_LONGEST_ITEM, _LONGEST_PIECE = 3, 12  # Words of an item without a name, and of a name with the words around it.


def parts_to_match(texts: Texts) -> tuple[Sequence[str], Sequence[str]]:
    """Return the parts of the reference and those of the list in the answer, without the "x =" before them."""
    required = _without_key(parts_or_solutions(texts.reference, texts.question))
    items = _named_items(_NOTE.sub("", texts.answer.replace("**", "")), required)
    missing = len({*required} - {*items})
    # An item that is not required may be another name of a missing part.
    lacks_parts = missing < len(required) == len(items) + missing and asks_for_several(texts.question) is not None
    short = all(len(part.split()) <= _LONGEST_NAME for part in required)
    if not missing or (lacks_parts and short):
        return required, items
    return required, _without_key(parts_or_solutions(_list_in(texts), texts.question))


def _without_key(items: Sequence[str]) -> Sequence[str]:
    """Return the parts without the "x =" that all of them start with."""
    keys = {match[0] if (match := _KEY.match(part)) else "" for part in items}
    return [part.removeprefix(*keys) for part in items] if len(keys) == 1 else items


def _list_in(texts: Texts) -> str:
    """Return the list in an answer, without the words around it. It may be in the only sentence with a part of it."""
    words = {*exact_words(texts.reference)}
    sentences = [text for text in _SENTENCE_END.split(texts.answer) if not words.isdisjoint(exact_words(text))]
    answer = sentences[0] if len(sentences) == 1 else texts.answer
    remark = _REMARK.match(answer)
    if remark and texts.reference[-1] != ")" and {*exact_words(remark[2])}.isdisjoint(exact_words(texts.reference)):
        answer = remark[1]
    answer = HEDGE.sub("", answer)
    lead, tail = _LEAD.match(answer), TAIL.search(answer)
    if tail and words.isdisjoint(exact_words(tail[0])):
        return answer[: tail.start()]
    return answer[lead.end() :] if lead and words.isdisjoint(exact_words(lead[0])) else answer  # "The two of them are"


class _Piece(NamedTuple):
    """A piece of a text between separators, with the required part that it names and the words around this name."""

    text: str
    name: str = ""
    before: str = ""
    after: str = ""


def _named_items(answer: str, required: Sequence[str]) -> Sequence[str]:
    """Return the items of the only segment that names required parts, by these names; nothing if it is no plain list.

    >>> _named_items("It takes two eggs, sugar and salt to taste; heat it.", ["eggs", "salt"])
    ['eggs', 'sugar', 'salt']
    """
    segments = [SEPARATOR.split(segment) for segment in _SEGMENT.split(answer)]
    pieces = [[_split_at_name(piece.strip(), required) for piece in split if piece.strip()] for split in segments]
    listed = [found for found in pieces if any(piece.name for piece in found)]
    if len(listed) != 1 or OPEN.search(answer):
        return []
    (found,) = listed
    places = [place for place, piece in enumerate(found) if piece.name]
    names = {found[place].name for place in places}
    if len(names) < max(_FEWEST, len(places)) or not _is_plain(found[places[0] : places[-1] + 1]):
        return []
    return [piece.name or piece.text for piece in _add_neighbors(found, places[0], places[-1])]


def _split_at_name(text: str, required: Sequence[str]) -> _Piece:
    """Return a piece with the first of the required parts that it names, in the singular or plural."""
    words = text.split()
    bare = [_singulars(word) for word in words]
    for part in required if len(words) <= _LONGEST_PIECE else ():
        wanted = _singulars(part)
        for start, end in combinations(range(len(words) + 1), 2):
            if wanted and bare[start] and [*chain(*bare[start:end])] == wanted:
                before = [word for word in words[:start] if word.lower() not in _DETERMINERS]
                return _Piece(text, part, " ".join(before), " ".join(words[end:]))
    return _Piece(text)


def _singulars(text: str) -> list[str]:
    return [singular(word) for word in exact_words(text)]


def _is_plain(pieces: Sequence[_Piece]) -> bool:
    """Return whether the words around the names of a list tell nothing about the items.

    They may in "HR moves, Finance stays" and "yellow and key, which is black".
    """
    *inner, _ = pieces
    adjuncts = [piece.after for piece in inner if piece.after]
    if any(not (_ADJUNCT.match(after) or is_title(after)) for after in adjuncts):
        return False
    if adjuncts and not all(piece.name for piece in inner):
        return False  # "Austria to the west and north, …"
    return all(not piece.before or _JOINS.fullmatch(piece.before) for piece in pieces[1:])


def _add_neighbors(pieces: Sequence[_Piece], first: int, last: int) -> Sequence[_Piece]:
    """Return the pieces from the first to the last name, and short ones next to them; nothing if more may follow."""
    while first and not pieces[first].before and _is_item(pieces[first - 1]):
        first -= 1
    while last + 1 < len(pieces) and not pieces[last].after and _is_item(pieces[last + 1]):
        last += 1
    following = pieces[last + 1 : last + 2]
    if following and not pieces[last].after and following[0].text.partition(" ")[0] not in FUNCTION_WORDS:
        return []  # "Mercury, Venus and Mars have none."
    return pieces[first : last + 1]


def _is_item(piece: _Piece) -> bool:
    return 0 < len(piece.text.split()) <= _LONGEST_ITEM
