"""Compare lists whose parts are all required, and lists of alternatives.

"blue, red and green" has the parts of "red, green and blue", unless the question asks for an order.
"""

import re
from dataclasses import replace

from .._shared.words import exact_words
from .comparison import Comparison, Texts
from .list_matching import match_parts
from .lists import EXCLUDES, POINT, SOLVE, TAIL, asks_order, parts, parts_or_solutions, without_remarks
from .phrases import ends_in_negation

_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_ANY_OF = re.compile(rf"any ({'|'.join(_COUNTS)}) of:?(?: the following:?)? (.+)", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(r"\b(?:name|give|mention|state|suggest|what is) (?:one|an example|any)\b", re.IGNORECASE)
# Words before and after an item that an answer denies; it may deny other items than the reference's.
_DENIED = (
    r"\b(?:no|not|nor|without|minus|except(?: for)?|but for|excluding|lacks?|lacked)(?: (?:an?|any|the|his|her|its))? "
)
_DENIED_AFTER = (
    r"(?: \w+)? (?:(?:is|are|was|were)n['’]t (?:necessary|needed|required|included)\b|"
    r"(?:is|are|was|were|has been|have been) (?:not\b|left (?:off|out)\b|missing|absent|excluded|omitted|removed|"
    r"dropped|ruled out|denied))"
)
_OMITS = re.compile(rf"\b(?:no|without|minus|excluding|lacks?|lacked)\b|{_DENIED_AFTER}|n['’]t\b", re.IGNORECASE)
_KEYS_IN_ORDER = re.compile(r"\b[\w-]+(?:, [\w-]+)*,? and [\w-]+")
_PRODUCT = re.compile(r"\d\s?(?:[·×*]|\\cdot|\\times)\s?\d")
_ENDS = re.compile(r"([\[(])[^()\[\]]*,[^()\[\]]*([\])])")  # of an interval


def compare_list(texts: Texts) -> bool | None:
    """Return whether the answer has all parts of the reference and no others; None if that is not certain.

    >>> compare_list(Texts("", "green, red", "red and green")), compare_list(Texts("", "green, blue", "red and green"))
    (True, False)
    """
    texts = replace(texts, answer=without_remarks(texts.answer, texts.reference))
    asked = _denies(texts.reference) or _denies(texts.question)
    other = "±" in texts.answer or texts.answer_values.is_range or ends_in_negation(texts.answer)
    if other or (EXCLUDES.search(texts.answer) if asked else _denies(texts.answer)):
        return False if not asked and _omits_part(texts) else None
    ends, other_ends = _ENDS.findall(texts.reference), _ENDS.findall(texts.answer)
    intervals = ends and other_ends and ends != other_ends
    products = _PRODUCT.search(texts.answer) and not _PRODUCT.search(texts.reference)  # "60 = 2² · 3 · 5"
    required_or = " or " in texts.answer and " or " not in texts.reference and not SOLVE.search(texts.question)
    if intervals or products or required_or or (asks_order(texts.question) and _reorders_keys(texts)):
        return None
    return match_parts(texts)


def _denies(text: str) -> bool:
    """Return whether a text denies something: "ham, but no olives"."""
    return bool(EXCLUDES.search(text) or _OMITS.search(text))


def _omits_part(texts: Texts) -> bool:
    """Return whether an answer denies a part of the reference that it does not also name elsewhere."""
    items = [part.removeprefix("the ") for part in parts_or_solutions(texts.reference, texts.question)]
    lower = texts.answer.lower()
    named = "|".join(re.escape(item) for item in items if lower.count(item.lower()) == 1)
    pattern = rf"{_DENIED}(?:{named})\b|\b(?:{named}){_DENIED_AFTER}"
    return named != "" and re.search(pattern, texts.answer, re.IGNORECASE) is not None


def _reorders_keys(texts: Texts) -> bool:
    """Return whether an answer names things of a list in the question in another order: "Silver: Kim, gold: Lee"."""
    listed = _KEYS_IN_ORDER.search(texts.question.lower())
    others = {"and", *exact_words(texts.reference)}
    keys = [word for word in exact_words(listed[0]) if word not in others] if listed else []
    said = [word for word in texts.answer_words if word in keys]
    return said != [key for key in keys if key in said]


def compare_points(texts: Texts) -> Comparison | None:
    """Compare lists of points such as "(2, 0) and (-3, 0)"; None for another reference."""
    points, said = (
        {"".join(point.split()) for point in POINT.findall(text)} for text in (texts.reference, texts.answer)
    )
    return Comparison("list", points == said if len(points) == len(said) else None) if len(points) > 1 else None


def may_be_choice(reference: str) -> bool:
    """Return whether a reference lists several right answers: "any two of: …", or a list with "or"."""
    return _ANY_OF.match(reference) is not None or (reference.count(",") > 1 and " or " in reference)


def compare_choice(texts: Texts) -> Comparison | None:
    """Compare an answer with a reference that lists several right answers, if the question asks for one or a few.

    >>> compare_choice(Texts("Name two.", "Italy and Japan", "Any two of: Canada, Italy, Japan, the UK")).equal
    True
    """
    match = _ANY_OF.match(texts.reference)
    if not match and not _ASKS_FOR_ONE.search(texts.question):
        return None
    wanted, listed = (_COUNTS[match[1].lower()], match[2]) if match else (1, texts.reference)
    accepted = {exact_words(part) for part in parts(listed)}
    said = {exact_words(part) for part in parts(TAIL.sub("", texts.answer.strip()))}
    if len(accepted) <= wanted:
        return None
    wrong = texts.short and accepted.isdisjoint(said)
    return Comparison("list", True if said <= accepted and len(said) == wanted else False if wrong else None)
