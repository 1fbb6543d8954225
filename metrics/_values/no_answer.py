"""Recognize texts that say that there is no answer, "The text doesn't say", and answers that say nothing, "..."."""

import re

from .._shared.abstentions import is_abstention
from .._shared.lexical import match as contains
from .._shared.words import exact_words
from .comparison import Texts
from .word_tables import pattern_of

NO_ANSWER = re.compile(pattern_of("no_answer"), re.IGNORECASE)
# References for which any abstention is right. After "not mentioned", "I don't know" may be ignorance.
_UNANSWERABLE = re.compile(r"(?:un|not )answerable|(?:there is )?no answer|not enough|insuff", re.IGNORECASE)
_NOTHING = re.compile(r"[\s.…?!—–\u200b-]*|(?:n/a|todo|tbd|[<\[(](?:unk|pad|empty)[>\])])\.?", re.IGNORECASE)
# References that such a text may stand for.
_SIGN = re.compile(rf"\b(?:{pattern_of('blank')})\b", re.IGNORECASE)
_QUESTION, _FEW = 3, 4  # Words of a question, and of a short reference.


def lacks_answer(texts: Texts) -> bool:
    """Return whether reference and answer both say that there is no answer."""
    reference, answer = (text.strip(" .") for text in (texts.reference, texts.answer))
    abstains = _UNANSWERABLE.match(reference) and is_abstention(answer)
    return NO_ANSWER.fullmatch(reference) is not None and bool(NO_ANSWER.fullmatch(answer) or abstains)


def says_nothing(texts: Texts) -> bool:
    """Return whether an answer has only signs, is a placeholder such as N/A, or repeats the question.

    >>> [says_nothing(Texts("Is it hot?", answer, "yes")) for answer in ("...", "<unk>", "Is it hot?", "It is.")]
    [True, True, True, False]
    """
    answer, reference, question = texts.answer, texts.reference, texts.question
    other_length = abs(len(answer) - len(question)) > len(question) // 2  # faster than words
    if other_length and answer[:1].isalnum() and answer.count(" ") >= _QUESTION:
        return False
    words = texts.answer_words
    if len(words) >= _QUESTION:
        return words == exact_words(question) and not contains(exact_words(reference), words)
    if not _NOTHING.fullmatch(texts.answer.strip()) or not any(map(str.isalnum, reference)):
        return False
    if len(reference.split()) > _FEW or reference.lower().strip(" .") == "no":
        return True
    return not (_SIGN.search(f"{reference} {texts.question}") or NO_ANSWER.match(reference))
