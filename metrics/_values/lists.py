"""Read lists: "red, green and blue" has three parts, and "They are: red, green." has a list after other words."""

import re
from collections.abc import Sequence
from functools import lru_cache

from .._shared.words import exact_words
from .comparison import Texts
from .phrases import rest
from .reading import Mention, read
from .word_tables import pattern_of

SEPARATOR = re.compile(
    r"\s*(?:,(?!\d)|(?<!\d),|[;•\n&、，・→]|\s[-–—]\s(?=\S+\s[-–—]\s)|\s/\s|"
    r"\band also\b|\band\b|\bund\b|\bet\b|(?<=[^\W\d_]{2} )y(?= [^\W\d_]{2})|\bas well as\b|\bplus\b)+\s*",
    re.IGNORECASE,
)
# A plural noun. Some singular nouns end in s, too, and so do the verbs after them: "which gas makes".
_NOUNS = r"(?!\w*(?:ss|us|is|gas|was|does|has)\b)\w+s\b(?! (?:is|was|does|has|makes|can)\b)"
# A plural noun whose verb is not its own: "which colors does the flag have".
_THINGS = r"(?!species|series)\w{3,}[^\W\dsui]s"
_SEVERAL = re.compile(
    rf"^match\b|\b(?:two|three|four|five|six|seven|both of|both the|all|everyone|everybody|list|each|name the|"
    rf"which (?:two|three|\w+ are|of (?:these|the following)(?: \w+)? are|{_NOUNS}|{_THINGS} does|(?:week)?days is)|"
    rf"what (?:are|were|{_NOUNS})|who (?:are|were)|"
    r"and what|and who|steps|parts|"
    r"order|sequence|components|solve|roots|solutions|welche|quels|quelles|cuáles|qué \w{3,}s|quali)\b",
    re.IGNORECASE,
)
asks_for_several = lru_cache(maxsize=1 << 8)(_SEVERAL.search)
_IN_BRACKETS = re.compile(r"^\s*[(\[]([^()\[\]]*)[)\]][\s.]*$")
POINT = re.compile(r"\((?:[-−]?[\d.]+, ?)+[-−]?[\d.]+\)")
_ORDER = re.compile(rf"\b(?:{pattern_of('order')})\b|顺序|順序|順番|순서", re.IGNORECASE)
_PRINTS = re.compile(
    r"\b(?:what|which values) (?:do|does|will|would) [^(`\[]*[(`\[].* (?:return|print|output)\b|"
    r"\boutput of [^(`\[]*[(`\[]",
    re.IGNORECASE,
)
SOLVE = re.compile(r"\b(?:solve|roots?|solutions?|values?|zeros?)\b", re.IGNORECASE)
_SOLUTION = re.compile(r"\s+or\s+")
_ASSIGNS = re.compile(r"=|^(?:the )?\w+(?: is| are|:) (?:the )?\w+$")
EXCLUDES = re.compile(r"\b(?:not|nor|neither|except|but)\b", re.IGNORECASE)
HEDGE = re.compile(rf"^(?:[\s,]|(?:{pattern_of('hedge')})(?!\w))*", re.IGNORECASE)
TAIL = re.compile(r"\s(?:are|were|is|was|would be)\b[^,;]*$")
# What an answer adds to a list that is complete, and what precedes the list.
_CLOSING = re.compile(
    r",? (?:and )?(?:no(?:body|thing| one|ne) else|no others?|just (?:these|those)(?: \w+)?|that['’]s (?:all|it))\W*$|"
    r",? (?:[–—-] )?\w+ (?:in (?:total|all)|altogether)\W*$|"
    r", (?:i (?:believe|think|guess)|of course|obviously|respectively|etc)\W*$|"
    r"[,;] (?:since|because|these are|the (?:other|rest|remaining)) .*$",
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
_DASH = re.compile(r"\s[–—-]\s")
_PLUS_MINUS = re.compile(r"±\s?(\d[\d.,/]*)")
_INTEGERS = re.compile(r"(?<![\d.,])-?\d{1,2}(?:,-?\d{1,2})+(?![\d,]|\.\d)")
_LONGEST = 200  # Characters of a list.
LONGEST_SOLUTION = 400  # Characters of an answer with values of one variable.
_FEW, _LONGEST_PART = 2, 6  # Parts of a short list, and words of a part.


@lru_cache(maxsize=1 << 10)
def parts(text: str) -> Sequence[str]:
    """Return the parts of a list; a single one for a text that is no list.

    >>> parts("red, green and blue"), parts("heart – circulatory; lungs – respiratory")
    (['red', 'green', 'blue'], ['heart – circulatory', 'lungs – respiratory'])
    """
    if len(text) > _LONGEST:
        return [text]
    items = [part for piece in SEPARATOR.split(text) if (part := piece.strip(" .\t"))]
    return items if all(len(part.split()) <= _LONGEST_PART for part in items) else [text]


def parts_or_solutions(text: str, question: str) -> Sequence[str]:
    """Return the parts of a list without brackets; the solutions of an equation may be joined by "or"."""
    text = _IN_BRACKETS.sub(r"\1", text)
    return parts(_SOLUTION.sub(", ", text) if "or" in text and SOLVE.search(question) else text)


def is_list(texts: Texts) -> bool:
    """Return whether the reference is a list of required parts."""
    items = parts_or_solutions(texts.reference, texts.question)
    if len(items) <= 1 or only_number(texts.reference, texts) is not None:
        return False  # "three hundred and fifty"
    several = len(items) > _FEW or asks_for_several(texts.question) is not None
    return several or all(_ASSIGNS.search(part) or only_number(part, texts) is not None for part in items)


def without_remarks(answer: str, reference: str) -> str:
    """Return an answer without what closes a list, what precedes it, and the sign of "±2", which is two numbers."""
    if len(answer) > LONGEST_SOLUTION:
        return answer
    words = {*exact_words(reference)}
    halves = [half for half in _DASH.split(answer) if words <= {*exact_words(half)}]
    answer = halves[0] if len(halves) == 1 else answer  # "N and S — north and south"
    answer = _COUNTING.sub("", _OPENING.sub("", _SO.sub("", _CLOSING.sub("", answer)).rstrip("! ")))
    if "." not in reference.rstrip(" .") and not _INTEGERS.search(reference):
        answer = _INTEGERS.sub(lambda match: match[0].replace(",", ", "), answer)  # "{2,3}"
    return answer if "±" in reference else _PLUS_MINUS.sub(r"\1 and -\1", answer)


def only_number(part: str, texts: Texts) -> Mention | None:
    """Return the number of a part that is just a number."""
    values = read(part, *texts.language)
    mentions = values.numbers
    alone = len(mentions) == 1 and not rest(values.text, mentions[0].start, mentions[0].end)
    return mentions[0] if alone else None


def is_title(text: str) -> bool:
    """Return whether each word starts with a capital, as in "Paul McCartney"."""
    return all(word[0].isupper() for word in text.split())


def is_ordered(texts: Texts) -> bool:
    """Return whether the order matters: of a vector, of a list of a program, or because of the question."""
    vector = texts.reference[:1] in {"(", "["} and not asks_for_several(texts.question)
    point = POINT.fullmatch(texts.reference) is not None and not SOLVE.search(texts.question)
    return vector or point or asks_order(texts.question)


@lru_cache(maxsize=1 << 8)
def asks_order(question: str) -> bool:
    """Return whether a question asks for an order, or for what code returns."""
    end = question[-1000:]
    return bool((_ORDER.search(end) and "any order" not in end.lower()) or _PRINTS.search(end))
