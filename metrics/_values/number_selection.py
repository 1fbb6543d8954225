"""Select the numbers of an answer that the question asks for: "8 arms and 3 hearts" has 3 hearts.

Numbers of the question, years, and numbers that count other things than the reference do not decide.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import Any, NamedTuple

from .._shared.words import exact_words
from .comparison import Texts
from .directions import SIDES, content_words
from .phrases import ELSEWHERE, is_denied, singular, singulars, stem
from .quantities import COUNTED, NO_NOUN, NOT_NOUNS, compare_quantities
from .reading import Mention
from .units import same_unit
from .word_tables import pattern_of, word_set

_PEOPLE = word_set("people person inhabitant inhabitants resident residents citizen citizens individuals souls")
_MORE = word_set("more fewer less additional other another extra")
_RESULT = re.compile(
    rf"(?:\b(?:{pattern_of('result')})\b|=)[^\d=]{{0,16}}$|"
    r"\b(?:so|therefore|thus|hence),? the (?:\w+ ){1,4}(?:is|was|are) (?:about )?[$€£]?$|"
    r"(?:times|plus|minus|divided by|[×x*+/]) \d[\d.,]* is $",
    re.IGNORECASE,
)
_EACH = re.compile(r"\s(?:\w+ )?(?:per (?:person|head|piece|child)|each|apiece)\b")
_TOTAL = re.compile(r"(?:\s\w+)?,?\s(?:in (?:total|all)|altogether|overall)\b", re.IGNORECASE)
_FRACTION = re.compile(r"(\d+)/(\d+)")
_CLAUSE = re.compile(r"[.,;:](?!\d)|\b(?:and|but|while|whereas|although)\b", re.IGNORECASE)
_INTERROGATIVES = word_set("how what which many much long often far get have")
_RESTATED = re.compile(r"\b(?:i\.e\.|namely|in other words)[^\d=]{0,12}$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_DIRECT = re.compile(r"\W*(?:(?:it|that|this)(?:['’]s| is| was| would be) (?:about )?)?", re.IGNORECASE)
_VERB_AFTER = re.compile(r" (?:is|equals|means|stands for|represents|=) ")
_SENTENCE, PARAGRAPH = 8, 25  # Words of an answer.


def affirmed(texts: Texts, values: Iterable[Any]) -> list[Any]:
    """Return the values of an answer that it affirms, and does not say of the opposite of what the question asks.

    >>> texts = Texts("How many did they win?", "They lost 10 games and won 12.", "12")
    >>> [mention.number.value for mention in affirmed(texts, texts.answer_values.numbers)]
    [12.0]
    """
    text = texts.answer_values.text
    said = [value for value in values if not is_denied(text, value.start, value.end)]
    if _asked_sides(texts.question):
        said = [value for value in said if not is_of_other_side(texts.question, clause_of(text, value))]
    return [value for value in said if not ELSEWHERE.match(text, value.end)] or said


@lru_cache(maxsize=1 << 10)
def _asked_sides(question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return the words for what a question asks, such as "open", each with the words for the opposite."""
    words = exact_words(question)
    return [(side, other) for side, other in SIDES if not side.isdisjoint(words) and other.isdisjoint(words)]


def is_of_other_side(question: str, text: str) -> bool:
    """Return whether a text names the opposite of what a question asks: "closes at 5" for "When does it open?"."""
    sides = _asked_sides(question)
    words = exact_words(text) if sides else ()
    return any(side.isdisjoint(words) and not other.isdisjoint(words) for side, other in sides)


def compare_asked_numbers(texts: Texts, reference: Mention, mentions: Sequence[Mention]) -> list[tuple[Mention, bool]]:
    """Return the answer's numbers that may be the one that is asked for, and whether they are the reference's."""
    wholes = [mention for mention in mentions if not _is_part_of_share(mention, reference, texts)]
    wholes = [mention for mention in wholes if not _has_numerator(mention, reference, texts.answer_values.text)]
    verdicts = [(mention, compare_quantities(mention, reference, texts)) for mention in wholes]
    compared = [(mention, same) for mention, same in verdicts if same is not None]
    if len(compared) == 1 and texts.short:
        return compared
    result = _result(mentions, texts.answer_values.text)
    if result and not any(same for mention, same in compared if mention is not result):
        compared = [pair for pair in compared if pair[0] is result] or compared
    if len({same for _, same in compared}) > 1:
        text = texts.answer_values.text
        subjects = {mention for mention, _ in compared if _VERB_AFTER.match(text, mention.end)}  # "XL is 60."
        compared = [pair for pair in compared if pair[0] not in subjects or not _is_asked(pair[0], texts)]
    return [
        (mention, same)
        for mention, same in compared
        if mention is result or not _is_incidental(mention, same, reference, texts)
    ]


def _result(mentions: Sequence[Mention], text: str) -> Mention | None:
    """Return the last number of an answer that computes it: "12 × 15 comes to 180."."""
    last = mentions[-1] if len(mentions) > 1 else None
    return last if last and _is_result(text, last) else None


def _is_result(text: str, mention: Mention) -> bool:
    """Return whether a number follows a word such as "total" or "so", and is no rate or pronoun ("a big one")."""
    before = text[max(0, mention.start - 40) : mention.start]
    if mention.number.value == 1 and not mention.unit and not mention.noun and "=" not in before[-3:]:
        return False
    return _RESULT.search(before) is not None and not _EACH.match(text, mention.end)


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
    return any(
        mention.number.value == other.number.value
        and (mention.unit == other.unit or bool(mention.unit and other.unit and same_unit(mention.unit, other.unit)))
        for other in asked
    )


def counts_other_things(texts: Texts, mention: Mention, words: Sequence[str]) -> bool:
    """Return whether an answer counts other things than the reference, such as "2 spades" for "2 clubs"."""
    question_words, counted = exact_words(texts.question), singulars(_counted_words(texts.question))
    known = singulars((*words, *question_words))
    people = mention.noun in _PEOPLE and not _PEOPLE.isdisjoint(counted)
    if people or not mention.noun or mention.noun in NOT_NOUNS or singular(mention.noun) in known:
        return False
    if counted and mention.noun.endswith("s"):
        return counted.isdisjoint(singulars(texts.answer_words))
    other = mention.noun.endswith("s") and not mention.unit and not set(words) <= {*texts.answer_words, *question_words}
    return other or (texts.short and not set(words) <= set(question_words))


def select_verdict(texts: Texts, compared: Sequence[tuple[Mention, bool]], words: Sequence[str]) -> bool | None:
    """Return the verdict on the number that the question asks for, among several that differ."""
    text = texts.answer_values.text
    outside = (pair for pair in compared if text.count("(", 0, pair[0].start) <= text.count(")", 0, pair[0].start))
    results = [pair for pair in outside if _is_result(text, pair[0]) or _TOTAL.match(text, pair[0].end)]
    nouns = singulars((*words, *_counted_words(texts.question)))
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
        if mention.unit or (mention.noun and mention.noun not in NOT_NOUNS):
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


def is_sure(texts: Texts, reference: Mention, mentions: Sequence[Mention], words: Sequence[str]) -> bool:
    """Return whether other numbers than the reference's show that an answer is wrong."""
    length, alone = texts.length, len({mention.number for mention in mentions}) == 1
    if length > PARAGRAPH:
        return False
    nouns = singulars((*words, *_counted_words(texts.question)))
    about_it = any(_nouns(texts.answer_values.text, mention) & nouns for mention in mentions)
    measured = alone and bool(reference.unit and mentions[0].unit)
    before = texts.answer_values.text[max(0, mentions[-1].start - 40) : mentions[-1].start]
    result = _RESULT.search(before) or (alone and _DIRECT.fullmatch(before))
    return (alone and length <= _SENTENCE) or about_it or measured or bool(result)


def _counted_words(question: str) -> list[str]:
    """Return what a question counts: "bones" for "How many bones are there?"."""
    match = COUNTED.search(question)
    words = dropwhile(NO_NOUN.__contains__, match[1].lower().split() if match else [])
    return [*takewhile(lambda word: word not in NO_NOUN, words)][:2]


def _nouns(text: str, mention: Mention) -> set[str]:
    """Return the words of a number's unit and the three words after it, which may include its noun."""
    unit = re.findall(r"[^\W\d_]+", text[mention.start : mention.end].lower())
    after = _DIGIT.split(text[mention.end : mention.end + 40].lower())[0]
    return singulars(unit + re.findall(r"[^\W\d_]+", after)[:3])


def clause_of(text: str, mention: Any) -> str:
    """Return the clause that a value is in."""
    starts = [match.end() for match in _CLAUSE.finditer(text, 0, mention.start)]
    following = _CLAUSE.search(text, mention.end)
    return text[starts[-1] if starts else 0 : following.start() if following else len(text)]
