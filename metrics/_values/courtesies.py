"""Remove the phrases around an answer that say nothing about its value: "I believe it is 208. I hope this helps!"."""

import re

from .word_tables import pattern_of

_OPENING = re.compile(rf"^\W*(?:(?:{pattern_of('opening')})(?:,\s*|:\s*|\s+)(?=\S))+", re.IGNORECASE)
_CLOSING = re.compile(
    rf"(?<=\S)(?:\s+(?:{pattern_of('closing')})[^.!?\n]{{0,80}}[.!?]*){{1,3}}\W{{0,4}}$", re.IGNORECASE
)
_END = 160  # Characters in which a closing phrase is searched.


def without_courtesies(answer: str) -> str:
    """Return an answer without phrases such as "I think" before it, and "Let me know if …" after it.

    >>> without_courtesies("I believe it is 208. I hope this helps!"), without_courtesies("I think so.")
    ('208.', 'I think so.')
    """
    start = max(0, len(answer) - _END)
    answer = answer[:start] + _CLOSING.sub("", answer[start:])
    return _OPENING.sub("", answer)
