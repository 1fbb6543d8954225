"""Compare numbers, quantities with units, and names with a number.

"3,400 keV" equals "3.4 MeV", and "Apollo XI" names "Apollo 11".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import NamedTuple

from .._shared.words import exact_words
from .comparison import Comparison, Texts
from .directions import POLE, content_words, opposite
from .frequencies import MAY_BE_FREQUENCY
from .numbers import WrittenNumber, equal
from .phrases import NEGATION, affirmed, alternatives, rest, singular, stem
from .reading import Mention, read, value_of_roman
from .units import converted, readable, same_unit, unit_at
from .word_tables import word_set

_COUNTED = re.compile(
    r"\b(?:how many|number of|wie ?viele|combien d[e'’]|cu[aá]nt[oa]s|quant[ie])\s*((?:[^\W\d_]+[ -]?){1,4})",
    re.IGNORECASE,
)
_NO_NOUN = word_set("of the are is do does did in were was have has there")
_NOT_AFTER = _NO_NOUN | word_set("and or to for with on at from by per but as that which")
_MORE = word_set("more fewer less additional other another extra")
_NUMBERED = re.compile(r"\b(?:number|chapter|act|volume|part|numeral|book|section)\b", re.IGNORECASE)
_RESULT = re.compile(
    r"(?:\b(?:so|total(?:ing|s)?|(?:al)?together|overall|therefore|thus|makes|equals|gives|leaves|that(?:'s| is)|"
    r"answer is|which is|comes? to|round(?:s|ed) to)\b|\bdifference of|=)[^\d=]{0,16}$|"
    r"\b(?:so|therefore|thus|hence),? the \w+ (?:is|was) (?:about )?$",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"(?:\s\w+)?,?\s(?:in (?:total|all)|altogether|overall)\b", re.IGNORECASE)
asks_unit = lru_cache(maxsize=1 << 8)(re.compile(r"\bunits?\b", re.IGNORECASE).search)
"""Return whether a question asks for a unit."""
_FRACTION = re.compile(r"(\d+)/(\d+)")
_CLAUSE = re.compile(r"[.,;:](?!\d)|\b(?:and|but|while|whereas|although)\b", re.IGNORECASE)
_INTERROGATIVES = word_set("how what which many much long often far get have")
_RESTATED = re.compile(r"\b(?:i\.e\.|namely|in other words)[^\d=]{0,12}$", re.IGNORECASE)
_DIGIT, _CODE = re.compile(r"\d"), re.compile(r"0\d+")
_DIRECT = re.compile(r"\W*(?:(?:it|that|this)(?:['’]s| is| was| would be) (?:about )?)?", re.IGNORECASE)
_FALLS = re.compile(
    r"\b(?:f[ae]ll(?:en|s)?|dropp?(?:ed|s)?|decreased?|declined?|decelerat\w+|down|shrank|loss of|lost|minus)"
    r"(?: by| at)?\W*$"
)
_ASKS_RISE = re.compile(
    r"\bhow much (?:did|has|have|will)\b.*\b(?:gr[eo]wn?|r[io]sen?|increased?)\b|"
    r"^what was the [^?]*\b(?:growth|increase)\b",
    re.IGNORECASE,
)
_FALL = re.compile(r"\b(?:fall|fell|drop|decline|decrease|los[es]|loss|reduc|slow)", re.IGNORECASE)
# A word before a number. It does not matter if reference and answer have the same one.
_LEAD = re.compile(r"\b(after|within|every|each) (?=\d)")
_PER = re.compile(r"\b(?:per|an?|each|every) (sec|second|minute|hour|day|week|month|year|person)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|began|ist|sind|est|sont|es|son|è|sono)\b")
_TEMPERATURES = frozenset({"degC", "degF", "kelvin"})
_PER_PERIOD = re.compile(r"^(.+)/\((\w+)\)$")  # "3% a year" is an interest rate of 3%.
_ASKS_PERIOD = re.compile(r"\b(?:hour|dai|day|week|month)", re.IGNORECASE)
_PERIODS = {"ann": "year", "yea": "year", "mon": "month"}
_ADVERB = re.compile(r"\b(?:annual|yearly|monthly) (?=(?:rent|salary|pay|income|payment|fee|cost)\b)", re.IGNORECASE)
_IDEOGRAPHS = "\u3005"  # Scripts from here on write units and nouns without a space.
_SIDED = word_set("before after above below late early")
_OUTCOMES = word_set("win won wins winning profit"), word_set("lose lost loses losing")
_RESULTS = POLE["profit"], POLE["loss"], POLE["rise"], POLE["fall"]
_NAME = re.compile(r" ([A-Z][a-z]\w*)")
_OF_THEM = re.compile(r"\sof (?:them|it|these|those|all|the (?:total|whole))\b", re.IGNORECASE)
_ASKS_WEIGHT = re.compile(r"\b(?:weigh\w*|heavy|mass)\b", re.IGNORECASE)
_ALIKE = {"GBP", "pound"}, {"calorie", "kilocalorie", "kcal"}  # Units that people call by one name.
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
# Ratio of a number and one that may be a vague form of it, in another unit or in the same one.
_NEAR, _ROUNDED = 1.25, 1.1
_VERB_AFTER = re.compile(r" (?:is|equals|means|stands for|represents|=) ")
_SAME_QUANTITY = 0.05  # Relative difference of two forms of one quantity.
_MOST_SPACES = 8  # Spaces in a reference.
_LONGEST_NAME, _SENTENCE, _PARAGRAPH = 4, 8, 25  # Words of a name, and of an answer.
_MOST_WORDS, _MOST_NEW_WORDS = 3, 2  # Words around a reference's number: all, and those that the question lacks.


def compare_unit(texts: Texts) -> bool | None:
    """Compare names of units for a question that asks for one: "pascal" and "Pa"; None for other texts.

    >>> compare_unit(Texts("Which SI unit?", "Pa", "pascal")), compare_unit(Texts("Which SI unit?", "newton", "joule"))
    (True, False)
    """
    names = [text.strip(" .").removeprefix("the ") for text in (texts.reference, texts.answer.partition(", ")[0])]
    units = [unit for name in names for unit, length in [unit_at(f" {name}")] if unit and length == len(name) + 1]
    if len(units) < len(names):
        return None
    same = same_unit(*units)
    return None if not same and 1 in map(len, names) else same  # C is a coulomb or a degree Celsius.


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
    value = converted(first.number, first.unit, second.unit) if first.unit and second.unit else None
    low, high = second.number.value * (1 - _SAME_QUANTITY), second.number.high * (1 + _SAME_QUANTITY)
    if text[: first.start].strip() or text[second.end :].strip(" )") or not (value and low <= value.value <= high):
        return []
    return [
        Texts(texts.question, texts.answer, text[form.start : form.end].strip(), texts.tolerance) for form in numbers
    ]


def compare_number(texts: Texts, reference: Mention) -> Comparison:
    """Compare the numbers in the answer with the reference's number."""
    before, after = texts.reference_values.text[: reference.start], texts.reference_values.text[reference.end :]
    negative = any(mention.number.value < 0 for mention in texts.answer_values.numbers)
    below = reference.number.value < 0 and not negative and "below" in texts.answer  # "86 m below sea level"
    ranges = any(mention.number.is_range for mention in texts.answer_values.numbers)
    of_them = _OF_THEM.match(after) and all(
        mention.number.integer and not mention.unit for mention in texts.answer_values.numbers
    )
    in_range = of_them or (reference.number.is_range and not ranges and _ASKS_RANGE.search(texts.question))
    # "30" for "three quarters of them", and "7" for "5-10"
    if in_range or below or _VERB.search(after) or texts.reference_values.text.count(" ") > _MOST_SPACES:
        return Comparison(reference.kind)
    words = rest(texts.reference_values.text, reference.start, reference.end) if reference.end else []
    said = frozenset() if NEGATION.search(texts.answer) else frozenset(_LEAD.findall(texts.answer_values.text.lower()))
    words = [word for word in words if word not in said and not (reference.bound and word in {"no", "not"})]
    reverses = texts.length <= _PARAGRAPH and _is_reversed(texts, reference, exact_words(f"{before} {after}"))
    if reverses is not False:
        return Comparison(reference.kind, False if reverses else None)
    if words and reference.ordinal and reference.number.value == 1 and not after.strip():
        return Comparison(reference.kind)  # "The tortoise came first"
    if (words and reference.ordinal) or set(words) & set(exact_words(before)):
        return _compare_name(texts, reference, words)
    new = set(words) - set(exact_words(texts.question))
    following = next(iter(after.split()), "") if reference.end else ""
    title = following[:1].isupper() and following not in texts.question.split()
    if len(words) > _MOST_WORDS or len(new) > _MOST_NEW_WORDS or title:
        return Comparison(reference.kind)
    return _compare_quantity(texts, reference, words)


def _compare_name(texts: Texts, reference: Mention, words: Sequence[str]) -> Comparison:
    """Compare a name with a number, such as Apollo 11 or the 14th Amendment."""
    if reference.unit or len(words) > _LONGEST_NAME or reference.number.is_range or not reference.number.integer:
        return Comparison(reference.kind)
    text, names = texts.answer_values.text, _singulars(words)
    integers = [mention for mention in affirmed(text, texts.answer_values.numbers) if mention.number.integer]
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


def _compare_quantity(texts: Texts, reference: Mention, words: Sequence[str]) -> Comparison:
    """Compare a number or quantity, with the words around it, with the numbers of the answer."""
    text = texts.answer_values.text
    said = affirmed(text, texts.answer_values.numbers)
    denied = {mention.number.value for mention in texts.answer_values.numbers if mention not in said}
    said = [mention for mention in said if mention.number.value not in denied] or said
    mentions = [_signed(text, mention, reference, texts.question) for mention in said]
    if len(mentions) > 1 or not texts.short or _COUNTED.search(texts.question):
        mentions = [mention for mention in mentions if mention.ordinal == reference.ordinal]
    if "pair" not in _singulars(words) | texts.question_words:
        mentions = [mention for mention in mentions if singular(mention.noun) != "pair"]  # 23 pairs are not 23.
    compared = _compare_mentions(texts, reference, mentions)
    if not mentions and (whole := _WHOLE.search(texts.question)) and (every := _EVERY.match(text)):
        counted = read(f"{whole[1]} of them").numbers
        if len(counted) == 1 and counted[0].number == reference.number:
            return Comparison(reference.kind, not every["none"])  # "all of them" for 12, of "the 12 jurors"
    if not compared and reference.number.value == 0 and (none := _NONE.match(text)) and not mentions:
        about_it = _singulars(exact_words(none["noun"] or "")) <= texts.question_words | {*words}
        return Comparison(reference.kind, True if about_it else None)  # "No idea"
    if not compared:
        measured = [mention for mention in mentions if mention.unit and reference.unit]
        other_unit = len(mentions) == len(measured) == 1 and measured[0].number == reference.number
        other_unit = other_unit and not MAY_BE_FREQUENCY.search(f"{texts.reference} {texts.answer}")
        return Comparison(
            reference.kind,
            False if other_unit and not same_unit(measured[0].unit, reference.unit) else None,
            may_contain_reference=True,
        )
    spans = [(mention.start, mention.end) for mention, _ in compared]
    hedges = alternatives(text, spans, [same for _, same in compared])
    answer = "; ".join(_shown(text, mention, reference.unit) for mention, _ in compared)
    rejects = len(said) < len(texts.answer_values.numbers) or len({same for _, same in compared}) > 1
    rejects = rejects or any(not same and _is_other_measure(mention, reference) for mention, same in compared)
    return Comparison(reference.kind, _verdict(texts, reference, words, compared, hedges), answer, hedges or rejects)


def _is_other_measure(mention: Mention, reference: Mention) -> bool:
    """Return whether a number has the reference's digits, but another unit or sign: "$5 a day" for "$5"."""
    number, other = mention.number.value, reference.number.value
    return -number == other != 0 or bool(number == other and mention.unit and reference.unit)


def _verdict(
    texts: Texts, reference: Mention, words: Sequence[str], compared: Sequence[tuple[Mention, bool]], hedges: bool
) -> bool | None:
    """Return whether the answer has the reference's number, by the verdicts on each of its numbers."""
    mentions, verdicts = zip(*compared, strict=True)
    if _counts_other_things(texts, mentions[0], words):
        return None
    rates = [set(_PER.findall(values.text.lower())) for values in (texts.reference_values, texts.answer_values)]
    if not reference.unit and rates[0] != rates[1] and all(rates):
        return False if all(verdicts) else None
    if hedges:
        return False
    reverses = reference.number.is_range and len({mention.number for mention in mentions}) > 1  # "from 30 to 20"
    if reverses or len(set(verdicts)) > 1:
        return None if reverses else _of_several(texts, compared, words)
    if verdicts[0]:
        return None if reference.number.value > 0 and _has_opposite(texts, reference) else True
    numbers = texts.answer_values.numbers
    bounds = [mention.number.value for mention in numbers if mention.bound and mention.unit in {"", reference.unit}]
    bounded = not reference.bound and reference.number.value in bounds  # "up to six"
    return False if not bounded and _is_sure(texts, reference, mentions, words) else None


def _has_opposite(texts: Texts, reference: Mention) -> bool:
    """Return whether an answer to "how much colder" is "2° warmer", or one for "3 N upward" is "3 N downward"."""
    words = [word for word in exact_words(texts.question) if word not in {"up", "down"}]
    asked = [word for word in words if word.endswith("er") or POLE.get(word) in _RESULTS or word in _SIDED]
    after = exact_words(texts.reference_values.text[reference.end :]) if reference.end else ()
    outcomes = [[side.isdisjoint(said) for side in _OUTCOMES] for said in (words, texts.answer_words)]
    if outcomes[0] == outcomes[1][::-1] != outcomes[1]:
        return True  # "They lost 10 games" for "How many did they win?"
    return any(opposite(word, texts.answer_words) for word in (*asked, *after))


def _is_reversed(texts: Texts, reference: Mention, words: Sequence[str]) -> bool | None:
    """Return whether an answer has the reference's number, but says the opposite: "up 4%" for "a fall of 4%".

    The verdict is None if the opposite is in another clause, or denied.
    """
    said = {POLE.get(word) for word in texts.answer_words}
    reversed_words = [word for word in words if opposite(word, texts.answer_words) and POLE.get(word) not in said]
    numbers = () if reference.bound or not reversed_words else texts.answer_values.numbers
    equal_ones = [mention for mention in numbers if _compare_mention(mention, reference, texts)]
    if not equal_ones:
        return False
    if NEGATION.search(texts.answer) or any(mention.number.value < 0 for mention in numbers):
        return None
    clauses = [exact_words(_clause_of(texts.answer_values.text, mention)) for mention in equal_ones]
    return any(opposite(word, clause) for word in reversed_words for clause in clauses) or None


def _clause_of(text: str, mention: Mention) -> str:
    """Return the clause that a number is in."""
    starts = [match.end() for match in _CLAUSE.finditer(text, 0, mention.start)]
    following = _CLAUSE.search(text, mention.end)
    return text[starts[-1] if starts else 0 : following.start() if following else len(text)]


def _signed(text: str, mention: Mention, reference: Mention, question: str) -> Mention:
    """Return a number with the sign of the word before it, if a rise is wanted, or a negative number: "fell by 3%"."""
    asks_rise = bool(_ASKS_RISE.search(question) and not _FALL.search(question))
    negative = reference.number.value < 0 or (asks_rise and reference.number.value > 0)
    falls = negative and mention.number.value > 0 and _FALLS.search(text[: mention.start])
    # "-10%" for a drop of 10%
    falls = falls or (mention.number.value == -reference.number.value < 0 and _FALL.search(question))
    return replace(mention, number=mention.number.scaled(-1)) if falls else mention


def _compare_mentions(texts: Texts, reference: Mention, mentions: Sequence[Mention]) -> list[tuple[Mention, bool]]:
    """Return the answer's numbers that may be the one that is asked for, and whether they are the reference's."""
    wholes = [mention for mention in mentions if not _is_part_of_share(mention, reference, texts)]
    wholes = [mention for mention in wholes if not _has_numerator(mention, reference, texts.answer_values.text)]
    verdicts = [(mention, _compare_mention(mention, reference, texts)) for mention in wholes]
    compared = [(mention, same) for mention, same in verdicts if same is not None]
    if len(compared) == 1 and texts.short:
        return compared
    if len({same for _, same in compared}) > 1:
        text = texts.answer_values.text
        subjects = {mention for mention, _ in compared if _VERB_AFTER.match(text, mention.end)}  # "XL is 60."
        compared = [pair for pair in compared if pair[0] not in subjects or not _is_asked(pair[0], texts)]
    return [(mention, same) for mention, same in compared if not _is_incidental(mention, same, reference, texts)]


def _is_incidental(mention: Mention, same: bool, reference: Mention, texts: Texts) -> bool:
    """Return whether a number is a year where none is asked for, or repeats one of the question."""
    if same and mention.unit == reference.unit:
        return False  # Most questions are not read.
    if not same and mention.year and not reference.year:
        return True
    return _is_asked(mention, texts)


def _is_asked(mention: Mention, texts: Texts) -> bool:
    """Return whether the question has the same number."""
    asked = texts.question_values.numbers
    return any((mention.number.value, mention.unit) == (other.number.value, other.unit) for other in asked)


def _counts_other_things(texts: Texts, mention: Mention, words: Sequence[str]) -> bool:
    """Return whether an answer counts other things than the reference, such as "2 spades" for "2 clubs"."""
    question_words, counted = exact_words(texts.question), _singulars(_counted(texts.question))
    known = _singulars((*words, *question_words))
    if not mention.noun or mention.noun in _NOT_AFTER or singular(mention.noun) in known:
        return False
    if counted and mention.noun.endswith("s"):
        return counted.isdisjoint(_singulars(texts.answer_words))
    return texts.short and not set(words) <= set(question_words)


def _of_several(texts: Texts, compared: Sequence[tuple[Mention, bool]], words: Sequence[str]) -> bool | None:
    """Return the verdict on the number that the question asks for, among several that differ."""
    text = texts.answer_values.text
    outside = (pair for pair in compared if text.count("(", 0, pair[0].start) <= text.count(")", 0, pair[0].start))
    results = [
        pair
        for pair in outside
        if _RESULT.search(text[max(0, pair[0].start - 40) : pair[0].start]) or _TOTAL.match(text, pair[0].end)
    ]
    nouns = _singulars((*words, *_counted(texts.question)))
    if results:
        last, same = results[-1]
        written = {text[mention.start : mention.end].strip() for mention, right in compared if right}
        about_it = _nouns(text, last) & nouns or texts.reference_values.text.strip(" .") not in written
        return True if same else False if about_it and not compared[-1][1] else None
    (first, same), (last, same_last) = compared[0], compared[-1]
    if same_last and _RESTATED.search(text[max(0, last.start - 40) : last.start]):
        return True
    counted, bare = _by_noun(text, compared, nouns)
    if len(counted) == 1:
        return True if True in counted else None if True in bare else False
    clauses = _clauses(texts, compared, nouns)
    # The first word of a clause names what it is about; the verb may be missing in the other clauses.
    about = [clause for clause in clauses if clause.shared or not clause.words]
    if len(about) == 1 and not about[0].shared.isdisjoint(about[0].words[:1]):
        return about[0].same
    best = {clause.same for clause in clauses if all(clause.shared >= other.shared for other in clauses)}
    close = {same for mention, same in compared if _nouns(text, mention) & nouns}
    verdict = (same and not exact_words(text[: first.start])) or (close.pop() if len(close) == 1 else None)
    # For team B, "Team A won 3 games, and team B won 5" does not say 3.
    return verdict if len(best) != 1 or verdict in best else None


def _by_noun(text: str, compared: Sequence[tuple[Mention, bool]], nouns: set[str]) -> tuple[set[bool], set[bool]]:
    """Return the verdicts on numbers that count what the question asks for, and those on numbers without a noun.

    In "8 arms and 3 hearts", only 3 counts hearts. A number without a noun takes the noun of the number before it:
    "Team A won 3 games, and team B won 5".
    """
    verdicts, counted = (set[bool](), set[bool]()), None
    for mention, same in compared:
        if mention.noun in _MORE:
            continue  # "three fewer episodes"
        if mention.unit or (mention.noun and mention.noun not in _NOT_AFTER):
            counted = not _nouns(text, mention).isdisjoint(nouns)
        if counted is not False:
            verdicts[counted is None].add(same)
    return verdicts


class _Clause(NamedTuple):
    """A clause with compared numbers that have one verdict, and stems and numbers that it shares with the question."""

    same: bool
    words: list[str]  # stems
    shared: frozenset[str]


def _clauses(texts: Texts, compared: Sequence[tuple[Mention, bool]], nouns: set[str]) -> list[_Clause]:
    """Return the clauses with compared numbers; nothing if one has two verdicts, or another the question's words."""
    text = texts.answer_values.text
    asked = {stem(word) for word in content_words(texts.question) if singular(word) not in nouns | _INTERROGATIVES}
    clauses, start = list[_Clause](), 0
    for end, following in [*(match.span() for match in _CLAUSE.finditer(text)), (len(text), 0)]:
        inside = {same for mention, same in compared if start <= mention.start < end}
        stems = [stem(word) for word in content_words(text[start:end])]
        words = [word for word in stems if not word[0].isdigit()]
        if len(inside) > 1 or (not inside and not asked.isdisjoint(words)):
            return []
        clauses += [_Clause(same, words, frozenset(asked.intersection(stems))) for same in inside]
        start = following
    return clauses


def _is_sure(texts: Texts, reference: Mention, mentions: Sequence[Mention], words: Sequence[str]) -> bool:
    """Return whether other numbers than the reference's show that an answer is wrong."""
    length, alone = texts.length, len({mention.number for mention in mentions}) == 1
    if length > _PARAGRAPH:
        return False
    nouns = _singulars((*words, *_counted(texts.question)))
    about_it = any(_nouns(texts.answer_values.text, mention) & nouns for mention in mentions)
    measured = alone and bool(reference.unit and mentions[0].unit)
    before = texts.answer_values.text[max(0, mentions[-1].start - 40) : mentions[-1].start]
    result = _RESULT.search(before) or (alone and _DIRECT.fullmatch(before))
    return (alone and length <= _SENTENCE) or about_it or measured or bool(result)


def _compare_mention(mention: Mention, reference: Mention, texts: Texts) -> bool | None:
    """Return whether two numbers are the same; None if they measure different things."""
    if mention.bound != reference.bound:
        differs = mention.number == reference.number and _compare_measure(mention, reference, texts) is False
        return False if differs or (mention.bound and reference.bound) else None
    if reference.unit and mention.unit:
        return _compare_measure(mention, reference, texts)
    vague = mention.number.approximate and reference.number.integer and not reference.number.approximate
    low, high = sorted((mention.number.value, reference.number.value))
    same = equal(mention.number, reference.number, texts.tolerance)
    counts = reference.number.integer and mention.number.value % 1 and _COUNTED.search(texts.question)
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


def _is_part_of_share(mention: Mention, reference: Mention, texts: Texts) -> bool:
    """Return whether a number is one of the two in a reference such as "24 out of 30"."""
    if "/" in texts.reference or not mention.number.integer:
        return False
    share = _FRACTION.fullmatch(texts.reference_values.text[reference.start : reference.end])
    return share is not None and f"{mention.number.value:.0f}" in share.groups()


def _has_numerator(mention: Mention, reference: Mention, text: str) -> bool:
    """Return whether a number is a fraction whose numerator is the reference, such as "24/30" for 24 right answers."""
    fraction = _FRACTION.fullmatch(text[mention.start : mention.end])
    return fraction is not None and int(fraction[1]) == reference.number.value


def _compare_measure(mention: Mention, reference: Mention, texts: Texts) -> bool | None:
    """Return whether two quantities are the same; None if they measure different things."""
    units = [mention.unit, reference.unit]
    if converted(mention.number, *units) is None:
        units = [_without_period(unit, texts.question) for unit in units]
    if (rate := _PER_PERIOD.match(units[0])) and units[1] == rate[1] and (asked := _ADVERB.search(texts.question)):
        units[1] = f"{rate[1]}/({_PERIODS[asked[0][:3].lower()]})"  # $12 a year is a monthly rent of $1.
    number = converted(mention.number, *units)
    if (
        _alike(*units)
        and not _ASKS_WEIGHT.search(texts.question)
        and (number is None or mention.number.value == reference.number.value)
    ):
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


def _alike(unit: str, other: str) -> bool:
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
        number = converted(reference.number, reference.unit, *texts.named_units)
        if number and reference.unit not in texts.named_units:
            return equal(mention.number, number, texts.tolerance)
    if mention.number.value == -reference.number.value != 0:
        return False  # "40 degrees" for -40
    words = _singulars(exact_words(text[measured.start : measured.end]))
    units, repeated = texts.named_units, not words.isdisjoint(texts.question_words)
    named = any(same_unit(measured.unit, unit) for unit in texts.asked_units) or (repeated and not units)
    other = mention.unit and not named and not repeated
    asked = [converted(mention.number, mention.unit, unit) for unit in units] if other else []
    if len(asked) == 1 and asked[0]:
        return equal(asked[0], reference.number, texts.tolerance)  # "How many tablespoons?" - "16 teaspoons"
    if same or mention.unit:
        return same if named else None
    return None if mention.noun and mention.noun not in _NOT_AFTER else False  # it may be a unit that is not known


def _shown(text: str, mention: Mention, unit: str) -> str:
    """Return a number as it is written, with its value in another unit."""
    written = text[mention.start : mention.end].strip()
    shows_other = unit and mention.unit not in {"", unit} and not _alike(mention.unit, unit)
    other = converted(mention.number, mention.unit, unit) if shows_other else None
    return written if other is None else f"{written} ({round(other.value, 9) + 0.0:.4g} {readable(unit)})"


def _singulars(words: Iterable[str]) -> set[str]:
    return {singular(word) for word in words}


def _around(text: str, mention: Mention) -> set[str]:
    """Return the two words before and after a number."""
    before, after = text[max(0, mention.start - 30) : mention.start], text[mention.end : mention.end + 30]
    return _singulars(exact_words(before)[-2:] + exact_words(after)[:2])


def _nouns(text: str, mention: Mention) -> set[str]:
    """Return the words of a number's unit and the three words after it, which may include its noun."""
    unit = re.findall(r"[^\W\d_]+", text[mention.start : mention.end].lower())
    after = _DIGIT.split(text[mention.end : mention.end + 40].lower())[0]
    return _singulars(unit + re.findall(r"[^\W\d_]+", after)[:3])


def _counted(question: str) -> list[str]:
    """Return what a question counts: "bones" for "How many bones are there?"."""
    match = _COUNTED.search(question)
    words = dropwhile(_NO_NOUN.__contains__, match[1].lower().split() if match else [])
    return [*takewhile(lambda word: word not in _NO_NOUN, words)][:2]
