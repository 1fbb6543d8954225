"""Compare numbers, quantities with units, and names with a number.

"3,400 keV" equals "3.4 MeV", and "Apollo XI" names "Apollo 11".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._shared.words import exact_words
from .numbers import WrittenNumber, equal
from .phrases import alternatives, negated, rest, singular
from .reading import Comparison, Mention, Texts, value_of_roman
from .text import word_set
from .units import converted, readable, same_unit

_COUNTED = re.compile(
    r"\b(?:how many|number of|wie ?viele|combien d[e'’]|cu[aá]nt[oa]s|quant[ie])\s*((?:[^\W\d_]+[ -]?){1,4})",
    re.IGNORECASE,
)
_NO_NOUN = word_set("of the are is do does did in were was have has there")
_NOT_AFTER = _NO_NOUN | word_set("and or to for with on at from by per but as that which")
_NUMBERED = re.compile(r"\b(?:number|chapter|act|volume|part|numeral|book|section)\b", re.IGNORECASE)
_RESULT = re.compile(
    r"(?:\b(?:so|total(?:ing|s)?|altogether|overall|therefore|thus|makes|equals|gives|leaves|that(?:'s| is)|"
    r"answer is|which is)\b|=)[^\d=]{0,12}$",
    re.IGNORECASE,
)
_DIRECT = re.compile(r"\W*(?:(?:it|that|this)(?:['’]s| is| was| would be) (?:about )?)?", re.IGNORECASE)
_FALLS = re.compile(
    r"\b(?:f[ae]ll(?:en|s)?|dropp?(?:ed|s)?|decreased?|declined?|down|shrank|loss of|lost|minus)(?: by)?\W*$"
)
_PER = re.compile(r"\b(?:per|an?|each|every) (sec|second|minute|hour|day|week|month|year|person)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|began|ist|sind|est|sont|es|son|è|sono)\b")
_TEMPERATURES = frozenset({"degC", "degF", "kelvin"})
_POUNDS = frozenset({"GBP", "pound"})  # "pounds" may be money.
_LONGEST_REFERENCE = 80  # Characters.
_MOST_SPACES = 8  # Spaces in a reference.
_LONGEST_NAME, _SENTENCE, _PARAGRAPH = 4, 8, 25  # Words of a name, and of an answer.
_MOST_WORDS, _MOST_NEW_WORDS = 3, 2  # Words around a reference's number: all, and those that the question lacks.


def wanted_number(texts: Texts) -> Mention | None:
    """Return the reference's number, if the reference is a single number, quantity, or a name with a number.

    >>> wanted_number(Texts("Which chapter?", "", "XIV")).number.value
    14
    """
    text = texts.reference.strip(" .")
    if (value := value_of_roman(text)) is not None and (len(text) > 1 or _NUMBERED.search(texts.question)):
        return Mention(WrittenNumber(value, value, 1.0, integer=True))
    if texts.long or len(text) > _LONGEST_REFERENCE or len(texts.reference_values.numbers) != 1:
        return None
    return texts.reference_values.numbers[0]


def compare_number(texts: Texts, wanted: Mention) -> Comparison:
    """Compare the numbers in the answer with the reference's number.

    Args:
        texts: The texts.
        wanted: The reference's number.
    """
    before, after = texts.reference_values.text[: wanted.start], texts.reference_values.text[wanted.end :]
    if _VERB.search(after) or texts.reference_values.text.count(" ") > _MOST_SPACES:
        return Comparison(wanted.kind)
    words = rest(texts.reference_values.text, wanted.start, wanted.end) if wanted.end else []
    if (words and wanted.ordinal) or set(words) & set(exact_words(before)):
        return _compare_name(texts, wanted, words)
    new = set(words) - set(exact_words(texts.question))
    following = next(iter(after.split()), "") if wanted.end else ""
    title = following[:1].isupper() and following not in texts.question.split()
    if len(words) > _MOST_WORDS or len(new) > _MOST_NEW_WORDS or title:
        return Comparison(wanted.kind)
    return _compare_quantity(texts, wanted, words)


def _compare_name(texts: Texts, wanted: Mention, words: Sequence[str]) -> Comparison:
    """Compare a name with a number, such as Apollo 11 or the 14th Amendment."""
    if wanted.unit or len(words) > _LONGEST_NAME or wanted.number.is_range or not wanted.number.integer:
        return Comparison(wanted.kind)
    text, names = texts.answer_values.text, _singulars(words)
    whole = [one for one in texts.answer_values.numbers if one.number.integer and not negated(text[: one.start])]
    near = [one for one in whole if _around(text, one) & names]
    if not near and texts.short:
        near = [one for one in whole if not rest(text, one.start, one.end)]
    answer = "; ".join(text[one.start : one.end].strip() for one in near)
    verdicts = {one.number.value == wanted.number.value for one in near}
    if len(verdicts) != 1:
        return Comparison("number", None, answer)
    same = verdicts.pop()
    named = set(words) - {"no", "number"} <= set(texts.answer_words) or not rest(text, near[0].start, near[0].end)
    return Comparison("number", same if named or not same else None, answer)


def _compare_quantity(texts: Texts, wanted: Mention, words: Sequence[str]) -> Comparison:
    """Compare a number or quantity, with the words around it, with the numbers of the answer."""
    text = texts.answer_values.text
    given = [_signed(text, one, wanted) for one in texts.answer_values.numbers if not negated(text[: one.start])]
    if len(given) > 1 or not texts.short or _COUNTED.search(texts.question):
        given = [one for one in given if one.ordinal == wanted.ordinal]
    if "pair" not in _singulars(words) | texts.question_words:
        given = [one for one in given if singular(one.noun) != "pair"]  # 23 pairs are not 23.
    found = _compared(texts, wanted, given)
    if not found:
        other_unit = len(given) == 1 and given[0].unit and wanted.unit and given[0].number == wanted.number
        return Comparison(wanted.kind, False if other_unit else None)
    hedges = alternatives(text, [(one.start, one.end) for one, _ in found], [same for _, same in found])
    answer = "; ".join(_shown(text, one, wanted.unit) for one, _ in found)
    return Comparison(wanted.kind, _verdict(texts, wanted, words, found, hedges), answer, hedges)


def _verdict(
    texts: Texts, wanted: Mention, words: Sequence[str], found: Sequence[tuple[Mention, bool]], hedges: bool
) -> bool | None:
    """Return whether the answer has the reference's number, by the verdicts on each of its numbers."""
    if _counts_other_things(texts, found[0][0], words):
        return None
    verdicts = [same for _, same in found]
    rates = [set(_PER.findall(values.text.lower())) for values in (texts.reference_values, texts.answer_values)]
    if not wanted.unit and rates[0] != rates[1] and all(rates):
        return False if all(verdicts) else None
    if hedges:
        return False
    if len(set(verdicts)) > 1:
        return _of_several(texts, found, words)
    return verdicts[0] if verdicts[0] or _is_sure(texts, wanted, [one for one, _ in found], words) else None


def _signed(text: str, one: Mention, wanted: Mention) -> Mention:
    """Return a number with a sign if a word gives it: -3.2% for "fell by 3.2%"."""
    falls = wanted.number.value < 0 < one.number.value and _FALLS.search(text[: one.start])
    return replace(one, number=one.number.scaled(-1)) if falls else one


def _compared(texts: Texts, wanted: Mention, given: Sequence[Mention]) -> list[tuple[Mention, bool]]:
    """Return the answer's numbers that may be the one that is asked for, and whether they are the reference's."""
    asked = {(one.number.value, one.unit) for one in texts.question_values.numbers}
    compared = [(one, same) for one in given if (same := _same(one, wanted, texts)) is not None]
    # A number that repeats one of the question, or a year where none is asked for, is incidental.
    kept = [
        (one, same)
        for one, same in compared
        if (same or wanted.year or not one.year)
        and ((one.number.value, one.unit) not in asked or (same and one.unit == wanted.unit))
    ]
    return compared if not kept and len(compared) == 1 and texts.short else kept


def _counts_other_things(texts: Texts, one: Mention, words: Sequence[str]) -> bool:
    """Return whether a short answer has another noun than the reference, such as "2 spades" for "2 clubs"."""
    asked = exact_words(texts.question)
    named = texts.short and one.noun and one.noun not in _NOT_AFTER and not set(words) <= set(asked)
    return bool(named) and singular(one.noun) not in _singulars((*words, *asked))


def _of_several(texts: Texts, found: Sequence[tuple[Mention, bool]], words: Sequence[str]) -> bool | None:
    """Return the verdict on the number that the question asks for, among several that differ."""
    text = texts.answer_values.text
    results = [same for one, same in found if _RESULT.search(text[max(0, one.start - 40) : one.start])]
    if results:
        return results[-1]
    nouns = _singulars((*words, *_counted(texts.question)))
    close = {same for one, same in found if _nouns(text, one) & nouns}
    if len(close) == 1:
        return close.pop()
    first, same = found[0]
    return True if same and not exact_words(text[: first.start]) else None


def _is_sure(texts: Texts, wanted: Mention, found: Sequence[Mention], words: Sequence[str]) -> bool:
    """Return whether other numbers than the reference's show that an answer is wrong."""
    length, alone = texts.length, len(found) == 1
    if length > _PARAGRAPH:
        return False
    nouns = _singulars((*words, *_counted(texts.question)))
    about_it = any(_nouns(texts.answer_values.text, one) & nouns for one in found)
    measured = alone and bool(wanted.unit and found[0].unit)
    before = texts.answer_values.text[max(0, found[-1].start - 40) : found[-1].start]
    result = _RESULT.search(before) or (alone and _DIRECT.fullmatch(before))
    return (alone and length <= _SENTENCE) or about_it or measured or bool(result)


def _same(one: Mention, wanted: Mention, texts: Texts) -> bool | None:
    """Return whether two numbers are the same; None if they measure different things."""
    if one.bound != wanted.bound:
        return False if one.bound and wanted.bound else None
    if wanted.unit and one.unit:
        return _compare_measure(one, wanted, texts)
    vague = one.number.approximate and wanted.number.integer and not wanted.number.approximate
    if vague and one.number.value != wanted.number.value:
        return None  # "about 7,500" for 7,585
    same = equal(one.number, wanted.number, texts.tolerance)
    if "percent" in (one.unit, wanted.unit):
        share = equal(one.number.scaled(0.01 if one.unit else 100), wanted.number, texts.tolerance)
        if share or not (wanted if one.unit else one).number.integer:
            return share  # 0.125 and 12.5%
    if one.unit or wanted.unit:
        return _compare_without_unit(one, wanted, same, texts)
    return same


def _compare_measure(one: Mention, wanted: Mention, texts: Texts) -> bool | None:
    """Return whether two quantities are the same; None if they measure different things."""
    money = {one.unit, wanted.unit} == _POUNDS
    number = one.number if money else converted(one.number, one.unit, wanted.unit)
    if one.unit == "degree" and wanted.unit in _TEMPERATURES:
        return equal(one.number, wanted.number, texts.tolerance) or None
    if number is None:
        return None
    if one.unit != wanted.unit and wanted.unit in _TEMPERATURES:
        return abs(number.value - wanted.number.value) <= max(0.5, 0.01 * abs(wanted.number.value))
    return equal(number, wanted.number, texts.tolerance)


def _compare_without_unit(one: Mention, wanted: Mention, same: bool, texts: Texts) -> bool | None:
    """Return the verdict if only one number has a unit. They are equal only if the question names the unit."""
    text, measured = (texts.answer_values.text, one) if one.unit else (texts.reference_values.text, wanted)
    words = _singulars(exact_words(text[measured.start : measured.end]))
    named = words & texts.question_words or any(same_unit(measured.unit, unit) for unit in texts.asked_units)
    if same or one.unit:
        return same if named else None
    return None if one.noun and one.noun not in _NOT_AFTER else False  # it may be a unit that is not known


def _shown(text: str, one: Mention, unit: str) -> str:
    """Return a number as it is written, with its value in another unit."""
    written = text[one.start : one.end].strip()
    other = converted(one.number, one.unit, unit) if unit and one.unit not in {"", unit} else None
    return written if other is None else f"{written} ({other.value:.4g} {readable(unit)})"


def _singulars(words: Iterable[str]) -> set[str]:
    return {singular(word) for word in words}


def _around(text: str, one: Mention) -> set[str]:
    """Return the two words before and after a number."""
    before, after = exact_words(text[max(0, one.start - 30) : one.start]), exact_words(text[one.end : one.end + 30])
    return _singulars(before[-2:] + after[:2])


def _nouns(text: str, one: Mention) -> set[str]:
    """Return the words of a number's unit and the three words after it, which may include its noun."""
    unit = re.findall(r"[^\W\d_]+", text[one.start : one.end].lower())
    return _singulars(unit + re.findall(r"[^\W\d_]+", text[one.end : one.end + 40].lower())[:3])


def _counted(question: str) -> list[str]:
    """Return what a question counts: "bones" for "How many bones are there?"."""
    found = _COUNTED.search(question)
    return [word for word in (found[1].lower().split() if found else []) if word not in _NO_NOUN][:2]
