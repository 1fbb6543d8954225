"""Find answers that are the reference with another number, code or an opposite: "won 3-2" for "won 3-1"."""

import re
import unicodedata
from dataclasses import replace

from .dates import Date, agrees
from .directions import opposite
from .phrases import FILLERS, negated, singular, stem
from .reading import Mention, Texts, Values
from .text import word_set
from .units import converted

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MAY_BE_CODE, _LONGEST_CODE = re.compile(r"[\d₀-₉]|[+-]$"), 40  # Characters.
# LH 404 and A380; B+ and Na+; any others with a letter and a digit.
_CODES = (
    re.compile(r"\b(?!AD|BC|CE)[A-Z]{1,4}[ -]?\d{1,5}[A-Za-z]?\b"),
    re.compile(r"\b[A-Z][a-z]?[+-](?!\w)"),
    re.compile(r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+/#-]*\w"),
)
_PIECE = re.compile(r"([^\W\d_]{3,})|[^\W_]")
_VAGUE = word_set("about around approximately roughly nearly almost circa over under least most more less than")
_MOST_VALUES, _MORE_WORDS, _SENTENCE, _LONGEST_ANSWER = 6, 2, 8, 20
_FEW, _SWAPPED = 2, 2  # Words.
_SIDED = frozenset(map(stem, word_set("than beat beats defeated defeats outsold causes caused before after")))
_LONGER = 3  # Characters of an answer, as a multiple of those of the reference.
_CLOSE = 0.03  # Relative difference of numbers that may be the same.


def has_other_number(texts: Texts) -> bool:
    """Return whether an answer has the words of the reference, in the same order, but another number or date.

    >>> has_other_number(Texts("", "Sales rose 12% to $3 million", "Sales rose by 12% to $3 billion"))
    True
    >>> has_other_number(Texts("", "Lyon 1, Paris 3", "Paris 3, Lyon 1"))
    False
    """
    words, lower = _words(texts.wanted), texts.answer.lower()
    if len(lower) > _LONGER * len(texts.reference) or not all(word in lower for word in words):
        return False
    wanted, given = _values(texts.wanted), _values(texts.given)
    if not 0 < len(wanted) == len(given) <= _MOST_VALUES or negated(texts.answer):
        return False
    said = _words(texts.given)
    kept = [word for word in said if word in words]
    if not words or kept != words or len(said) > len(words) + _MORE_WORDS or not _VAGUE.isdisjoint({*words, *said}):
        return False
    verdicts = [_differ(*pair, texts.tolerance) for pair in zip(given, wanted, strict=True)]
    return None not in verdicts and True in verdicts


def _values(values: Values) -> list[Mention | Date]:
    """Return the dates, the numbers and the bounds of ranges in a text, in order."""
    found: list[Mention | Date] = [date for date in values.dates if not date.only_year]
    for one in values.numbers:
        bounds = sorted({one.number.value, one.number.high})
        found += [replace(one, number=replace(one.number, value=bound, high=bound)) for bound in bounds]
    return sorted(found, key=lambda one: one.start)


def _differ(given: Mention | Date, wanted: Mention | Date, tolerance: float | None) -> bool | None:
    """Return whether two values differ; None if that is not certain."""
    if isinstance(given, Date) or isinstance(wanted, Date):
        if not (isinstance(given, Date) and isinstance(wanted, Date)) or given.precision != wanted.precision:
            return None
        same = agrees(given, wanted)
        return None if same is None else not same
    if bool(given.unit) != bool(wanted.unit) or given.bound != wanted.bound:
        return None
    number = converted(given.number, given.unit, wanted.unit) if given.unit else given.number
    if number is None:
        return None
    usual = 0.0 if number.integer and wanted.number.integer else _CLOSE
    close = usual if tolerance is None else tolerance
    return abs(number.value - wanted.number.value) > close * abs(wanted.number.value)


def _words(values: Values) -> list[str]:
    text = list(values.text)
    spans = [(one.start, one.end) for one in values.numbers] + [(one.start, one.end) for one in values.dates]
    for start, end in spans:
        text[start:end] = " " * (end - start)
    return [singular(word) for word in _WORD.findall("".join(text).lower()) if word not in FILLERS - _VAGUE]


def same_code_of_form(texts: Texts) -> bool | None:
    """Return whether an answer has the reference's code; None unless it has one code of that form.

    >>> same_code_of_form(Texts("", "You need to be at gate A27.", "A72")), same_code_of_form(Texts("", "B 7", "B7"))
    (False, True)
    """
    if len(texts.reference) > _LONGEST_CODE or not _MAY_BE_CODE.search(texts.reference):
        return None
    reference, answer = (unicodedata.normalize("NFKC", text).strip(" .") for text in (texts.reference, texts.answer))
    pattern = next((one for one in _CODES if one.fullmatch(reference)), None)
    if pattern is None or texts.length > _LONGEST_ANSWER or negated(answer):
        return None
    other = pattern is _CODES[-1]
    if texts.wanted.dates or texts.wanted.times or (other and texts.wanted.numbers):
        return None
    joined = str.maketrans("", "", " -" if pattern is _CODES[0] else "")
    wanted, given = reference.translate(joined), (found[0].translate(joined) for found in pattern.finditer(answer))
    codes = {code for code in given if not other or _form(code) == _form(wanted)}
    if len(codes) != 1 or (wanted in codes and texts.length > _SENTENCE):
        return None
    return wanted in codes


def _form(code: str) -> str:
    """Return a code with 0 for its digits and x for its letters, except those of words: "propan-0-xx"."""
    return _PIECE.sub(lambda found: found[0].lower() if found[1] else "0" if found[0].isdigit() else "x", code)


def says_opposite(texts: Texts) -> bool:
    """Return whether an answer has the words of the reference, but an opposite, or two exchanged words.

    Words are exchanged around "than" and verbs such as "beat", or if they are opposites themselves.

    >>> says_opposite(Texts("", "Red is scattered more than blue.", "Blue is scattered more than red"))
    True
    >>> says_opposite(Texts("", "Demand rose and costs fell", "Demand fell and costs rose"))
    True
    """
    if len(texts.answer) > _LONGER * len(texts.reference) or texts.reference.count(" ") > _LONGEST_ANSWER:
        return False
    given, wanted = ([stem(word) for word in _WORD.findall(text.lower())] for text in (texts.answer, texts.reference))
    given = given[max(0, len(given) - len(wanted)) :]
    if len(given) != len(wanted) or len(wanted) <= _FEW:
        return False
    places = [place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other]
    if not places or len(places) > _SWAPPED:
        return False
    first, last = places[0], places[-1]
    opposites = opposite(given[first], [wanted[first]])
    if first == last:
        return opposites
    between = wanted[first + 1 : last]
    swapped = given[first] == wanted[last] and given[last] == wanted[first]
    return swapped and bool(_SIDED.intersection(between) or (opposites and set(between) - {"and", "or"}))
