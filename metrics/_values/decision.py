"""Compare an answer with a reference that is a value, such as a number, quantity, date, choice, list, formula or name.

"3,400 keV" equals "3.4 MeV", "1996" differs from "1969", and "in the sixties" has no verdict for "1969".

How a decision is made:

1. `decide_row` compares the answer with each reference of a row by `decide_pair`. One match is enough.
2. `decide_pair` cuts long spaces and worked solutions, and puts the three texts into `Texts` (comparison.py). `Texts`
   reads their numbers, dates and times (reading.py) when a rule first asks for them.
3. The rules of `_RULES` are tried in their order, except those whose limits and fast tests leave them out. The first
   one with a result decides, even if that is "not certain". The last one tries those of numbers_and_dates.py in turn.
4. `_is_doubtful` drops verdicts on answers that correct themselves, and most verdicts of "different" on answers that
   contain the reference. No verdict means that the metric's model decides.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .._shared.messages import short_repr
from .._shared.options import Number
from .._shared.words import exact_words
from .aliases import has_alias, is_alias
from .calendar_names import compare_in_cycle, compare_weekdays, has_weekdays, is_in_cycle
from .candidates import hedges, is_one_of_candidates, leaves_open
from .choices import ONE_LETTER, compare_letter, compare_options, may_be_option, offers_options
from .codes import compare_code, compare_groups, in_groups, may_be_code
from .comparison import Comparison, Rule, Texts, first_verdict
from .courtesies import without_courtesies
from .date_rules import PART, compare_part, only_date
from .directions import compare_direction, has_direction
from .frequencies import MAY_BE_FREQUENCY, compare_frequency
from .list_rules import compare_choice, may_be_choice
from .names import MAY_BE_NAME, MAY_DIFFER, compare_acronym, differs_in_one_word, is_same_name
from .negations import is_denial, only_denies
from .no_answer import NO_ANSWER, lacks_answer, says_nothing
from .number_selection import is_of_other_side
from .numbers_and_dates import compare_number_or_date, may_be_value
from .persons import asks_who, compare_person, may_be_person
from .phrases import takes_back
from .places import compare_known_name, is_known_name
from .retractions import compare_correction
from .spelling import asks_form, compare_form
from .statements import compare_roles, may_be_statement, says_opposite, unless_denied
from .substances import compare_substance, substance
from .word_tables import pattern_of, word_set
from .yes_no import compare_yes_or_no, means_yes_or_no

KINDS = (
    "number", "quantity", "date", "time", "option", "yes_no", "list", "candidates", "formula", "identifier", "acronym",
    "person", "place", "direction", "negation", "no_answer",
)  # fmt: skip
"""The kinds of values that are compared."""

TOLERANCE = Number(0, 1)


@dataclass(frozen=True)
class Decision:
    """What the comparison of an answer with a reference found.

    Attributes:
        kind: Kind of the reference's value, one of `KINDS`; None if the reference has no such value.
        equal: Whether the answer has the reference's value; None if that is not certain.
        reference: The reference's value, as it is written; None without a verdict.
        answer: The answer's value, with its conversion to the reference's unit; None without a verdict.
    """

    kind: str | None = None
    equal: bool | None = None
    reference: str | None = None
    answer: str | None = None

    @property
    def explanation(self) -> str:
        """The comparison in words: "-8.4 kJ (-2.008 kcal) equals -2.0 kcal"; `""` without a verdict."""
        if self.equal is None:
            return ""
        if self.kind == "candidates":
            return f"{self.answer} lists candidates without choosing one"
        return f"{self.answer} {'equals' if self.equal else 'differs from'} {self.reference}"


_LONGEST_DATE, _LONGEST_SHOWN = 30, 80  # Characters.
_SOLUTION = 300  # Worked solutions have at least as many characters.
_JUDGE_CORRECTIONS = word_set("yes_no negation no_answer")  # Kinds with rules for answers that correct themselves.
# Kinds for which an answer may contain the reference and still be wrong.
_MAY_CONTAIN_REFERENCE = word_set("candidates identifier list option yes_no formula negation place")
_BRIEF = 15  # Words of an answer.
# Kinds of values that may belong to another time or condition, and words that say so.
_OF_A_CASE = word_set("number quantity date time list person")
_OTHER_CASE = re.compile(rf"\b(?:{pattern_of('other_case')})")
# What may precede and follow the reference in an answer that explains it: "Use ls -a, not `ls`.".
_INTRODUCES = re.compile(r"(?:.*\buse )?[`'\"]?", re.IGNORECASE | re.DOTALL)
_EXPLAINS = re.compile(r"[`'\"]?(?:[.;]?\s*$|; |,? \(|, (?:not|unlike|as|while)\b|,? (?:since|because)\b)")
_EMPHASIS = re.compile(r"^\s*(\*\*|\$)([^*$]+)\1([.\s]*)$")  # "**B204**"
# A marker of the result at the end of a solution: "#### 14", "Answer: 14", "<answer>14</answer>".
_END = re.compile(
    r"(?:\s####|\n\W*(?:final )?answer:|<answer>)\s*(?P<end>[^\n<]{1,80}?)\s*(?:</answer>)?\W*$", re.IGNORECASE
)
_FINAL = re.compile(r"(?:^|\s)(?:A:|####|(?:the |final )*answer(?: is|:)+)\s*(?=\S)", re.IGNORECASE)
# What a solution marks as its result at its end: "\\boxed{85}", "so the speed is **85 km/h**.", or code after a colon.
_MARKED = re.compile(
    r"\\boxed\s*\{((?:[^{}]|\{[^{}]{0,80}\}){1,200})\}[\W\d]{0,20}$"
    r"|^[^*]*(?:\b(?:is|are|was|equals)|[=:])\s*\*\*([^*\n]{0,40}\d[^*\n]{0,40})\*\*[^\w*]{0,9}$"
    r"|^[^`]*(?:^|:)\s*```\w*\n([^`]+)```\s*$"
)
_YEAR = re.compile(r"\d{3,4}")
_ERA = re.compile(r"\bB\.?C\.?(?:E\b)?")
# Some patterns take quadratic time in the length of a space, which only matters in texts of at least 300 characters.
_LONG_SPACE, _LONG = re.compile(r"(\s\s{7})\s+"), 300
_DECIMAL = re.compile(r"\d+[.,]\d+")
_ROUNDS = re.compile(r"decimal place|significant (?:figure|digit)", re.IGNORECASE)
_asks_to_round = lru_cache(maxsize=1 << 8)(_ROUNDS.search)


def compare_values(
    reference: str,
    answer: str,
    question: str | None = None,
    *,
    kinds: Collection[str] = KINDS,
    tolerance: float | None = None,
) -> Decision:
    """Compare an answer with a reference that is a value, such as a number, a date or a list.

    Numbers are equal if they differ by at most half a unit of the last digit of the less precise one, but at most 3%.
    Two integers or years must match exactly. Units are converted; numbers may then differ by 1.5%. If only one number
    has a unit, they are equal only if the question names it. A date that lacks a field of the reference has no verdict.

    Args:
        reference: The right answer.
        answer: The answer to judge.
        question: The question, which helps to find the value in a longer answer.
        kinds: The kinds of values to compare.
        tolerance: Largest relative difference of equal numbers, instead of the rule above.

    Returns:
        The decision. `equal` is None unless the verdict is certain.

    Raises:
        TypeError: A text is not a string.
        ValueError: There is no such kind, or the tolerance is not a number from 0 to 1.

    Examples:
        >>> compare_values("3.4 MeV", "3,400 keV").equal, compare_values("1969", "In July 1969.").kind
        (True, 'date')
        >>> compare_values("-2.0 kcal", "-8.4 kJ").explanation
        '-8.4 kJ (-2.008 kcal) equals -2.0 kcal'
    """
    for name, text in (("reference", reference), ("answer", answer), ("question", question or "")):
        if not isinstance(text, str):
            raise TypeError(f"{name} is {short_repr(text)}; expected a string")
    unknown = kinds is not KINDS and (not isinstance(kinds, Collection) or not all(kind in KINDS for kind in kinds))
    if isinstance(kinds, str) or unknown or not kinds:
        raise ValueError(f"kinds is {short_repr(kinds)}; expected a list of {', '.join(KINDS)}")
    if tolerance is not None and not TOLERANCE.accepts(tolerance):
        raise ValueError(f"tolerance is {short_repr(tolerance)}; expected {TOLERANCE.expected}")
    return decide_pair(reference, answer, question or "", [reference], kinds, tolerance)


def decide_pair(
    reference: str,
    answer: str,
    question: str,
    references: Sequence[str],
    kinds: Collection[str] = KINDS,
    tolerance: float | None = None,
) -> Decision:
    """Compare an answer with one reference; `references` are all references of the row. See `compare_values`."""
    if not answer.strip():
        return Decision()
    question, answer, reference = map(_without_long_spaces, (question, answer, reference))
    answer = _EMPHASIS.sub(r"\2", without_courtesies(answer))
    if tolerance is None and _asks_to_round(question):
        tolerance = 0.0
    texts = Texts(question, *_finals(answer, reference), tolerance, references)
    comparison = first_verdict(_rules_for(texts.reference, texts.question), texts)
    if comparison is None or comparison.kind not in kinds:
        return Decision()
    if comparison.equal is None or _is_doubtful(comparison, texts):
        return Decision(comparison.kind)
    shown_answer = _shown(comparison.answer or texts.answer)
    return Decision(comparison.kind, comparison.equal, _shown(texts.reference), shown_answer)


def decide_row(
    references: Sequence[str],
    answer: str,
    question: str,
    kinds: Collection[str] = KINDS,
    tolerance: float | None = None,
) -> tuple[Decision, int | None]:
    """Compare an answer with all references of a row. One match is enough.

    Returns:
        The decision, and the index of the matching reference. Without a match, an answer is different if it differs
        from every reference, or if it lists candidates.
    """
    decisions = list[Decision]()
    for index in _precise(references):
        decisions.append(decide_pair(references[index], answer, question, references, kinds, tolerance))
        if decisions[-1].equal:
            return decisions[-1], index
    if hedged := [decision for decision in decisions if decision.kind == "candidates" and decision.equal is False]:
        return hedged[0], None
    return (decisions[0] if all(decision.equal is False for decision in decisions) else Decision()), None


def _precise(references: Sequence[str]) -> list[int]:
    """Return the indices of the references, except years for which another reference has the full date."""
    if len(references) == 1 or not any(len(text) <= _LONGEST_DATE and _YEAR.search(text) for text in references):
        return list(range(len(references)))
    dates = [only_date(text) for text in references]
    finest = defaultdict[int | None, int](int)
    for date in filter(None, dates):
        finest[date.fields[0]] = max(finest[date.fields[0]], date.precision)
    return [i for i, date in enumerate(dates) if not date or date.precision in (0, finest[date.fields[0]])]


def _without_long_spaces(text: str) -> str:
    return text if len(text) < _LONG else _LONG_SPACE.sub(r"\1", text)


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _finals(answer: str, reference: str) -> tuple[str, str]:
    """Return answer and reference. A solution is cut to the result that it marks, or that follows "the answer is"."""
    result = _final(reference)
    marked = _MARKED.search(answer) if any(mark in answer for mark in ("boxed", "**", "```")) else None
    if not marked and any(mark in answer for mark in ("####", "nswer:", "answer>")):
        marked = _END.search(answer)
    if marked:
        return marked[marked.lastindex or 0], result or reference
    if result is None and len(answer) < _SOLUTION:
        return answer, reference
    return _final(answer) or answer, result or reference


def _final(text: str) -> str | None:
    if "A:" not in text and "####" not in text and "nswer" not in text:
        return None
    ends = [match.end() for match in _FINAL.finditer(text)]
    return text[ends[-1] :] if ends else None


def _is_doubtful(comparison: Comparison, texts: Texts) -> bool:
    """Return whether an answer corrects itself, or contains the reference although it is called different."""
    kind = comparison.kind
    if kind not in _JUDGE_CORRECTIONS and takes_back(texts.answer):
        return True
    if comparison.equal:
        return _is_denied_or_other(kind, texts)
    if kind not in {"identifier", "option"} and texts.answer_words == exact_words(texts.reference):
        return True
    before, found, after = texts.answer.partition(texts.reference or "\0")
    if kind != "candidates" and found and _INTRODUCES.fullmatch(before) and _EXPLAINS.match(after):
        return True
    may_contain = comparison.may_contain_reference or kind in _MAY_CONTAIN_REFERENCE
    return not may_contain and _contains_reference(texts)


def _is_denied_or_other(kind: str, texts: Texts) -> bool:
    """Return whether an answer has the reference's value, but denies it at its end or says it of something else."""
    reference, answer = (text.strip(" .`$").lower() for text in (texts.reference, texts.answer))
    denied = answer.endswith((f" not {reference}", f"rather than {reference}")) and not reference.startswith("not ")
    repeats = kind == "formula" and answer in texts.question.lower() and reference not in texts.question.lower()
    if denied or repeats or (answer.startswith(("before ", "after ")) and kind == "identifier"):
        return True
    if kind not in _OF_A_CASE or texts.length > _BRIEF:
        return False
    other = _OTHER_CASE.search(answer)
    of_case = other is not None and other[0].split()[0] not in f"{texts.question.lower()} {reference}"
    return of_case or is_of_other_side(texts.question, answer)


def _contains_reference(texts: Texts) -> bool:
    """Return whether the answer contains the reference, whose last word may have a footnote's digit in a sentence."""
    reference = f" {' '.join(exact_words(texts.reference))}"
    if _ERA.search(texts.answer) and not _ERA.search(texts.reference):
        return False
    answer = texts.answer_words if _DECIMAL.search(texts.reference) else exact_words(_DECIMAL.sub("", texts.answer))
    digits = texts.reference_values.numbers or any(map(str.isdigit, reference)) or reference[-1] in "ivx"
    whole = " " if texts.short and digits else ""
    return reference + whole in f" {' '.join(answer)} "


@lru_cache(maxsize=1 << 12)
def _rules_for(reference: str, question: str) -> Sequence[Rule]:
    """Return the rules that may apply to a reference, which is tested once for all answers to a question."""
    length, spaces = len(reference), reference.count(" ")
    within = [rule for rule in _RULES if length <= rule.longest_reference and spaces <= rule.most_spaces]
    fitting = [rule for rule in within if rule.may_be is None or rule.may_be(reference)]
    return [rule for rule in fitting if rule.may_ask is None or rule.may_ask(question)]


def _if(finds: Callable[[Texts], bool], equal: bool) -> Callable[[Texts], bool | None]:
    """Return a rule with one verdict, for texts in which something is found."""
    return lambda texts: equal if finds(texts) else None


# In the order in which they are tried. Most references are no values, so most rules have a fast test, and those that
# read numbers and dates come last.
_RULES = (
    Rule("no_answer", _if(says_nothing, False), longest_reference=math.inf),
    Rule("option", compare_options, may_be_option, offers_options, longest_reference=math.inf),
    Rule("option", compare_letter, ONE_LETTER.fullmatch),
    Rule("yes_no", compare_yes_or_no, means_yes_or_no),
    Rule("no_answer", _if(lacks_answer, True), NO_ANSWER.match, longest_answer=400),
    Rule("negation", compare_correction, may_answer=takes_back),
    Rule("list", compare_choice, may_be_choice, longest_reference=300, longest_answer=200),
    Rule("candidates", _if(is_one_of_candidates, False), longest_answer=5000),
    Rule("candidates", _if(leaves_open, False), may_answer=hedges, longest_answer=400),
    Rule("date", compare_weekdays, has_weekdays, most_spaces=12, longest_answer=100),
    Rule("date", compare_part, PART.search, most_spaces=6, longest_answer=100),
    Rule("date", compare_in_cycle, is_in_cycle, most_spaces=4, longest_answer=1000),
    Rule("identifier", compare_groups, in_groups, most_spaces=6, longest_answer=100),
    Rule("identifier", compare_form, may_ask=asks_form, most_spaces=2, longest_answer=80),
    Rule("identifier", compare_code, may_be_code),
    Rule("identifier", _if(is_same_name, True), MAY_BE_NAME.search, longest_answer=200),
    Rule("identifier", compare_substance, substance, most_spaces=3, longest_answer=200),
    Rule("identifier", _if(differs_in_one_word, False), MAY_DIFFER.search, longest_answer=200),
    Rule("acronym", compare_acronym, longest_answer=200),
    Rule("identifier", _if(is_alias, True), has_alias, most_spaces=6, longest_answer=200),
    Rule("person", compare_person, may_be_person, asks_who, longest_answer=200),
    Rule("place", compare_known_name, is_known_name, longest_reference=40, longest_answer=100),
    Rule("negation", _if(is_denial, False)),
    Rule("negation", _if(only_denies, False), most_spaces=3, longest_reference=60, longest_answer=100),
    Rule("direction", _if(says_opposite, False), may_be_statement, most_spaces=15),
    Rule("direction", unless_denied(compare_roles), most_spaces=15),
    Rule("direction", unless_denied(compare_direction), has_direction, most_spaces=15),
    Rule("number", compare_frequency, MAY_BE_FREQUENCY.search, most_spaces=6, longest_answer=200),
    Rule("number", compare_number_or_date, may_be_value, most_spaces=16, longest_answer=1500),
)
