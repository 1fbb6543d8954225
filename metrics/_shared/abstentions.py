"""Detect abstentions: empty answers, refusals and clarifying questions.

The rules are for English, and strict: a refusal counts only at the start of an answer, and only if nothing after it
takes it back ("I don't know, but probably …").
"""

import re
from collections.abc import Iterable, Sequence

_SORRY = r"(?:(?:i ?a?m )?(?:very |so )?sorry|unfortunately|i apologi[sz]e|(?:my )?apologies)(?: but| that| and)?"
_MODEL = r"as an? (?:ai|artificial intelligence|(?:large )?language model)(?: \w+){0,3}?"
_BEFORE = rf"(?:{_SORRY} ){{0,2}}(?:{_MODEL} )?(?:{_SORRY} )?"

_SURELY = r"(?:honestly |really |simply |currently |actually )?"
_DO = (
    r"(?:answer|help(?! myself)|assist|provide|determine|find|say|tell|give|verify|access|comment|identify|recall|"
    r"confirm)\b"
)
_HAVE = r"have (?:any|enough|sufficient|access|information|specific|that|the|real|up|current|personal)\b"
_KNOWLEDGE = r"(?:information|info|data|context|evidence|record)s?\b"
_SOURCE = r"(?:text|context|passage|document|article|question|information|source)s?"

_REFUSALS = (
    rf"i {_SURELY}(?:do not|dont) {_SURELY}(?:know\b|recall\b|remember\b|{_HAVE})",
    r"i ?a?m (?:not sure|unsure|not certain|uncertain|not aware|unaware|not familiar|unfamiliar)\b",
    rf"i ?a?m (?:unable|not able) to (?:\w+ )?{_DO}",
    rf"i (?:cannot|can not|cant|could not|couldnt|will not|wont)(?:$| (?:\w+ )?{_DO})",
    rf"i (?:refuse|decline) to (?:\w+ )?{_DO}",
    r"i(?: woul)?d rather not (?:say|answer|tell|comment)\b",
    r"i prefer not to (?:say|answer|tell|comment)\b",
    r"i (?:do not|dont) (?:\w+ )?understand (?:the|your|this) (?:question|request)\b",
    r"(?:what|which(?: \w+)?|who|where) do you mean\b",
    rf"(?:that|this|the)(?: \w+)? {_KNOWLEDGE} (?:is|are|was|were) (?:not|un) ?available$",
    r"(?:i have )?no (?:idea|clue)\b",
    r"(?:it is |its )?(?:not sure|unknown|unclear|unanswerable|not known)$",
    rf"(?:(?:there is |theres )(?:not enough|insufficient|no)|not enough|insufficient) (?:\w+ )?{_KNOWLEDGE}",
    rf"no {_KNOWLEDGE}(?:$| (?:about|on|is|was|available|given|provided|found)\b)",
    r"(?:(?:it|this|the answer|the question) )?(?:cannot|can not|cant|could not) be (?:determined|answered|inferred)\b",
    rf"(?:the |this )?(?:given |provided )?{_SOURCE} (?:do(?:es)? not|do(?:es)?nt|did not|didnt) (?:\w+ )?"
    r"(?:mention|say|state|provide|specify|contain|include|give)\b",
    r"(?:n/a|idk|no answer|no comment|no response|not available|not specified|not mentioned|not applicable)$",
    r"(?:could|can|would) you (?:please )?(?:clarify|specify|provide|give|be more specific|rephrase)\b",
    r"please (?:clarify|provide|specify|be more specific|rephrase|give me more)\b",
)
_REFUSES = re.compile(_BEFORE + "(?:" + "|".join(_REFUSALS) + ")")

# An answer may follow these words.
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|although|though|nevertheless|still|yet|probably|maybe|perhaps|possibly|likely|might|may|think|"
    r"believe|guess|suppose|assume|based on|according to|as of|known (?:as|for)|is the|was the|were the|are the)\b"
)
# Stand for a missing answer; other symbols, such as % or √, may be an answer.
_EMPTY = re.compile(r"[\s\-–—_.,…?？。'\"“”]*")
_APOSTROPHES = re.compile(r"['’`]")
_OTHERS = re.compile(r"[^\w/]+")


def is_abstention(answer: str) -> bool:
    """Return whether an answer is an abstention: empty, a refusal or a clarifying question.

    >>> [is_abstention(text) for text in (" ", "…", "I'm sorry, but I don't know.", "I don't know, maybe Paris", "%")]
    [True, True, True, False, False]
    """
    if _EMPTY.fullmatch(answer):
        return True
    text = _OTHERS.sub(" ", _APOSTROPHES.sub("", answer.lower())).strip()
    refusal = _REFUSES.match(text)
    return refusal is not None and not _TAKEN_BACK.search(text, refusal.end())


def find_abstentions(answers: Sequence[str], verdicts: Iterable[object]) -> list[bool]:
    """Return which answers are abstentions; an answer that is judged correct never is one."""
    return [not verdict and is_abstention(answer) for answer, verdict in zip(answers, verdicts, strict=True)]
