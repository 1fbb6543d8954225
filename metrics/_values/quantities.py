"""Compare two numbers or quantities, such as "3,400 keV" and "3.4 MeV", and names of units."""

import re

from .._shared.words import exact_words
from .comparison import Texts
from .numbers import equal
from .phrases import singulars
from .reading import Mention, Values
from .units import convert, same_unit
from .word_tables import word_set

COUNTED = re.compile(
    r"\b(?:how many|number of|wie ?viele|combien d[e'’]|cu[aá]nt[oa]s|quant[ie])\s*((?:[^\W\d_]+[ -]?){1,4})",
    re.IGNORECASE,
)
NO_NOUN = word_set("of the are is do does did in were was have has there")
NOT_NOUNS = NO_NOUN | word_set("and or to for with on at from by per but as that which")
_TEMPERATURES = frozenset({"degC", "degF", "kelvin"})
_PER_PERIOD = re.compile(r"^(.+)/\((\w+)\)$")  # "3% a year" is an interest rate of 3%.
_ASKS_PERIOD = re.compile(r"\b(?:hour|dai|day|week|month|year)", re.IGNORECASE)
_PERIODS = {"ann": "year", "yea": "year", "mon": "month"}
_ADVERB = re.compile(r"\b(?:annual|yearly|monthly) (?=(?:rent|salary|pay|income|payment|fee|cost)\b)", re.IGNORECASE)
_IDEOGRAPHS = "\u3005"  # Scripts from here on write units and nouns without a space.
_ASKS_WEIGHT = re.compile(r"\b(?:weigh\w*|heavy|mass)\b", re.IGNORECASE)
_ASKS_LIMIT = {
    "less": re.compile(r"\b(?:maximum|(?<!lower )limit|at most|max)\b", re.IGNORECASE),
    "more": re.compile(r"\b(?:minimum|lower limit|at least|min)\b", re.IGNORECASE),
}
_NOT_MORE = re.compile(r"(?:\bnot|\bnever|n['’]t) (?:\w+ )?more than\W*$")
_EXCLUSIVE = re.compile(r"(?<!no )(?<!not )(?:\b(?:under|below|over|above)|\b(?:fewer|less|\w+er|more) than)\W*$")
_ALIKE = {"GBP", "pound"}, {"calorie", "kilocalorie", "kcal"}  # Units that people call by one name.
# Ratio of a number and one that may be a vague form of it, in another unit or in the same one.
_NEAR, _ROUNDED = 1.25, 1.1


def compare_quantities(mention: Mention, reference: Mention, texts: Texts) -> bool | None:
    """Return whether two numbers are the same; None if they measure different things."""
    if not _have_same_bound(mention, reference, texts):
        differs = mention.number == reference.number and _compare_measure(mention, reference, texts) is False
        return False if differs or {mention.bound, reference.bound} == {"less", "more"} else None
    if reference.unit and mention.unit:
        return _compare_measure(mention, reference, texts)
    vague = mention.number.approximate and reference.number.integer and not reference.number.approximate
    low, high = sorted((mention.number.value, reference.number.value))
    same = equal(mention.number, reference.number, texts.tolerance)
    counts = reference.number.integer and mention.number.value % 1 and COUNTED.search(texts.question)
    if low != high and ((vague and high <= _NEAR * low) or (same and counts and not texts.named_units)):
        return None  # "about 7,500" for 7,585, and 8.2 for 8 planets
    if "percent" in (mention.unit, reference.unit):
        share = equal(mention.number.scaled(0.01 if mention.unit else 100), reference.number, texts.tolerance)
        asked = same and "percent" in texts.asked_units
        if share or not (asked or (reference if mention.unit else mention).number.integer):
            return share  # 0.125 and 12.5%
    if mention.unit or reference.unit:
        return _compare_without_unit(mention, reference, same, texts)
    return same


def _have_same_bound(mention: Mention, reference: Mention, texts: Texts) -> bool:
    """Return whether two numbers have one bound or none, or the question asks for it: "up to 4 g" is a maximum dose."""
    if mention.bound == reference.bound:
        found = (texts.answer_values, mention), (texts.reference_values, reference)
        return not mention.bound or len({_excludes(*pair) for pair in found}) == 1
    if reference.bound:
        return False
    at_most = _NOT_MORE.search(texts.answer_values.text[max(0, mention.start - 30) : mention.start].lower())
    asked = _ASKS_LIMIT["less" if at_most else mention.bound].search(texts.question)
    return asked is not None and (at_most is not None or not _excludes(texts.answer_values, mention))


def _excludes(values: Values, mention: Mention) -> bool:
    """Return whether a bound excludes its number: "more than 8", unlike "at least 8"."""
    return _EXCLUSIVE.search(values.text[max(0, mention.start - 30) : mention.start].lower()) is not None


def _compare_measure(mention: Mention, reference: Mention, texts: Texts) -> bool | None:
    """Return whether two quantities are the same; None if they measure different things."""
    units = [mention.unit, reference.unit]
    if convert(mention.number, *units) is None:
        units = [_without_period(unit, texts.question) for unit in units]
    if (rate := _PER_PERIOD.match(units[0])) and units[1] == rate[1] and (asked := _ADVERB.search(texts.question)):
        units[1] = f"{rate[1]}/({_PERIODS[asked[0][:3].lower()]})"  # $12 a year is a monthly rent of $1.
    number = convert(mention.number, *units)
    as_written = may_mean_same(*units) and not _ASKS_WEIGHT.search(texts.question)
    if as_written and (number is None or mention.number.value == reference.number.value):
        number = mention.number
    if "degree" in units and not _TEMPERATURES.isdisjoint(units):
        return equal(mention.number, reference.number, texts.tolerance) or None
    if number is None:
        return None
    if mention.unit != reference.unit and reference.unit in _TEMPERATURES:
        return abs(number.value - reference.number.value) <= max(0.5, 0.01 * abs(reference.number.value))
    low, high = sorted((number.value, reference.number.value))
    rounded = mention.number.integer and not reference.number.integer and high <= _ROUNDED * low  # "about 2 hours"
    vague = mention.number.approximate and (rounded or (mention.unit != reference.unit and high <= _NEAR * low))
    return equal(number, reference.number, texts.tolerance) or (None if vague else False)


def may_mean_same(unit: str, other: str) -> bool:
    """Return whether one name may mean both units, as "calories" of food are kilocalories."""
    return any({unit, other} <= names for names in _ALIKE)


def _without_period(unit: str, question: str) -> str:
    """Return a rate without the period that a question names, or without a year if it names none."""
    asked = {period[:2].lower() for period in _ASKS_PERIOD.findall(question)} or {"ye"}
    rate = _PER_PERIOD.match(unit)
    return rate[1] if rate and rate[2][:2] in asked else unit


def _compare_without_unit(mention: Mention, reference: Mention, same: bool, texts: Texts) -> bool | None:
    """Return the verdict if only one number has a unit. They are equal only if the question names the unit."""
    if not mention.unit and texts.answer_values.text[mention.end :].lstrip()[:1] >= _IDEOGRAPHS:
        return None  # a unit that is not known
    text, measured = (texts.answer_values.text, mention) if mention.unit else (texts.reference_values.text, reference)
    if reference.unit and len(texts.named_units) == 1:  # "3.1" for "5 km", if the question asks for miles
        number = convert(reference.number, reference.unit, *texts.named_units)
        if number and reference.unit not in texts.named_units:
            return equal(mention.number, number, texts.tolerance)
    if mention.number.value == -reference.number.value != 0:
        return False  # "40 degrees" for -40
    words = singulars(exact_words(text[measured.start : measured.end]))
    units, repeated = texts.named_units, not words.isdisjoint(texts.question_words)
    named = any(same_unit(measured.unit, unit) for unit in texts.asked_units) or (repeated and not units)
    other = mention.unit and not named and not repeated
    asked = [convert(mention.number, mention.unit, unit) for unit in units] if other else []
    if len(asked) == 1 and asked[0]:
        return equal(asked[0], reference.number, texts.tolerance)  # "How many tablespoons?" - "16 teaspoons"
    if same or mention.unit:
        return same if named else None
    return None if mention.noun and mention.noun not in NOT_NOUNS else False  # it may be a unit that is not known
