"""Judge answers that correct themselves by what they say last: "The Loire. No, wait, the Seine."."""

import re
from functools import lru_cache

from .._shared.words import exact_words
from .comparison import Texts
from .phrases import FILLERS, contains, negated, singular, takes_back

_CORRECTION = re.compile(
    r"(?:^|[.;:,!?…—-]\s*)(?:correction|edit)\s?:|\b(?:no,? wait|wait,? no|hold on|oh no|"
    r"(?:scratch|strike|forget|disregard) (?:that|this|it)|"
    r"(?:take|withdraw|retract) (?:that|this|it)(?: back)?|my (?:mistake|bad)|sorry|apologies|"
    r"excuse me|oops|i mean[t]?|i (?:mis\w+|slipped)|changed my mind|on (?:reflection|second thoughts?)|"
    r"let me (?:correct|recompute|recalculate|rephrase)(?: (?:that|this|it))?|no longer stand by (?:that|this|it)|"
    r"was (?:an error|a mistake|wrong)|so i (?:claimed|thought)[^;.]*|(?:first|1st) (?:idea|thought|guess))\b",
    re.IGNORECASE,
)
_NAME = r"[^\W\d_a-zß-öø-ÿ]\w+(?:[ -](?:de |la |of )?[^\W\d_a-zß-öø-ÿ]\w+)*"
_BUT_IS = re.compile(
    r"\b(?:but|aber|mais|pero|ma|maar|mas)\b (?:(?:it|that|this)(?:['’]s| is| was) (?:actually|really|in fact)|"
    r"(?P<topic>[^.,;]*?) (?:is|was|are|ist|war|est|es|è|era|é)(?: actually| really| only)?)"
    rf" (?:the |la |il |der |die )?(?P<name>{_NAME})[.!]?$"
)
_SETTLED = 20  # Words of an answer that settles on a name.
_LONGEST, _LONGEST_ANSWER = 12, 100  # Words after the correction of an answer that is right, and of an answer.


def compare_correction(texts: Texts) -> bool | None:
    """Return whether an answer that corrects itself ends up with the reference; None if that is not certain.

    >>> compare_correction(Texts("", "The Loire. No, wait, the Seine.", "Loire"))
    False
    >>> compare_correction(Texts("", "112... sorry, 102.", "102")), compare_correction(Texts("", "Sorry, 102", "102"))
    (True, None)
    """
    if texts.length > _LONGEST_ANSWER:
        return None
    text, reference_words = texts.answer_values.text, exact_words(texts.reference_values.text)
    corrections = [*_CORRECTION.finditer(text)]
    if not corrections or not reference_words:
        return None
    before, after = text[: corrections[-1].start()], text[corrections[-1].end() :]
    named = reference_words[-1:] if texts.reference.istitle() else reference_words
    first, last = (contains(exact_words(part), named) for part in (before, after))
    new = {*exact_words(after)} - {*exact_words(before)} - FILLERS - texts.question_words
    if first and not last:
        return False if new and not negated(before) else None
    short = last and exact_words(before) and len(exact_words(after)) <= _LONGEST
    return True if short and not first and not negated(after.partition(texts.reference_values.text)[0]) else None


@lru_cache(maxsize=1 << 8)
def concludes(answer: str) -> bool:
    """Return whether an answer gives a name after "but"."""
    return answer.count(" ") <= _SETTLED and not takes_back(answer) and _BUT_IS.search(answer) is not None


def compare_conclusion(texts: Texts) -> bool | None:
    """Return whether the name that an answer gives after "but" is the reference; None for another answer.

    >>> compare_conclusion(Texts("", "Many say Sydney, but it's actually Canberra.", "Canberra"))
    True
    """
    match = _BUT_IS.search(texts.answer)
    if not match or not texts.reference[:1].isupper():
        return None
    before, topic, name = map(exact_words, (texts.answer[: match.start()], match["topic"] or "", match["name"]))
    new = {*map(singular, topic)} - {*map(singular, before)} - FILLERS
    about_it = not topic or not texts.question_words.isdisjoint(new)
    if not about_it or not texts.question_words.isdisjoint(name):
        return None
    reference = exact_words(texts.reference)
    other = contains(before, reference) and {*name}.isdisjoint(reference)
    return True if name == reference else False if other and topic else None
