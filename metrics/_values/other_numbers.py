"""Find answers that are the reference with another number: "won 3-2" for "won 3-1"."""

from dataclasses import replace

from .comparison import Texts
from .dates import Date, agrees
from .numbers import equal
from .phrases import FILLERS, WORD, ends_in_negation, singular
from .reading import Mention, Values
from .units import convert
from .word_tables import word_set

_VAGUE = word_set("about around approximately roughly nearly almost circa over under least most more less than")
_MOST_VALUES, _MORE_WORDS = 6, 2
_LONGER = 3  # Characters of an answer, as a multiple of those of the reference.


def has_other_number(texts: Texts) -> bool:
    """Return whether an answer has the words of the reference, in the same order, but another number or date.

    >>> has_other_number(Texts("", "Sales rose 12% to $3 million", "Sales rose by 12% to $3 billion"))
    True
    >>> has_other_number(Texts("", "Lyon 1, Paris 3", "Paris 3, Lyon 1"))
    False
    """
    values = texts.reference_values
    if not (values.numbers or values.dates) or len(texts.answer) > _LONGER * len(texts.reference):
        return False
    words, lower = _words(values), texts.answer.lower()
    if not words or not all(word in lower for word in words) or ends_in_negation(texts.answer):
        return False
    said = _words(texts.answer_values)
    kept = [word for word in said if word in words]
    if kept != words or len(said) > len(words) + _MORE_WORDS or not _VAGUE.isdisjoint(said):
        return False
    reference_values, answer_values = _values(values), _values(texts.answer_values)
    if not 0 < len(reference_values) == len(answer_values) <= _MOST_VALUES:
        return False
    verdicts = [_differ(*pair, texts.tolerance) for pair in zip(answer_values, reference_values, strict=True)]
    return None not in verdicts and True in verdicts


def _values(values: Values) -> list[Mention | Date]:
    """Return the dates, the numbers and the bounds of ranges in a text, in order."""
    mentions: list[Mention | Date] = [date for date in values.dates if not date.only_year]
    for mention in values.numbers:
        bounds = sorted({mention.number.value, mention.number.high})
        mentions += [replace(mention, number=replace(mention.number, value=bound, high=bound)) for bound in bounds]
    return sorted(mentions, key=lambda mention: mention.start)


def _differ(answer: Mention | Date, reference: Mention | Date, tolerance: float | None) -> bool | None:
    """Return whether two values differ; None if that is not certain."""
    if isinstance(answer, Date) or isinstance(reference, Date):
        if not (isinstance(answer, Date) and isinstance(reference, Date)) or answer.precision != reference.precision:
            return None
        same = agrees(answer, reference)
        return None if same is None else not same
    if bool(answer.unit) != bool(reference.unit) or answer.bound != reference.bound:
        return None
    number = convert(answer.number, answer.unit, reference.unit)
    return None if number is None else not equal(number, reference.number, tolerance)


def _words(values: Values) -> list[str]:
    text = values.text
    found: list[Mention | Date] = [*values.numbers, *values.dates]
    for value in found:
        text = f"{text[: value.start]}{' ' * (value.end - value.start)}{text[value.end :]}"
    return [singular(word) for word in WORD.findall(text.lower()) if word not in FILLERS or word in _VAGUE]
