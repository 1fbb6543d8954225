"""The interface of a rule: the texts that it compares, and what it returns.

A rule is a function of `Texts`. It returns

- True or False if the answer certainly has the reference's value, or certainly has another one;
- None if it is not certain, or if the reference is of another kind, so that the next rule is tried;
- a `Comparison` if no other rule may decide, even if it is not certain (`equal` is None), or to say more than that.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from .._shared.words import exact_words
from .number_words import language_of
from .phrases import singular
from .reading import IDEOGRAPHS, LONGEST_UNIT, Values, read
from .text import plain
from .units import unit_at
from .word_tables import WORDS, words_of

_LONGEST_QUESTION = 1000  # Characters; only the end of a longer question is read.
_LONGEST_SHARE = 20  # Characters of a reference such as "1 in 5".
_SHORT = 3  # Words of a short answer.
_ASKS_UNIT = re.compile(
    r"\b(?:how many|in|combien de|wie viele|cu[aá]nt[oa]s|quant[ie]|quant[oa]s|hoeveel)\s+(?=[a-z])", re.IGNORECASE
)
# What a question decides: 块 is money and not a piece, which number of 4/7/1976 is the month, 分 is a minute and not a
# point, and 14.30 is a time.
_BY_QUESTION = [
    (re.compile(asks), re.compile(pattern), replacement)
    for asks, kind, replacement, pattern in WORDS
    if kind == "asked"
]
# A note on the order of day and month after a date, such as "(DD/MM/YYYY)".
_ORDERS = "|".join(asks for asks, kind, replacement, _ in WORDS if kind == "asked" and replacement.startswith(r"\3-"))
_ORDER_NOTE = re.compile(rf"(?<=\d)\s*\((?:{_ORDERS}|year|y{{4}})[^()]{{0,12}}\)\s*$", re.IGNORECASE)
_DECIMAL_POINTS = words_of("decimal_point")  # Languages that write 1.5 rather than 1,5.
_PERCENTAGE = re.compile(r"\bpercent|\bper cent|%|\brate\b", re.IGNORECASE)


@lru_cache(maxsize=1 << 8)
def _rewritings(question: str) -> list[tuple[re.Pattern[str], str]]:
    lower = question.lower()  # faster than patterns that ignore case
    return [(pattern, replacement) for asks, pattern, replacement in _BY_QUESTION if asks.search(lower)]


@dataclass(frozen=True)
class Comparison:
    """What a rule found.

    Attributes:
        kind: Kind of the reference's value.
        equal: Whether the answer has the reference's value; None if that is not certain.
        answer: The compared values of the answer, as they are written; `""` for the whole answer.
        may_contain_reference: Whether the answer may contain the reference and still be wrong, as "206 or 208" is.
    """

    kind: str
    equal: bool | None = None
    answer: str = ""
    may_contain_reference: bool = False


@dataclass(eq=False)
class Texts:
    """The texts of a comparison, with their values, which are read when they are first needed.

    Attributes:
        question: The question; `""` without one.
        answer: The answer.
        reference: The reference.
        tolerance: Largest relative difference of equal numbers; None for half a unit of the last digit.
        references: All references of the row.
    """

    question: str
    answer: str
    reference: str
    tolerance: float | None = None
    references: Sequence[str] = ()

    def __post_init__(self) -> None:
        note = _ORDER_NOTE.search(self.reference) if self.reference.endswith(")") else None
        if note:
            self.reference = self.reference[: note.start()]
        for pattern, replacement in _rewritings(f"{self.question} {note[0]}" if note else self.question):
            self.answer, self.reference = (pattern.sub(replacement, text) for text in (self.answer, self.reference))

    @cached_property
    def answer_values(self) -> Values:
        """The values in the answer."""
        shares = any(not mention.number.step or mention.unit == "percent" for mention in self.reference_values.numbers)
        language, decimal_comma = self.language
        if language == "en" and (other := language_of(self.answer[:500])) != "en":
            language, decimal_comma = other, other not in _DECIMAL_POINTS  # "Il y a douze mois." for "twelve"
        return read(self.answer, language, decimal_comma, shares)

    @cached_property
    def reference_values(self) -> Values:
        """The values in the reference."""
        return read(self.reference, *self.language, len(self.reference) <= _LONGEST_SHARE)

    @cached_property
    def question_values(self) -> Values:
        """The values in the question."""
        return read(self.question[-_LONGEST_QUESTION:], *self.language)

    @cached_property
    def question_words(self) -> frozenset[str]:
        """The words of the question, without endings of the plural."""
        return frozenset(map(singular, exact_words(self.question[-_LONGEST_QUESTION:])))

    @cached_property
    def asked_units(self) -> frozenset[str]:
        """The units that the question asks for, such as "how many miles", or else those of its numbers."""
        percent = {"percent"} if _PERCENTAGE.search(self.question) else set()
        units = {mention.unit for mention in self.question_values.numbers if mention.unit}
        return self.named_units or frozenset(units | percent)

    @cached_property
    def named_units(self) -> frozenset[str]:
        """The units after "how many" or "in" in the question: "how many miles", "in degrees Celsius"."""
        question = plain(self.question[-_LONGEST_QUESTION:])
        starts = [match.end() for match in _ASKS_UNIT.finditer(question)]
        return frozenset(unit_at(f" {question[start : start + LONGEST_UNIT]}")[0] for start in starts) - {""}

    @property
    def short(self) -> bool:
        """Whether the answer has at most three words."""
        return self.length <= _SHORT

    @cached_property
    def length(self) -> int:
        """The number of words of the answer; three ideographs count as one."""
        ideographs = sum(word >= IDEOGRAPHS for word in self.answer_words)
        return len(self.answer_words) - ideographs + ideographs // 3

    @property
    def answer_words(self) -> tuple[str, ...]:
        """The words of the answer."""
        return exact_words(self.answer)

    @cached_property
    def language(self) -> tuple[str, bool]:
        """The language of number words, and whether it has decimal commas."""
        asked = self.question, self.reference
        language = language_of(*asked, self.answer[:500])
        return language if language != "en" else language_of(*asked), language not in _DECIMAL_POINTS


class Rule(NamedTuple):
    """A rule for a kind of values. It is not tried outside its limits, or if a fast test of one of the texts fails.

    Tests and limits keep most rules from most texts, so that `compare` need not repeat them.
    """

    kind: str  # unless the rule returns a comparison with another one
    compare: Callable[[Texts], Comparison | bool | None]
    may_be: Callable[[str], Any] | None = None  # fails only for references of another kind
    may_ask: Callable[[str], Any] | None = None  # fails only for questions without a verdict
    may_answer: Callable[[str], Any] | None = None  # fails only for answers without a verdict
    most_spaces: float = math.inf  # in the reference
    longest_reference: float = 120  # in characters
    longest_answer: float = math.inf  # in characters


def first_verdict(rules: Iterable[Rule], texts: Texts) -> Comparison | None:
    """Compare by the first rule that applies to the answer; None if none does."""
    length = len(texts.answer)
    for rule in rules:
        if length > rule.longest_answer or (rule.may_answer and not rule.may_answer(texts.answer)):
            continue
        if (found := rule.compare(texts)) is not None:
            return found if isinstance(found, Comparison) else Comparison(rule.kind, found)
    return None
