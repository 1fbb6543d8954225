"""Compare references with numbers: formulas, dates, times, ratios, lists, and single numbers or quantities."""

import re
from dataclasses import replace
from itertools import pairwise

from .._shared.words import exact_words
from .comparison import Comparison, Rule, Texts, first_verdict
from .date_rules import compare_century, compare_date, compare_days, compare_period
from .formulas import compare_formula, constant, may_be_constant
from .list_rules import compare_list, compare_points
from .lists import is_list
from .numbers import WrittenNumber, equal
from .other_numbers import has_other_number
from .phrases import ends_in_negation
from .reading import Mention, Values, has_value
from .single_numbers import compare_number, two_forms, wanted_number
from .text import VOWEL_SIGNS, plain
from .time_rules import compare_appointment, compare_hours, compare_time
from .units import convert, same_unit, unit_at
from .word_tables import WORDS, pattern_of

_LISTED = re.compile(r"[,;&\n、，・]| (?:and|or|und|et|y|e) |[–-] ")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_YEAR = re.compile(r"\d{3,4}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_RATIO = re.compile(
    r"(?<![\d.,:/-])(\d{1,9}|\d{1,3}(?:,\d{3})+)(?: parts?(?: \w+)?)?\s?(?:[:–-]|to)\s?"
    r"(\d{1,9}|\d{1,3}(?:,\d{3})+)(?![\d:/×-]|[.,]\d)"
)
_BY = re.compile(r"\s*(?:[×xX*]|by)\s*")
_RATIO_OF = re.compile(r"\bratio of (\w+) to (\w+)|\b(\w+)-to-(\w+) ratio")
_PARTS = re.compile(r"(\d+) parts? (?:of )?(\w+)")
_PLURAL = re.compile("e?s*$")
_UNITS = re.compile(r"\s(?:square |cubic |sq\.? )?units?\W*$")
_CONSTANT = re.compile(r"(.*?(?:[\dπ)]|pi))(?:\s+(?!sqrt|rad|pi\b)([^\W\d_].*))?$")
_EQUALS = re.compile(r"\b(?:is|equals|are)\b|[=:#]")
_APPROXIMATION = re.compile(r"(?:≈|~|,?(?: or| is)?\s?(?:about|approximately) )\s*[\d.]+.*$")
_AMBIGUOUS = re.compile(r"log|sin|cos|tan|sec|csc|cot")  # of degrees, or to another base
_LONG = 8  # Words.
_ASKS_NOTATION = re.compile(rf"\b(?:in|as|into|to) (?:an? )?(?:{pattern_of('notation')})\b|^compute\b", re.IGNORECASE)
# Words that change a value in a way that no rule reads, such as "more than" and "quarter to", by language.
_UNREAD = {
    language: re.compile(rf"(?<![\w{VOWEL_SIGNS}])(?:{words})(?![\w{VOWEL_SIGNS}])")
    for language, kind, _, words in WORDS
    if kind == "unread"
}
_WHERE = re.compile(r"\W*where\b", re.IGNORECASE)


def may_be_value(reference: str) -> bool:
    """Return whether a reference may have a number or date, or be a list."""
    # Schedules of cron, such as "*/5 * * * *", have several forms.
    return "* *" not in reference and (has_value(reference) or _LISTED.search(reference) is not None)


def compare_number_or_date(texts: Texts) -> Comparison | None:
    """Compare a reference that may have a number, by the first rule that applies."""
    reference, asked = texts.reference, texts.question.split()
    if _ASKS_NOTATION.search(texts.question) and texts.answer.strip(" .$") in asked and reference not in asked:
        return Comparison("number", False)  # "1994" for "MCMXCIV"
    unread = _UNREAD.get(texts.language[0])
    if unread and unread.search(texts.answer.lower()) and not unread.search(reference.lower()):
        return Comparison("number")
    # The answer to "where" is a place, even if the reference has a number.
    place = _WHERE.match(texts.question) and (_LETTERS.search(reference) or _YEAR.fullmatch(reference))
    return first_verdict((_LIST,) if place or not has_value(reference) else _RULES, texts)


def _is_same_text(texts: Texts) -> Comparison | None:
    """Compare texts that are the same with digits for number words: "World War II" and "world war two"."""
    numbers = texts.reference_values.numbers
    if not numbers:
        return None
    words = exact_words(texts.reference)
    if len(words) > _LONG and 2 * sum(word in texts.answer_words for word in words) < len(words):
        return None  # Most words of a long text are no number words.
    answer, reference = (
        _THOUSANDS.sub("", values.text.lower().strip(" .")) for values in (texts.answer_values, texts.reference_values)
    )
    same_units = [mention.unit for mention in numbers] == [mention.unit for mention in texts.answer_values.numbers]
    return Comparison(numbers[0].kind, True) if answer == reference and same_units else None


def _has_other_integers(texts: Texts) -> bool:
    """Return whether texts have the same words but different integers: "2 pens and 1 cup" and "2 pens and 3 cups"."""
    values = texts.reference_values, texts.answer_values
    mentions = [mention for found in values for mention in found.numbers]
    if len(values[0].numbers) < 2 or not all(mention.number.integer for mention in mentions):  # noqa: PLR2004
        return False
    words = [[_PLURAL.sub("", word) for word in exact_words(found.text) if not word.isdigit()] for found in values]
    integers = [sorted(mention.number.value for mention in found.numbers) for found in values]
    return words[0] == words[1] != [] and len(integers[0]) == len(integers[1]) and integers[0] != integers[1]


def _compare_formula(texts: Texts) -> bool | None:
    measured = any(mention.unit for mention in texts.reference_values.numbers)
    measured = measured or any(_constant_and_unit(text)[1] for text in (texts.reference, texts.answer))
    return None if measured else compare_formula(texts.answer, texts.reference)


def _constant_and_unit(text: str) -> tuple[float | None, str]:
    """Return the value of a text that is a constant, and the unit at its end: "36π cm^3"."""
    match = _CONSTANT.match(_UNITS.sub("", plain(text)).strip(" .*$")) if may_be_constant(text) else None
    unit, length = unit_at(match[2] or "") if match else ("", 0)
    return (constant(match[1]), unit) if match and length == len(match[2] or "") else (None, "")


def _compare_constant(texts: Texts) -> Comparison | None:
    """Compare a number with a constant such as 12π."""
    answer = _APPROXIMATION.sub("", plain(texts.answer)) if may_be_constant(texts.reference) else plain(texts.answer)
    (said, unit), (wanted, asked) = map(_constant_and_unit, (_EQUALS.split(answer)[-1], texts.reference))
    if said is None and wanted is None:
        return None
    alike = not (unit and asked) or same_unit(unit, asked)
    number, reference = _exact(said, texts.answer_values, asked), _exact(wanted, texts.reference_values, unit)
    if not number or not reference or not alike or (said is None and may_be_constant(texts.answer)):
        return Comparison("formula")
    same = equal(number, reference, texts.tolerance)
    return Comparison("formula", same or (None if _AMBIGUOUS.search(f"{texts.reference} {texts.answer}") else False))


def _exact(value: float | None, values: Values, unit: str) -> WrittenNumber | None:
    """Return the value of a constant, or the only number of a text without a constant, if it has no other unit."""
    if value is not None:
        return WrittenNumber(value, value, 0.0)
    mention = values.numbers[0] if len(values.numbers) == 1 else None
    return mention.number if mention and mention.unit in {"", unit} else None


def _compare_ratio(texts: Texts) -> bool | None:
    """Compare ratios and scores, such as 3:2, if the answer has only one of them."""
    match = _RATIO.fullmatch(texts.reference.strip(" ."))
    if not match or texts.reference_values.times:
        return None
    found = match, *_RATIO.finditer(texts.answer_values.text)
    reference, *ratios = [tuple(number.replace(",", "") for number in ratio.groups()) for ratio in found]
    if len(ratios) != 1 or ends_in_negation(texts.answer):
        return None
    asked = _RATIO_OF.search(texts.question)
    if asked and (parts := dict(map(reversed, _PARTS.findall(texts.answer_values.text)))):
        numbers = tuple(parts.get(name) for name in asked.groups() if name)
        return None if None in numbers else numbers == reference
    # "One part cement to two parts sand" may name the things in another order than the question.
    (left, right), (first, second) = (map(int, ratio) for ratio in (reference, ratios[0]))
    return ratios[0] == reference or (None if "part" in texts.answer or left * second == right * first else False)


def _compare_dimensions(texts: Texts) -> bool | None:
    """Compare sizes such as "210 × 297 mm" and "21 cm by 29.7 cm", in the order of the reference."""
    reference, answer = map(_dimensions, (texts.reference_values, texts.answer_values))
    if len(reference) < 2 or len(answer) != len(reference) or ends_in_negation(texts.answer):  # noqa: PLR2004
        return None
    pairs = [
        (convert(mine.number, mine.unit, own.unit), own.number) for mine, own in zip(answer, reference, strict=True)
    ]
    if any(number is None for number, _ in pairs):
        return None
    same = all(number and equal(number, own, texts.tolerance) for number, own in pairs)
    reordered = sorted(number.value for number, _ in pairs if number) == sorted(own.value for _, own in pairs)
    return same or (None if reordered else False)


def _dimensions(values: Values) -> list[Mention]:
    """Return the only chain of numbers with "×" or "by" between them, with the last unit where one is missing."""
    chain = list(values.numbers)
    joints = [values.text[first.end : second.start] for first, second in pairwise(chain)]
    if not joints or not all(map(_BY.fullmatch, joints)) or any(mention.number.is_range for mention in chain):
        return []
    return [replace(mention, unit=mention.unit or chain[-1].unit) for mention in chain]


def _compare_list(texts: Texts) -> Comparison | None:
    listed = _LISTED.search(texts.reference) and is_list(texts) and not texts.reference_values.is_range
    return Comparison("list", compare_list(texts)) if listed else None


def _compare_single_value(texts: Texts) -> Comparison | None:
    """Compare a reference with a single number, or with two forms of one quantity, such as "10 ft (3.05 m)"."""
    forms = two_forms(texts)
    if forms:
        comparisons = [compare_number(form, number) for form in forms if (number := wanted_number(form))]
        return max(comparisons, key=lambda comparison: comparison.equal is True, default=None)
    number = wanted_number(texts)
    comparison = compare_number(texts, number) if number else Comparison("number")
    if comparison.equal is None and has_other_number(texts):
        return replace(comparison, equal=False, may_contain_reference=False)
    return comparison if number else None


_LIST = Rule("list", _compare_list)
_RULES = (
    Rule("number", _is_same_text),
    Rule("formula", _compare_formula),
    Rule("formula", _compare_constant),
    Rule("date", compare_days),
    Rule("date", compare_century, most_spaces=2),
    Rule("date", compare_period),
    Rule("date", compare_date),
    Rule("time", compare_time),
    Rule("time", compare_hours),
    Rule("time", compare_appointment),
    Rule("number", _compare_ratio),
    Rule("quantity", _compare_dimensions, most_spaces=6),
    Rule("list", compare_points),
    _LIST,
    Rule("number", lambda texts: False if _has_other_integers(texts) else None),
    Rule("number", _compare_single_value),
)
