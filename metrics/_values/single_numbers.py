"""Compare an answer with a reference that is a single number, a quantity, or a name with a number.

"There are about 206" has the number of "206 bones", and "Apollo XI" names "Apollo 11".
"""

import re
from collections.abc import Sequence

from .._shared.words import exact_words
from .comparison import Comparison, Texts
from .frequencies import MAY_BE_FREQUENCY
from .number_directions import has_opposite_direction, is_reversed, with_sign
from .number_selection import PARAGRAPH, affirmed, compare_asked_numbers, counts_other_things, is_sure, select_verdict
from .numbers import WrittenNumber
from .phrases import NEGATION, are_alternatives, rest, singular, singulars
from .quantities import COUNTED, may_mean_same
from .reading import Mention, read, value_of_roman
from .units import convert, readable, same_unit

_NUMBERED = re.compile(r"\b(?:number|chapter|act|volume|part|numeral|book|section)\b", re.IGNORECASE)
_DIGIT, _CODE = re.compile(r"\d"), re.compile(r"0\d+")
# A word before a number. It does not matter if reference and answer have the same one.
_LEAD = re.compile(r"\b(after|within|every|each) (?=\d)")
_PER = re.compile(r"\b(?:per|an?|each|every) (sec|second|minute|hour|day|week|month|year|person)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|began|ist|sind|est|sont|es|son|è|sono)\b")
_NAME = re.compile(r" ([A-Z][a-z]\w*)")
_OF_THEM = re.compile(r"\sof (?:them|it|these|those|all|the (?:total|whole))\b", re.IGNORECASE)
_NONE = re.compile(
    r"\W*(?:none|zero|no[ -]?(?:body|one)(?! (?:knows|can|is sure)))\b|(?:\W*(?:no|not (?:a single|any))|"
    r".{0,40}\b(?:(?:has|have|had|is|are|was|were) no|\w+n['’]t (?:have )?any))\b(?: (?P<noun>\w+))?",
    re.IGNORECASE,
)
_ASKS_RANGE = re.compile(r"\b(?:range|interval|between (?:what|which))\b", re.IGNORECASE)
_WHOLE = re.compile(r"\bhow many (?:\w+ )?of (?:the|these|those|its|his|her|their|our) (\w+)", re.IGNORECASE)
_EVERY = re.compile(
    r"\W*(?:(?P<none>none|not (?:one|a single one))|all|each|every(?:one|body)?|(?:they|we) all)\b"
    r"(?!.*\b(?:but|except|only|nearly)\b)",
    re.IGNORECASE,
)
_SECOND_FORM = re.compile(r"\s*(?:\(|=|≈|/|,? or )\s*(?:or |about |approx\w*\.? |ca?\. |~|≈|= ?)?")
_SAME_QUANTITY = 0.05  # Relative difference of two forms of one quantity.
_MOST_SPACES = 8  # Spaces in a reference.
_LONGEST_NAME = 4  # Words.
_MOST_WORDS, _MOST_NEW_WORDS = 3, 2  # Words around a reference's number: all, and those that the question lacks.


def wanted_number(texts: Texts) -> Mention | None:
    """Return the reference's number, if the reference is a single number, quantity, or a name with a number.

    >>> wanted_number(Texts("Which chapter?", "", "XIV")).number.value
    14
    """
    text = texts.reference.strip(" .")
    if (value := value_of_roman(text)) is not None and (len(text) > 1 or _NUMBERED.search(texts.question)):
        return Mention(WrittenNumber(value, value, 1.0, integer=True))
    days = any(date.day for date in texts.reference_values.dates)  # "5 to 12 March"
    if days or texts.reference_values.times or len(texts.reference_values.numbers) != 1:
        return None
    (number,), whole = texts.reference_values.numbers, texts.reference_values.text
    # "6 - 5i" is more than a number, and "02139" is a code.
    more = _DIGIT.search(whole[: number.start] + whole[number.end :]) or _CODE.fullmatch(text)
    return None if more else number


def two_forms(texts: Texts) -> list[Texts]:
    """Return the texts with each form of a reference that gives a quantity twice; empty for another reference.

    >>> [form.reference for form in two_forms(Texts("How high?", "3 m", "10 ft (3.05 m)"))]
    ['10 ft', '3.05 m']
    """
    text, numbers = texts.reference_values.text, texts.reference_values.numbers
    if len(numbers) != 2 or not _SECOND_FORM.fullmatch(text[numbers[0].end : numbers[1].start]):  # noqa: PLR2004
        return []
    first, second = numbers
    value = convert(first.number, first.unit, second.unit) if first.unit and second.unit else None
    low, high = second.number.value * (1 - _SAME_QUANTITY), second.number.high * (1 + _SAME_QUANTITY)
    if text[: first.start].strip() or text[second.end :].strip(" )") or not (value and low <= value.value <= high):
        return []
    return [
        Texts(texts.question, texts.answer, text[form.start : form.end].strip(), texts.tolerance) for form in numbers
    ]


def compare_number(texts: Texts, reference: Mention) -> Comparison:
    """Compare the numbers in the answer with the reference's number."""
    before, after = texts.reference_values.text[: reference.start], texts.reference_values.text[reference.end :]
    said = texts.answer_values.numbers
    negative = any(mention.number.value < 0 for mention in said)
    below = reference.number.value < 0 and not negative and "below" in texts.answer  # "86 m below sea level"
    ranges = any(mention.number.is_range for mention in said)
    of_them = _OF_THEM.match(after) and all(mention.number.integer and not mention.unit for mention in said)
    in_range = of_them or (reference.number.is_range and not ranges and _ASKS_RANGE.search(texts.question))
    # "30" for "three quarters of them", and "7" for "5-10"
    if in_range or below or _VERB.search(after) or texts.reference_values.text.count(" ") > _MOST_SPACES:
        return Comparison(reference.kind)
    words = rest(texts.reference_values.text, reference.start, reference.end) if reference.end else []
    leads = frozenset() if NEGATION.search(texts.answer) else frozenset(_LEAD.findall(texts.answer_values.text.lower()))
    words = [word for word in words if word not in leads and not (reference.bound and word in {"no", "not"})]
    reverses = texts.length <= PARAGRAPH and is_reversed(texts, reference, exact_words(f"{before} {after}"))
    if reverses is not False:
        return Comparison(reference.kind, False if reverses else None)
    if words and reference.ordinal and reference.number.value == 1 and not after.strip():
        return Comparison(reference.kind)  # "The tortoise came first"
    if (words and reference.ordinal) or set(words) & set(exact_words(before)):
        return _compare_numbered_name(texts, reference, words)
    new = set(words) - set(exact_words(texts.question))
    following = next(iter(after.split()), "") if reference.end else ""
    title = following[:1].isupper() and following not in texts.question.split()
    if len(words) > _MOST_WORDS or len(new) > _MOST_NEW_WORDS or title:
        return Comparison(reference.kind)
    return _compare_quantity(texts, reference, words)


def _compare_numbered_name(texts: Texts, reference: Mention, words: Sequence[str]) -> Comparison:
    """Compare a name with a number, such as Apollo 11 or the 14th Amendment."""
    if reference.unit or len(words) > _LONGEST_NAME or reference.number.is_range or not reference.number.integer:
        return Comparison(reference.kind)
    text, names = texts.answer_values.text, singulars(words)
    integers = [mention for mention in affirmed(texts, texts.answer_values.numbers) if mention.number.integer]
    near = [mention for mention in integers if _around(text, mention) & names]
    if not near and texts.short:
        near = [mention for mention in integers if not rest(text, mention.start, mention.end)]
    answer = "; ".join(text[mention.start : mention.end].strip() for mention in near)
    if any(mention.bound != reference.bound or _has_more_name(text, mention, words) for mention in near):
        return Comparison("number", None, answer)
    verdicts = {mention.number.value == reference.number.value for mention in near}
    if len(verdicts) != 1:
        return Comparison("number", None, answer)
    same = verdicts.pop()
    named = set(words) - {"no", "number"} <= set(texts.answer_words) or not rest(text, near[0].start, near[0].end)
    return Comparison("number", same if named or not same else None, answer)


def _has_more_name(text: str, mention: Mention, words: Sequence[str]) -> bool:
    """Return whether a capitalized word that the reference lacks follows a number: "iPhone 12 Pro"."""
    following = _NAME.match(text, mention.end)
    return not mention.ordinal and following is not None and following[1].lower() not in words


def _around(text: str, mention: Mention) -> set[str]:
    """Return the two words before and after a number."""
    before, after = text[max(0, mention.start - 30) : mention.start], text[mention.end : mention.end + 30]
    return singulars(exact_words(before)[-2:] + exact_words(after)[:2])


def _compare_quantity(texts: Texts, reference: Mention, words: Sequence[str]) -> Comparison:
    """Compare a number or quantity, with the words around it, with the numbers of the answer."""
    text = texts.answer_values.text
    said = affirmed(texts, texts.answer_values.numbers)
    denied = {mention.number.value for mention in texts.answer_values.numbers if mention not in said}
    said = [mention for mention in said if mention.number.value not in denied] or said
    mentions = [with_sign(text, mention, reference, texts.question) for mention in said]
    if len(mentions) > 1 or not texts.short or COUNTED.search(texts.question):
        mentions = [mention for mention in mentions if mention.ordinal == reference.ordinal]
    if "pair" not in singulars(words) | texts.question_words:
        mentions = [mention for mention in mentions if singular(mention.noun) != "pair"]  # 23 pairs are not 23.
    compared = compare_asked_numbers(texts, reference, mentions)
    if not mentions and (comparison := _compare_quantifier(texts, reference, words)):
        return comparison
    if not compared:
        measured = [mention for mention in mentions if mention.unit and reference.unit]
        other_unit = len(mentions) == len(measured) == 1 and measured[0].number == reference.number
        other_unit = other_unit and not MAY_BE_FREQUENCY.search(f"{texts.reference} {texts.answer}")
        differs = other_unit and not same_unit(measured[0].unit, reference.unit)
        return Comparison(reference.kind, False if differs else None, may_contain_reference=True)
    spans = [(mention.start, mention.end) for mention, _ in compared]
    hedges = are_alternatives(text, spans, [same for _, same in compared])
    answer = "; ".join(_show(text, mention, reference.unit) for mention, _ in compared)
    rejects = len(said) < len(texts.answer_values.numbers) or len({same for _, same in compared}) > 1
    rejects = rejects or any(not same and _is_other_measure(mention, reference) for mention, same in compared)
    return Comparison(reference.kind, _verdict(texts, reference, words, compared, hedges), answer, hedges or rejects)


def _compare_quantifier(texts: Texts, reference: Mention, words: Sequence[str]) -> Comparison | None:
    """Compare "all of them" with the 12 of "the 12 jurors" in the question, and "none" with 0; None for other texts."""
    whole, every = _WHOLE.search(texts.question), _EVERY.match(texts.answer_values.text)
    counted = read(f"{whole[1]} of them").numbers if whole and every else ()
    if every and len(counted) == 1 and counted[0].number == reference.number:
        return Comparison(reference.kind, not every["none"])
    none = _NONE.match(texts.answer_values.text) if reference.number.value == 0 else None
    if not none:
        return None
    about_it = singulars(exact_words(none["noun"] or "")) <= texts.question_words | {*words}
    return Comparison(reference.kind, True if about_it else None)  # "No idea"


def _is_other_measure(mention: Mention, reference: Mention) -> bool:
    """Return whether a number has the reference's digits, but another unit or sign: "$5 a day" for "$5"."""
    return abs(mention.number.value) == abs(reference.number.value) != 0 and not mention.number.is_range


def _verdict(
    texts: Texts, reference: Mention, words: Sequence[str], compared: Sequence[tuple[Mention, bool]], hedges: bool
) -> bool | None:
    """Return whether the answer has the reference's number, by the verdicts on each of its numbers."""
    mentions, verdicts = zip(*compared, strict=True)
    if counts_other_things(texts, mentions[0], words):
        return None
    rates = [set(_PER.findall(values.text.lower())) for values in (texts.reference_values, texts.answer_values)]
    if not reference.unit and rates[0] != rates[1] and all(rates):
        return False if all(verdicts) else None
    if hedges:
        return False
    reverses = reference.number.is_range and len({mention.number for mention in mentions}) > 1  # "from 30 to 20"
    if reverses or len(set(verdicts)) > 1:
        return None if reverses else select_verdict(texts, compared, words)
    if verdicts[0]:
        return None if reference.number.value > 0 and has_opposite_direction(texts, reference) else True
    numbers = texts.answer_values.numbers
    bounds = [mention.number.value for mention in numbers if mention.bound and mention.unit in {"", reference.unit}]
    bounded = not reference.bound and reference.number.value in bounds  # "up to six"
    measured = len(mentions) == 1 and _is_other_measure(mentions[0], reference)
    return False if not bounded and (measured or is_sure(texts, reference, mentions, words)) else None


def _show(text: str, mention: Mention, unit: str) -> str:
    """Return a number as it is written, with its value in another unit."""
    written = text[mention.start : mention.end].strip()
    shows_other = unit and mention.unit not in {"", unit} and not may_mean_same(mention.unit, unit)
    other = convert(mention.number, mention.unit, unit) if shows_other else None
    return written if other is None else f"{written} ({round(other.value, 9) + 0.0:.4g} {readable(unit)})"
