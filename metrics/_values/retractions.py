"""Judge answers that correct themselves by what they say last: "The Loire. No, wait, the Seine."."""

import re

from .._shared.lexical import match as contains
from .._shared.words import exact_words
from .comparison import Texts
from .phrases import FILLERS, ends_in_negation
from .word_tables import pattern_of

_CORRECTION = re.compile(
    rf"(?:^|[.;:,!?…—-]\s*)(?:correction|edit)\s?:|\b(?:{pattern_of('correction')})\b", re.IGNORECASE
)
_LONGEST, _LONGEST_ANSWER = 12, 100  # Words after the correction of an answer that is right, and of an answer.


def compare_correction(texts: Texts) -> bool | None:
    """Return whether an answer that corrects itself ends up with the reference; None if that is not certain.

    >>> compare_correction(Texts("", "The Loire. No, wait, the Seine.", "Loire"))
    False
    >>> compare_correction(Texts("", "112... sorry, 102.", "102")), compare_correction(Texts("", "Sorry, 102", "102"))
    (True, None)
    """
    if texts.length > _LONGEST_ANSWER or not _CORRECTION.search(texts.answer):
        return None
    text, reference_words = texts.answer_values.text, exact_words(texts.reference_values.text)
    corrections = [*_CORRECTION.finditer(text)]
    if not corrections or not reference_words:
        return None
    before = text[: corrections[-1].start()] + (corrections[-1]["belief"] or "")
    after = text[corrections[-1].end() :]
    named = reference_words[-1:] if texts.reference.istitle() else reference_words
    first, last = (contains(exact_words(part), named) for part in (before, after))
    new = {*exact_words(after)} - {*exact_words(before)} - FILLERS - texts.question_words
    if first and not last:
        return False if new and not ends_in_negation(before) else None
    short = last and not first and exact_words(before) and len(exact_words(after)) <= _LONGEST
    return True if short and not ends_in_negation(after.partition(texts.reference_values.text)[0]) else None
