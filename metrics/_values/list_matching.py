"""Match the parts of two lists, which are assignments, numbers, statements or names.

"McCartney" may be the part "Paul McCartney", and "A = 3" is not the part "A = 5".
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from .._shared.words import exact_words
from .calendar_names import keys_in_cycle
from .comparison import Texts
from .list_items import FUNCTION_WORDS, OPEN, parts_to_match
from .lists import LONGEST_SOLUTION, SEPARATOR, is_ordered, is_title, only_number
from .number_words import with_digits
from .numbers import equal
from .phrases import FILLERS, singular
from .places import keys_of
from .reading import Mention
from .substances import substance
from .text import plain
from .units import convert
from .word_tables import word_set

_SIGNED = r"[-+]?\s?\d+(?:\.\d+)?(?![\d.,/^]*\d)"
# A variable and its value, without a unit or an operator after it.
_ASSIGNED = re.compile(
    rf"(?<!\w)([^\W\d_]\d?)\s?(?:=|is|equals)\s?({_SIGNED})(?!\s?(?:[-+*/^√%°(=]|(?!(?:and|or|und|oder|et|y)\b)[^\W\d_]))"
)
# Words that make another place of a name, such as Northern Ireland.
_QUALIFIERS = word_set("north south east west northern southern eastern western new upper lower")
_LINKS = word_set("is are at the end of to for = : - – whereas while")
_TRUTH = {"t": "true", "f": "false"}
_ONLY = re.compile(r"^\W*(?:only|just)(?: (?:on|in|at))? ", re.IGNORECASE)
_FEW_WORDS = 3  # Words of a part that may be a sentence.
_SHORT_PART = 2  # Words of a part that has no other form.
_WORDS_PER_PART = 6
_SIMILAR_WORD = 0.5
_SIMILAR, _LONG_NAME = 0.7, 6  # Similarity of two spellings of a name, and the fewest letters of such a name.
_FEWEST, _MORE_WORDS = 2, 2  # Assignments of a list, and words of an answer besides its numbers.


def match_parts(texts: Texts) -> bool | None:
    """Return whether the answer's list has the parts of the reference and no others; None if that is not certain."""
    required, items = parts_to_match(texts)
    if (assigned := _compare_assignments(texts, required)) is not None:
        return assigned
    numbers = [number for part in required if (number := only_number(part, texts)) is not None]
    if len(numbers) == len(required):
        return _compare_numbers(texts, numbers)
    facts = [_facts(part, texts) for part in required]
    names = all(is_title(part) and not any(map(str.isdigit, part)) for part in required)
    if all(len(words) > 1 for words in facts) and not names:
        return _compare_facts(texts, facts, [_facts(part, texts) for part in items])
    return _compare_words(texts, required, items)


def _compare_assignments(texts: Texts, required: Sequence[str]) -> bool | None:
    """Compare lists of assignments, to one variable or to several; None for another list or if that is not certain."""
    wanted, count = _assignments(plain(texts.reference)) if "=" in texts.reference else ({}, 0)
    if count < _FEWEST or count != len(required):
        return None
    said, _ = _assignments(texts.answer_values.text[:LONGEST_SOLUTION])
    if any(len(said.get(name, ())) != len(values) for name, values in wanted.items()):
        return None
    return all(said[name] == values for name, values in wanted.items())


def _assignments(text: str) -> tuple[dict[str, set[float]], int]:
    """Return the values of each variable in a text, and the number of assignments."""
    pairs, values = _ASSIGNED.findall(text), defaultdict[str, set[float]](set)
    for name, value in pairs:
        values[name].add(float(value.replace(" ", "")))
    return values, len(pairs)


def _compare_numbers(texts: Texts, required: Sequence[Mention]) -> bool | None:
    mentions = [mention for mention in texts.answer_values.numbers if not mention.ordinal]
    if len(mentions) > 3 * len(required):
        return None
    places: list[int] = []
    for number in required:
        free = [i for i in range(len(mentions)) if i not in places]
        place = next((i for i in free if _equal(mentions[i], number, texts)), None)
        if place is None:
            short = len(texts.answer_words) <= _WORDS_PER_PART * len(required)
            return False if short and 0 < len(mentions) <= len(required) else None
        places.append(place)
    if not _in_order(texts, places):
        return False
    if len(mentions) > len(required):
        return False if texts.length <= len(mentions) + _MORE_WORDS else None
    return True


def _equal(mention: Mention, reference: Mention, texts: Texts) -> bool:
    unit = reference.unit or mention.unit
    number = convert(mention.number, mention.unit or unit, unit)
    return number is not None and equal(number, reference.number, texts.tolerance)


def _in_order(texts: Texts, places: Sequence[int]) -> bool:
    """Return whether places ascend, or the order does not matter."""
    return not is_ordered(texts) or all(place <= following for place, following in pairwise(places))


def _compare_facts(texts: Texts, required: Sequence[frozenset[str]], items: Sequence[frozenset[str]]) -> bool | None:
    """Compare lists whose parts have several words, such as "A = 3, B = 5" or "12 N (left), 4 N (right)"."""
    if len(items) != len(required):
        missing = [facts for facts in required if not any(facts <= item for item in items)]
        absent = frozenset().union(*missing).isdisjoint(texts.answer_words) and not OPEN.search(texts.answer)
        return False if absent and missing and 1 < len(items) == len(required) - len(missing) else None
    places = [next((i for i, item in enumerate(items) if facts <= item), None) for facts in required]
    if None not in places:
        return _in_order(texts, [place for place in places if place is not None])
    # The same words in other parts are a wrong answer.
    return False if frozenset().union(*required) <= frozenset().union(*items) else None


def _facts(part: str, texts: Texts) -> frozenset[str]:
    """Return the words of a part, with T and F written out."""
    text = with_digits(plain(part), texts.language[0]).replace("=", " ")
    words = [singular(word) for word in exact_words(text, articles=True) if word not in _LINKS]
    return frozenset(_TRUTH.get(word, word) for word in words)


def _compare_words(texts: Texts, names: Sequence[str], items: Sequence[str]) -> bool | None:
    """Compare lists of single words and names."""
    candidates = [*items, *texts.answer_words] if is_ordered(texts) else items
    places = [_place(texts.answer_words, part, candidates) for part in names]
    said = [{*exact_words(part)} for part in items]
    missing = [
        part
        for part, place in zip(names, places, strict=True)
        if place is None and not any({*exact_words(part)} <= words for words in said)
    ]
    others = [
        part
        for part, words in zip(items, said, strict=True)
        if all(_place(exact_words(part), name, [part]) is None and not {*exact_words(name)} <= words for name in names)
    ]
    if missing:
        return False if _lacks(texts, names, missing) else _compare_missing(names, items, missing, others)
    known = {*exact_words(f"{texts.reference} {texts.question}"), *FILLERS}
    last = others == [*items[-1:]]  # "Tom, Greta and Oskar inherited it"
    short = all(len(words - known if last else words) <= _SHORT_PART for words in said)
    relative = last and FUNCTION_WORDS.issuperset(said[-1] - known) and not items[-1].isupper()  # "who inherited it"
    added = short and len(names) == len(items) - len(others)
    if others and not relative and (added or len(items) == len(names)):
        return False
    if is_ordered(texts):
        found = [place for place in places if place is not None]
        return _in_order(texts, found) if len(found) == len(places) else None
    if all(len(words) <= _FEW_WORDS and words & known and any(map(str.isalpha, words - known)) for words in said):
        return None  # "HR moves, Finance stays."
    whole = len(items) == 1 and len(SEPARATOR.findall(texts.answer)) < len(names)
    return True if whole or 1 < len(items) <= len(names) else None


def _lacks(texts: Texts, required: Sequence[str], missing: Sequence[str]) -> bool:
    """Return whether required parts are missing, and no other item could be another name for one of them."""
    items = len(SEPARATOR.split(texts.answer.strip(" .")))
    kept, words = len(required) - len(missing), {word[:4] for word in texts.answer_words}
    absent = words.isdisjoint(word[:4] for part in missing for word in exact_words(part))
    short = len(texts.answer_words) <= _WORDS_PER_PART * len(required)
    only = 0 if _ONLY.match(texts.answer) else 1
    return only < kept == items and absent and short and not OPEN.search(texts.answer)


def _compare_missing(
    required: Sequence[str], items: Sequence[str], missing: Sequence[str], others: Sequence[str]
) -> bool | None:
    """Return False if parts are certainly missing, or one is replaced by another; else None."""
    if not others and 1 < len(items) < len(required):
        return False
    # Two names may be of one thing, so the whole list has to be simple.
    compared = (*missing, *others) if all(map(str.islower, (*missing, *others))) else (*required, *items)
    short = all(len(part.split()) <= _SHORT_PART for part in compared)
    replaced = short and len(items) == len(required) and len(missing) == len(others) == 1
    return False if replaced and not _alike(missing[0], others[0]) else None


def _place(answer: Sequence[str], part: str, names: Sequence[str]) -> int | None:
    """Return where a part is in an answer, in words; a person's family name is enough. None if it is not there."""
    words, answer_words = ([singular(word) for word in text] for text in (exact_words(part), answer))
    if starts := _starts(answer_words, words):
        return starts[0]
    if keys := _keys(part):
        places = [place for place, name in enumerate(names) if keys & _keys(name)]
        if places:
            return next(iter(_starts(answer, exact_words(names[places[0]]))), None)
    family = words[-1:] if len(words) > 1 and is_title(part) and words[0] not in _QUALIFIERS else []
    named = any([singular(word) for word in exact_words(name)] == family for name in names)
    return answer_words.index(family[0]) if named and family and family[0] in answer_words else None


def _keys(part: str) -> frozenset[str]:
    """Return what a part names: places, numbers, weekdays, months and substances."""
    part = part.removeprefix("the ").removeprefix("The ")
    return keys_of(part) | keys_in_cycle(part) | {substance(part)} - {""}


def _starts(words: Sequence[str], part: Sequence[str]) -> list[int]:
    """Return where words contain others, one after another."""
    size = len(part)
    return [start for start in range(len(words) - size + 1) if [*words[start : start + size]] == [*part]]


def _alike(left: str, right: str) -> bool:
    """Return whether two parts may name the same thing: words with the same start, similar ones, or an acronym."""
    changes = [pair for pair in zip(exact_words(left), exact_words(right), strict=False) if pair[0] != pair[1]]
    if len(changes) == 1 < len(exact_words(left)) == len(exact_words(right)):
        return SequenceMatcher(None, *changes[0]).ratio() > _SIMILAR_WORD  # "proof of income" and "proof of address"
    starts = [{word[:4] for word in exact_words(part)} for part in (left, right)]
    long = min(len(left), len(right)) >= _LONG_NAME
    similar = long and SequenceMatcher(None, left.lower(), right.lower()).ratio() > _SIMILAR
    return bool(starts[0] & starts[1]) or similar or left.isupper() or right.isupper()
