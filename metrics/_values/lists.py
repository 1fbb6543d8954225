"""Compare lists: answers with several required parts, and lists of candidates for a question with one answer.

"blue, red and green" has the parts of "red, green and blue", unless the question asks for an order.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from .._shared.words import exact_words
from .calendar_names import keys_in_cycle
from .comparison import Comparison, Texts
from .number_words import with_digits
from .numbers import equal
from .phrases import FILLERS, negated, rest, singular
from .places import keys_of
from .reading import Mention, read
from .substances import substance
from .text import plain
from .units import converted
from .word_tables import pattern_of, word_set

_SEPARATOR = re.compile(
    r"\s*(?:,(?!\d)|(?<!\d),|[;•\n&、，・]|\s[-–—]\s(?=\S+\s[-–—]\s)|\s/\s|"
    r"\band also\b|\band\b|\bund\b|\bet\b|(?<=[^\W\d_]{2} )y(?= [^\W\d_]{2})|\bas well as\b|\bplus\b)+\s*",
    re.IGNORECASE,
)
# A plural noun. Some singular nouns end in s, too, and so do the verbs after them: "which gas makes".
_NOUNS = r"(?!\w*(?:ss|us|is|gas|was|does|has)\b)\w+s\b(?! (?:is|was|does|has|makes|can)\b)"
# A plural noun whose verb is not its own: "which colors does the flag have".
_THINGS = r"(?!species|series)\w{3,}[^\W\dsui]s"
_SEVERAL = re.compile(
    rf"^match\b|\b(?:two|three|four|five|six|seven|both of|both the|all|everyone|everybody|list|each|name the|"
    rf"which (?:two|three|\w+ are|{_NOUNS}|{_THINGS} does|(?:week)?days is)|"
    rf"what (?:are|were|{_NOUNS})|who (?:are|were)|"
    r"and what|and who|steps|parts|"
    r"order|sequence|components|solve|roots|solutions|welche|quels|quelles|cuáles|qué \w{3,}s|quali)\b",
    re.IGNORECASE,
)
_asks_for_several = lru_cache(maxsize=1 << 8)(_SEVERAL.search)
_IN_BRACKETS = re.compile(r"^\s*[(\[]([^()\[\]]*)[)\]][\s.]*$")
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_ANY_OF = re.compile(rf"any ({'|'.join(_COUNTS)}) of:?(?: the following:?)? (.+)", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(r"\b(?:name|give|mention|state|suggest|what is) (?:one|an example|any)\b", re.IGNORECASE)
_POINT = re.compile(r"\((?:[-−]?[\d.]+, ?)+[-−]?[\d.]+\)")
_ORDER = re.compile(
    r"\b(?:(?<!\bthey )(?<!\byou )(?<!\bwe )(?<!\bhe )(?<!\bto )order|ascending|descending|sequence|starting|"
    r"from (?:the )?[a-z]+ (?:down |up )?to \w+|from the (?:bottom|top|left|right)|reading from|"
    r"from (?:the )?[a-z]+(?: [a-z]+)? (?:out|in|up|down)wards?|respectively|increasing|decreasing|"
    r"rank|sort|(?:ranked|sorted) (?:by|from)|alphabetical|coordinates|"
    r"steps (?:to|of|for)|"
    r"beginning with|chronolog\w+|first to \w+|first,? (?:and )?second|"
    r"(?:smallest|lowest|shortest|oldest|earliest|nearest|closest|lightest|biggest|largest|"
    r"highest|longest|most|heaviest) (?:first|to (?:the )?(?:\w+est|least))|"
    r"reihenfolge|ordre|orden|ordine|ordem|volgorde|kolejności|порядке|sırayla)\b|顺序|順序|順番|순서",
    re.IGNORECASE,
)
_PRINTS = re.compile(
    r"\b(?:what|which values) (?:do|does|will|would) [^(`\[]*[(`\[].* (?:return|print|output)\b|"
    r"\boutput of [^(`\[]*[(`\[]",
    re.IGNORECASE,
)
_SOLVE = re.compile(r"\b(?:solve|roots?|solutions?|values?|zeros?)\b", re.IGNORECASE)
_SOLUTION = re.compile(r"\s+or\s+")
_KEY = re.compile(r"^\s*[a-z]\s?=\s?(?=[-−+\d])")
_SIGNED = r"[-+]?\s?\d+(?:\.\d+)?(?![\d.,/^]*\d)"
_ASSIGNS = re.compile(r"=|^(?:the )?\w+(?: is| are|:) (?:the )?\w+$")
# A variable and its value, without a unit or an operator after it.
_ASSIGNED = re.compile(
    rf"(?<!\w)([^\W\d_]\d?)\s?(?:=|is|equals)\s?({_SIGNED})(?!\s?(?:[-+*/^√%°(=]|(?!(?:and|or|und|oder|et|y)\b)[^\W\d_]))"
)
# Words before and after an item that an answer denies; it may deny other items than the reference's.
_DENIED = (
    r"\b(?:no|not|nor|without|minus|except(?: for)?|but for|excluding|lacks?|lacked)(?: (?:an?|any|the|his|her|its))? "
)
_DENIED_AFTER = (
    r"(?: \w+)? (?:(?:is|are|was|were)n['’]t (?:necessary|needed|required|included)\b|"
    r"(?:is|are|was|were|has been|have been) (?:not\b|left (?:off|out)\b|missing|absent|excluded|omitted|removed|"
    r"dropped|ruled out|denied))"
)
_EXCLUDES = re.compile(r"\b(?:not|nor|neither|except|but)\b", re.IGNORECASE)
_OMITS = re.compile(rf"\b(?:no|without|minus|excluding|lacks?|lacked)\b|{_DENIED_AFTER}|n['’]t\b", re.IGNORECASE)
_KEYS_IN_ORDER = re.compile(r"\b[\w-]+(?:, [\w-]+)*,? and [\w-]+")
_LINKS = word_set("is are at the end of to for = : - – whereas while")
_TRUTH = {"t": "true", "f": "false"}
_CANDIDATE = re.compile(
    r"(?:(?:,(?!\d)|(?<!\d),|[/|\n]|\bor(?: else)?\b|\boder\b|\bou\b|(?<=\w)[.](?=\s|$))\s*)+",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\s*1[.)]\s|(?<=\s)\d\d?[.)]\s")
_COLON = re.compile(r":(?!\d)")
_INTEGERS_ONLY = re.compile(r"\d{1,9}(?:\s\d{1,9}){3,}")
_HEDGE = re.compile(rf"^(?:[\s,]|(?:{pattern_of('hedge')})(?!\w))*", re.IGNORECASE)
_LEAD = re.compile(r"^[^,;:]{0,60}?(?:\b(?:are|were|is|was|includes?|included)\b:?|:)\s+(?=\S)")
_TAIL = re.compile(r"\s(?:are|were|is|was)\b[^,;]*$")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3}[.!?])\s+(?=[A-Z])")
# A remark in parentheses at the end, such as "(in this order)".
_REMARK = re.compile(r"^([^()]*\w) \(([^()]*)\)\.?$")
# What an answer adds to a list that is complete, and what precedes the list.
_CLOSING = re.compile(
    r",? (?:and )?(?:no(?:body|thing| one|ne) else|no others?|just (?:these|those)(?: \w+)?|that['’]s (?:all|it))\W*$|"
    r", (?:i (?:believe|think|guess)|of course|obviously|respectively|etc)\W*$|[,;] (?:since|because|these are) .*$",
    re.IGNORECASE,
)
_SO = re.compile(r"^.*\b(?:so|hence|thus|therefore),? (?:they|these|those|the \w+(?: \w+)?) are\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^\W*(?:in (?:short|summary|brief)|tl;?dr|there are \w+(?: \w+)?)\s?[,:;–—-]\s*|"
    r"^the (?:two|three|four|five) \w+, ",
    re.IGNORECASE,
)
_COUNTING = re.compile(
    r"(?:^|(?<=[,;] ))(?:first|second|third|fourth|fifth|finally|lastly|then)(?:ly)?,? (?=\w)", re.IGNORECASE
)
_PRODUCT = re.compile(r"\d\s?(?:[·×*]|\\cdot|\\times)\s?\d")
_PLUS_MINUS = re.compile(r"±\s?(\d[\d.,/]*)")
_INTEGERS = re.compile(r"(?<![\d.,])-?\d{1,2}(?:,-?\d{1,2})+(?![\d,]|\.\d)")
_ENDS = re.compile(r"([\[(])[^()\[\]]*,[^()\[\]]*([\])])")  # of an interval
_ONLY = re.compile(r"^\W*(?:only|just)(?: (?:on|in|at))? ", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:etc|such as|including|among|for example|e\.g|others?|more)\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:or|oder|possibly|perhaps|maybe|candidates|possibilities|might be|may be|could be|guess(?:es)?|any of these|"
    r"one of (?:these|them)|take your pick)\b|\s/\s",
    re.IGNORECASE,
)
_MAY_BE = r"\b(?:could|might|may) (?:also |equally |just as )?(?:well )?be\b"
_POSSIBILITIES = re.compile(
    r"\W*there (?:are|may be|could be) (?:several|many|various|multiple|two|three|a few|some) "
    r"(?:possib|option|candidate)",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"\b(?:but|final|anyway|in the end|going with|i(?:['’]d| would) (?:say|go|pick|choose))\b", re.IGNORECASE
)
_LONGEST, _LONGEST_SOLUTION = 200, 400  # Characters of a list, and of an answer with values of one variable.
_LONGEST_PART, _LONGEST_CANDIDATE = 6, 5  # Words.
_FEW_WORDS = 3  # Words of a part that may be a sentence.
_SHORT_PART = 2  # Words of a part that has no other form.
_WORDS_PER_PART = 6
_FEW, _MANY = 2, 4  # Candidates.
_SIMILAR, _LONG_NAME = 0.7, 6  # Similarity of two spellings of a name, and the fewest letters of such a name.


@lru_cache(maxsize=1 << 10)
def parts(text: str) -> Sequence[str]:
    """Return the parts of a list; a single one for a text that is no list.

    >>> parts("red, green and blue"), parts("heart – circulatory; lungs – respiratory")
    (['red', 'green', 'blue'], ['heart – circulatory', 'lungs – respiratory'])
    """
    if len(text) > _LONGEST:
        return [text]
    items = [part for piece in _SEPARATOR.split(text) if (part := piece.strip(" .\t"))]
    return items if all(len(part.split()) <= _LONGEST_PART for part in items) else [text]


def _parts(text: str, question: str) -> Sequence[str]:
    """Return the parts of a list without brackets; the solutions of an equation may be joined by "or"."""
    text = _IN_BRACKETS.sub(r"\1", text)
    return parts(_SOLUTION.sub(", ", text) if "or" in text and _SOLVE.search(question) else text)


def is_list(texts: Texts) -> bool:
    """Return whether the reference is a list of required parts."""
    items = _parts(texts.reference, texts.question)
    if len(items) <= 1 or _number(texts.reference, texts) is not None:
        return False  # "three hundred and fifty"
    several = len(items) > _FEW or _asks_for_several(texts.question) is not None
    return several or all(_ASSIGNS.search(part) or _number(part, texts) is not None for part in items)


def may_be_choice(reference: str) -> bool:
    """Return whether a reference lists several right answers: "any two of: …", or a list with "or"."""
    return _ANY_OF.match(reference) is not None or (reference.count(",") > 1 and " or " in reference)


def compare_choice(texts: Texts) -> Comparison | None:
    """Compare an answer with a reference that lists several right answers, if the question asks for one or a few.

    >>> compare_choice(Texts("Name two.", "Italy and Japan", "Any two of: Canada, Italy, Japan, the UK")).equal
    True
    """
    match = _ANY_OF.match(texts.reference)
    if not match and not _ASKS_FOR_ONE.search(texts.question):
        return None
    wanted, listed = (_COUNTS[match[1].lower()], match[2]) if match else (1, texts.reference)
    accepted = {exact_words(part) for part in parts(listed)}
    said = {exact_words(part) for part in parts(texts.answer.strip())}
    if len(accepted) <= wanted:
        return None
    wrong = texts.short and accepted.isdisjoint(said)
    return Comparison("list", True if said <= accepted and len(said) == wanted else False if wrong else None)


def compare_points(texts: Texts) -> Comparison | None:
    """Compare lists of points such as "(2, 0) and (-3, 0)"; None for another reference."""
    points, said = (
        {"".join(point.split()) for point in _POINT.findall(text)} for text in (texts.reference, texts.answer)
    )
    return Comparison("list", points == said if len(points) == len(said) else None) if len(points) > 1 else None


def compare_list(texts: Texts) -> bool | None:
    """Return whether the answer has all parts of the reference and no others; None if that is not certain.

    >>> compare_list(Texts("", "green, red", "red and green")), compare_list(Texts("", "green, blue", "red and green"))
    (True, False)
    """
    texts = replace(texts, answer=_just_list(texts.answer, texts.reference))
    asked = _denies(texts.reference) or _denies(texts.question)
    if (
        "±" in texts.answer
        or texts.answer_values.is_range
        or negated(texts.answer)
        or (_EXCLUDES.search(texts.answer) if asked else _denies(texts.answer))
    ):
        return False if not asked and _omits_part(texts) else None
    ends, other_ends = _ENDS.findall(texts.reference), _ENDS.findall(texts.answer)
    intervals = ends and other_ends and ends != other_ends
    products = _PRODUCT.search(texts.answer) and not _PRODUCT.search(texts.reference)  # "60 = 2² · 3 · 5"
    required_or = " or " in texts.answer and " or " not in texts.reference and not _SOLVE.search(texts.question)
    if intervals or products or required_or or (_asks_order(texts.question) and _reorders_keys(texts)):
        return None
    required, items = (_without_key(_parts(text, texts.question)) for text in (texts.reference, _listing(texts)))
    if (assigned := _compare_assignments(texts, required)) is not None:
        return assigned
    numbers = [number for part in required if (number := _number(part, texts)) is not None]
    if len(numbers) == len(required):
        return _compare_numbers(texts, numbers)
    facts = [_facts(part, texts) for part in required]
    names = all(_is_title(part) and not any(map(str.isdigit, part)) for part in required)
    if all(len(words) > 1 for words in facts) and not names:
        return _compare_facts(texts, facts, [_facts(part, texts) for part in items])
    return _compare_words(texts, required, items)


def _just_list(answer: str, reference: str) -> str:
    """Return an answer without what closes a list, what precedes it, and the sign of "±2", which is two numbers."""
    if len(answer) > _LONGEST_SOLUTION:
        return answer
    answer = _COUNTING.sub("", _OPENING.sub("", _SO.sub("", _CLOSING.sub("", answer)).rstrip("! ")))
    if "." not in reference and not _INTEGERS.search(reference):
        answer = _INTEGERS.sub(lambda match: match[0].replace(",", ", "), answer)  # "{2,3}"
    return answer if "±" in reference else _PLUS_MINUS.sub(r"\1 and -\1", answer)


def _listing(texts: Texts) -> str:
    """Return the list in an answer, without the words around it. It may be in the only sentence with a part of it."""
    words = {*exact_words(texts.reference)}
    sentences = [text for text in _SENTENCE_END.split(texts.answer) if not words.isdisjoint(exact_words(text))]
    answer = sentences[0] if len(sentences) == 1 else texts.answer
    remark = _REMARK.match(answer)
    if remark and texts.reference[-1] != ")" and {*exact_words(remark[2])}.isdisjoint(exact_words(texts.reference)):
        answer = remark[1]
    answer = _HEDGE.sub("", answer)
    lead, tail = _LEAD.match(answer), _TAIL.search(answer)
    if tail and words.isdisjoint(exact_words(tail[0])):
        return answer[: tail.start()]
    return answer[lead.end() :] if lead and words.isdisjoint(exact_words(lead[0])) else answer  # "The two of them are"


def _is_title(text: str) -> bool:
    """Return whether each word starts with a capital, as in "Paul McCartney"."""
    return all(word[0].isupper() for word in text.split())


def _is_ordered(texts: Texts) -> bool:
    """Return whether the order matters: of a vector, of a list of a program, or because of the question."""
    vector = texts.reference[:1] in {"(", "["} and not _asks_for_several(texts.question)
    point = _POINT.fullmatch(texts.reference) is not None and not _SOLVE.search(texts.question)
    return vector or point or _asks_order(texts.question)


@lru_cache(maxsize=1 << 8)
def _asks_order(question: str) -> bool:
    """Return whether a question asks for an order, or for what code returns."""
    end = question[-1000:]
    return bool(_ORDER.search(end) or _PRINTS.search(end))


def _denies(text: str) -> bool:
    """Return whether a text denies something: "ham, but no olives"."""
    return bool(_EXCLUDES.search(text) or _OMITS.search(text))


def _omits_part(texts: Texts) -> bool:
    """Return whether an answer denies a part of the reference that it does not also name elsewhere."""
    items, lower = (part.removeprefix("the ") for part in _parts(texts.reference, texts.question)), texts.answer.lower()
    named = "|".join(re.escape(item) for item in items if lower.count(item.lower()) == 1)
    pattern = rf"{_DENIED}(?:{named})\b|\b(?:{named}){_DENIED_AFTER}"
    return named != "" and re.search(pattern, texts.answer, re.IGNORECASE) is not None


def _reorders_keys(texts: Texts) -> bool:
    """Return whether an answer names things of a list in the question in another order: "Silver: Kim, gold: Lee"."""
    listed = _KEYS_IN_ORDER.search(texts.question.lower())
    others = {"and", *exact_words(texts.reference)}
    keys = [word for word in exact_words(listed[0]) if word not in others] if listed else []
    said = [word for word in texts.answer_words if word in keys]
    return said != [key for key in keys if key in said]


def _compare_assignments(texts: Texts, required: Sequence[str]) -> bool | None:
    """Compare lists of assignments, to one variable or to several; None for another list or if that is not certain."""
    wanted, count = _assigned(plain(texts.reference)) if "=" in texts.reference else ({}, 0)
    if count < _FEW or count != len(required):
        return None
    said, _ = _assigned(texts.answer_values.text[:_LONGEST_SOLUTION])
    if any(len(said.get(name, ())) != len(values) for name, values in wanted.items()):
        return None
    return all(said[name] == values for name, values in wanted.items())


def _assigned(text: str) -> tuple[dict[str, set[float]], int]:
    """Return the values of each variable in a text, and the number of assignments."""
    pairs, values = _ASSIGNED.findall(text), defaultdict[str, set[float]](set)
    for name, value in pairs:
        values[name].add(float(value.replace(" ", "")))
    return values, len(pairs)


def _without_key(items: Sequence[str]) -> Sequence[str]:
    """Return the parts without the "x =" that all of them start with."""
    keys = {match[0] if (match := _KEY.match(part)) else "" for part in items}
    return [part.removeprefix(*keys) for part in items] if len(keys) == 1 else items


def _number(part: str, texts: Texts) -> Mention | None:
    """Return the number of a part that is just a number."""
    values = read(part, *texts.language)
    mentions = values.numbers
    alone = len(mentions) == 1 and not rest(values.text, mentions[0].start, mentions[0].end)
    return mentions[0] if alone else None


def _compare_numbers(texts: Texts, required: Sequence[Mention]) -> bool | None:
    mentions = [mention for mention in texts.answer_values.numbers if not mention.ordinal]
    if len(mentions) > 3 * len(required):
        return None
    places: list[int] = []
    for number in required:
        free = [i for i in range(len(mentions)) if i not in places]
        place = next((i for i in free if _equal(mentions[i], number, texts)), None)
        if place is None:
            short = len(texts.answer_words) <= _WORDS_PER_PART * len(required)
            return False if short and 0 < len(mentions) <= len(required) else None
        places.append(place)
    if not _in_order(texts, places):
        return False
    if len(mentions) > len(required):
        return False if texts.length <= len(mentions) + _FEW else None
    return True


def _equal(mention: Mention, reference: Mention, texts: Texts) -> bool:
    unit = reference.unit or mention.unit
    number = converted(mention.number, mention.unit or unit, unit)
    return number is not None and equal(number, reference.number, texts.tolerance)


def _in_order(texts: Texts, places: Sequence[int]) -> bool:
    """Return whether places ascend, or the order does not matter."""
    return not _is_ordered(texts) or all(place <= following for place, following in pairwise(places))


def _facts(part: str, texts: Texts) -> frozenset[str]:
    """Return the words of a part, with T and F written out."""
    text = with_digits(plain(part), texts.language[0]).replace("=", " ")
    words = [singular(word) for word in exact_words(text, articles=True) if word not in _LINKS]
    return frozenset(_TRUTH.get(word, word) for word in words)


def _compare_facts(texts: Texts, required: Sequence[frozenset[str]], items: Sequence[frozenset[str]]) -> bool | None:
    """Compare lists whose parts have several words, such as "A = 3, B = 5" or "12 N (left), 4 N (right)"."""
    if len(items) != len(required):
        return None
    places = [next((i for i, item in enumerate(items) if facts <= item), None) for facts in required]
    if None not in places:
        return _in_order(texts, [place for place in places if place is not None])
    # The same words in other parts are a wrong answer.
    return False if frozenset().union(*required) <= frozenset().union(*items) else None


def _compare_words(texts: Texts, names: Sequence[str], items: Sequence[str]) -> bool | None:
    """Compare lists of single words and names."""
    candidates = [*items, *texts.answer_words] if _is_ordered(texts) else items
    places = [_place(texts.answer_words, part, candidates) for part in names]
    said = [{*exact_words(part)} for part in items]
    missing = [
        part
        for part, place in zip(names, places, strict=True)
        if place is None and not any({*exact_words(part)} <= words for words in said)
    ]
    others = [
        part
        for part, words in zip(items, said, strict=True)
        if all(_place(exact_words(part), name, [part]) is None and not {*exact_words(name)} <= words for name in names)
    ]
    if missing:
        return False if _lacks(texts, names, missing) else _with_missing(names, items, missing, others)
    short = all(len(exact_words(part)) <= _SHORT_PART for part in items)
    if others and (len(items) == len(names) or (short and len(items) > len(names) == len(items) - len(others))):
        return False
    if _is_ordered(texts):
        found = [place for place in places if place is not None]
        return _in_order(texts, found) if len(found) == len(places) else None
    known = {*exact_words(f"{texts.reference} {texts.question}"), *FILLERS}
    if all(len(words) <= _FEW_WORDS and words & known and any(map(str.isalpha, words - known)) for words in said):
        return None  # "HR moves, Finance stays."
    whole = len(items) == 1 and len(_SEPARATOR.findall(texts.answer)) < len(names)
    return True if whole or 1 < len(items) <= len(names) else None


def _lacks(texts: Texts, required: Sequence[str], missing: Sequence[str]) -> bool:
    """Return whether required parts are missing, and no other item could be another name for one of them."""
    items = len(_SEPARATOR.split(texts.answer.strip(" .")))
    kept, words = len(required) - len(missing), {word[:4] for word in texts.answer_words}
    absent = words.isdisjoint(word[:4] for part in missing for word in exact_words(part))
    short = len(texts.answer_words) <= _WORDS_PER_PART * len(required)
    only = 0 if _ONLY.match(texts.answer) else 1
    return only < kept == items and absent and short and not _OPEN.search(texts.answer)


def _with_missing(
    required: Sequence[str], items: Sequence[str], missing: Sequence[str], others: Sequence[str]
) -> bool | None:
    """Return False if parts are certainly missing, or one is replaced by another; else None."""
    if not others and 1 < len(items) < len(required):
        return False
    # Two names may be of one thing, so the whole list has to be simple.
    compared = (*missing, *others) if all(map(str.islower, (*missing, *others))) else (*required, *items)
    short = all(len(part.split()) <= _SHORT_PART for part in compared)
    replaced = short and len(items) == len(required) and len(missing) == len(others) == 1
    return False if replaced and not _alike(missing[0], others[0]) else None


def _place(answer: Sequence[str], part: str, names: Sequence[str]) -> int | None:
    """Return where a part is in an answer, in words; a person's family name is enough. None if it is not there."""
    words, answer_words = ([singular(word) for word in text] for text in (exact_words(part), answer))
    if starts := _starts(answer_words, words):
        return starts[0]
    if keys := _keys(part):
        places = [place for place, name in enumerate(names) if keys & _keys(name)]
        if places:
            return next(iter(_starts(answer, exact_words(names[places[0]]))), None)
    family = words[-1:] if len(words) > 1 and _is_title(part) else []
    named = any([singular(word) for word in exact_words(name)] == family for name in names)
    return answer_words.index(family[0]) if named and family and family[0] in answer_words else None


def _keys(part: str) -> frozenset[str]:
    """Return what a part names: places, numbers, weekdays, months and substances."""
    part = part.removeprefix("the ").removeprefix("The ")
    return keys_of(part) | keys_in_cycle(part) | {substance(part)} - {""}


def _starts(words: Sequence[str], part: Sequence[str]) -> list[int]:
    """Return where words contain others, one after another."""
    size = len(part)
    return [start for start in range(len(words) - size + 1) if [*words[start : start + size]] == [*part]]


def _alike(left: str, right: str) -> bool:
    """Return whether two parts may name the same thing: words with the same start, similar ones, or an acronym."""
    starts = [{word[:4] for word in exact_words(part)} for part in (left, right)]
    long = min(len(left), len(right)) >= _LONG_NAME
    similar = long and SequenceMatcher(None, left.lower(), right.lower()).ratio() > _SIMILAR
    return bool(starts[0] & starts[1]) or similar or left.isupper() or right.isupper()


def is_one_of_candidates(texts: Texts) -> bool:
    """Return whether an answer lists several candidates, including the reference, without choosing one.

    >>> is_one_of_candidates(Texts("Which city?", "Paris, London or Rome.", "Paris"))
    True
    """
    if texts.reference.lower() not in texts.answer.lower() or ";" in texts.answer or "i.e." in texts.answer:
        return False
    items = candidates_in(texts.answer)
    if len(items) < _FEW or len(parts(texts.reference)) > 1 or _asks_for_several(texts.question):
        return False
    right = {exact_words(reference) for reference in (texts.reference, *texts.references)}
    if {item for item in items if item in right} != {exact_words(texts.reference)}:
        return False
    right_words = {word for item in right for word in item}
    if any(len(item) > _LONGEST_CANDIDATE or (item not in right and right_words & set(item)) for item in items):
        return False  # a sentence, or another form of the answer
    names = len(items) == _FEW and texts.reference[:1].isupper() and texts.answer[:1].isupper()
    unsure = _UNSURE.search(texts.answer) is not None and (len(items) > _FEW or names)
    return unsure or (len(items) >= _MANY and items[0] not in right)


def hedges(answer: str) -> bool:
    """Return whether an answer names two things that may be the answer: "It could be A, it could be B"."""
    several = _POSSIBILITIES.match(answer) is not None
    return several or (answer.count(" be ") > 1 and len(re.findall(_MAY_BE, answer.lower())) > 1)


def leaves_open(texts: Texts) -> bool:
    """Return whether an answer that hedges names the reference as one possibility, and does not choose.

    >>> leaves_open(Texts("Which city?", "It could be Paris, or it might also be Rome.", "Paris"))
    True
    """
    reference = re.escape(texts.reference.lower().removeprefix("the "))
    before = r"\b(?:is|are|include)\b" if _POSSIBILITIES.match(texts.answer) else _MAY_BE
    named = re.search(rf"{before} (?:the |an? )?{reference}\b", texts.answer.lower())
    return named is not None and not _asks_for_several(texts.question) and not _CHOOSES.search(texts.answer)


@lru_cache(maxsize=1 << 8)
def candidates_in(answer: str) -> Sequence[Sequence[str]]:
    """Return the words of each candidate that an answer may list; nothing for an answer that chooses one."""
    if _INTEGERS_ONLY.fullmatch(answer):
        return [(number,) for number in answer.split()]
    answer = _NUMBERING.sub("\n", answer) if _NUMBERING.match(answer) else answer
    many = sum(map(answer.count, (*",/|\n.", " ou "))) >= _MANY - 1
    if not (many or _UNSURE.search(answer)) or _EXCLUDES.search(answer):
        return []
    pieces = [_HEDGE.sub("", piece) for piece in _CANDIDATE.split(answer)]
    if any(_COLON.search(piece) for piece in pieces[1:]):
        return []  # "Sorted: 3, 7, 9. Median: 7"
    items = [words for piece in pieces if (words := exact_words(piece))]
    if len(items) < _MANY:
        return items
    # "The capital is Rome. The capital is Paris. …"
    columns = enumerate(zip(*items, strict=False))
    repeated = next((place for place, words in columns if len({*words}) > 1), 0)
    return [item[repeated:] for item in items]
