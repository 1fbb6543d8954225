"""Recognize texts that say that there is no answer, "The text doesn't say", and answers that say nothing, "..."."""

import re

from .._shared.words import exact_words
from .comparison import Texts

NO_ANSWER = re.compile(
    r"(?:(?:it|this|that|the answer)(?:['’]s| is| was)? )?(?:unknown|unanswerable|not (?:known|mentioned|stated|given|"
    r"specified|said)(?: (?:in|by) the \w+)?|(?:cannot|can['’]t|can not) be (?:determined|answered)(?: from the \w+)?)|"
    r"the \w+ (?:does not|doesn['’]t|did not|didn['’]t) (?:mention|say|tell|state|specify)(?: (?:it|this|that|us))?"
    r"(?: (?:who|what|when|where|why|how)\b.*)?",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"[\s!-#'-*,-/:;<>?\[-`{-~\u200b…–—]*|(?:n/a|null|nan|todo|tbd|[<\[(](?:unk|pad|empty)[>\])])\.?", re.IGNORECASE
)
_ASKS_SIGN = re.compile(r"\b(?:character|sign|symbol|operator|punctuation|mark|delimiter|separator|key)", re.IGNORECASE)
_NONE = re.compile(r"\W*(?:none|nothing|zero|empty|null|nan|0|n/a)\b", re.IGNORECASE)
_QUESTION = 3  # Words of a question.


def lacks_answer(texts: Texts) -> bool:
    """Return whether reference and answer both say that there is no answer."""
    return all(NO_ANSWER.fullmatch(text.strip(" .")) for text in (texts.reference, texts.answer))


def says_nothing(texts: Texts) -> bool:
    """Return whether an answer has only signs, is a placeholder such as N/A, or repeats the question.

    >>> [says_nothing(Texts("Is it hot?", answer, "yes")) for answer in ("...", "<unk>", "Is it hot?", "It is.")]
    [True, True, True, False]
    """
    words, reference = texts.answer_words, texts.reference
    if len(words) >= _QUESTION:
        return words == exact_words(texts.question) != exact_words(reference)
    nothing = _NOTHING.fullmatch(texts.answer.strip()) is not None and not _ASKS_SIGN.search(texts.question)
    return nothing and any(map(str.isalnum, reference)) and not (_NONE.match(reference) or NO_ANSWER.match(reference))
