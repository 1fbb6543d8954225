"""Compare the directions in which numbers change or differ: "up 4%" is not "a fall of 4%", which may be -4%."""

import re
from collections.abc import Sequence
from dataclasses import replace

from .._shared.words import exact_words
from .comparison import Texts
from .directions import POLE, opposite
from .number_selection import clause_of
from .phrases import NEGATION
from .quantities import compare_quantities
from .reading import Mention
from .word_tables import word_set

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
_SIDED = word_set("before after above below late early")
_RESULTS = POLE["profit"], POLE["loss"], POLE["rise"], POLE["fall"]


def has_opposite_direction(texts: Texts, reference: Mention) -> bool:
    """Return whether an answer to "how much colder" is "2° warmer", or one for "3 N upward" is "3 N downward"."""
    words = [word for word in exact_words(texts.question) if word not in {"up", "down"}]
    asked = [word for word in words if word.endswith("er") or POLE.get(word) in _RESULTS or word in _SIDED]
    after = exact_words(texts.reference_values.text[reference.end :]) if reference.end else ()
    return any(opposite(word, texts.answer_words) for word in (*asked, *after))


def is_reversed(texts: Texts, reference: Mention, words: Sequence[str]) -> bool | None:
    """Return whether an answer has the reference's number, but says the opposite: "up 4%" for "a fall of 4%".

    The verdict is None if the opposite is in another clause, or denied.
    """
    said = {POLE.get(word) for word in texts.answer_words}
    reversed_words = [word for word in words if opposite(word, texts.answer_words) and POLE.get(word) not in said]
    numbers = () if reference.bound or not reversed_words else texts.answer_values.numbers
    equal_ones = [mention for mention in numbers if compare_quantities(mention, reference, texts)]
    if not equal_ones:
        return False
    if NEGATION.search(texts.answer) or any(mention.number.value < 0 for mention in numbers):
        return None
    clauses = [exact_words(clause_of(texts.answer_values.text, mention)) for mention in equal_ones]
    return any(opposite(word, clause) for word in reversed_words for clause in clauses) or None


def with_sign(text: str, mention: Mention, reference: Mention, question: str) -> Mention:
    """Return a number with the sign of the word before it, if a rise is wanted, or a negative number: "fell by 3%"."""
    asks_rise = bool(_ASKS_RISE.search(question) and not _FALL.search(question))
    negative = reference.number.value < 0 or (asks_rise and reference.number.value > 0)
    falls = negative and mention.number.value > 0 and _FALLS.search(text[: mention.start])
    # "-10%" for a drop of 10%
    falls = falls or (mention.number.value == -reference.number.value < 0 and _FALL.search(question))
    return replace(mention, number=mention.number.scaled(-1)) if falls else mention
