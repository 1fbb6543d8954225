"""Recognize references and answers that say that there is no answer: "unknown" and "The text doesn't say"."""

import re

from .comparison import Texts

NO_ANSWER = re.compile(
    r"(?:(?:it|this|that|the answer)(?:['’]s| is| was)? )?(?:unknown|unanswerable|not (?:known|mentioned|stated|given|"
    r"specified|said)(?: (?:in|by) the \w+)?|(?:cannot|can['’]t|can not) be (?:determined|answered)(?: from the \w+)?)|"
    r"the \w+ (?:does not|doesn['’]t|did not|didn['’]t) (?:mention|say|tell|state|specify)(?: (?:it|this|that|us))?"
    r"(?: (?:who|what|when|where|why|how)\b.*)?",
    re.IGNORECASE,
)


def lacks_answer(texts: Texts) -> bool:
    """Return whether reference and answer both say that there is no answer."""
    return all(NO_ANSWER.fullmatch(text.strip(" .")) for text in (texts.reference, texts.answer))
