"""Correct an answer's misspellings of a reference's words: "Missisippi" is read as "Mississippi".

The matcher reads a misspelled word as pieces that resemble other words, so it rejects most of these answers.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .number_words import language_of
from .places import keys_of

_WORD = re.compile(r"(?<![\w'’.@/#\\-])[A-Za-z][a-z]{4,}(?![\w@/\\(=:-]|\.\w|['’](?!s\b))")
_ASKS_SPELLING = re.compile(r"\bspel(?:l|t)|\bletters?\b|\btypo", re.IGNORECASE)
# Endings that tell names of substances apart: nitrate and nitrite, ethane and ethene.
_SUBSTANCE = re.compile(r"(?:ates?|i[td]es?|[ae][nt]e|ynes?|ols?|als?|[aoi][ns]e|ic|ous|in|yl)$")
_ENDING = 3  # Words that differ only in their last letters are inflected forms, such as "voted" and "voter".
_LONG, _LONG_NAME = 8, 7  # Letters of words that may have two errors, and of names that may have another letter.


def corrected(answer: str, references: Sequence[str], question: str) -> str:
    """Return an answer with the references' spelling of words that it misspells.

    A word is corrected if no English dictionary has it and one letter is missing, added, wrong or swapped with the next
    one; two in words of eight letters or more, and in words that have all the right letters. The first letter must be
    right. Short names with another letter stay, because they may be other names.

    >>> corrected("The Missisippi", ["Mississippi (River)"], "Which river is the longest?")
    'The Mississippi'
    >>> corrected("Manet, with sodium nitrite", ["Monet", "sodium nitrate"], "")
    'Manet, with sodium nitrite'
    """
    right = {word.lower(): word for text in references for word in _WORD.findall(text)}
    words = {word.lower() for word in _WORD.findall(answer)} - right.keys() if right else set()
    found = {word: match for word in words if (match := _misspelled(word, right))}
    if not found or _ASKS_SPELLING.search(question) or language_of(question, *references, answer) != "en":
        return answer
    return _WORD.sub(lambda match: _like(match[0], found.get(match[0].lower(), match[0])), answer)


def _misspelled(word: str, right: dict[str, str]) -> str | None:
    """Return the word of the references that a word misspells, if there is one."""
    near = (known for known in right if known[0] == word[0] and abs(len(known) - len(word)) <= 1)
    return next((right[known] for known in near if _is_misspelling(word, known, right[known][0].isupper())), None)


@lru_cache(maxsize=1 << 12)
def _is_misspelling(word: str, right: str, name: bool) -> bool:
    shorter = min(len(word), len(right))
    same = next((i for i, (one, other) in enumerate(zip(word, right, strict=False)) if one != other), shorter)
    if same == shorter or (same >= shorter - _ENDING and word[-1] != right[-1]):
        return False
    if _SUBSTANCE.search(word) and _SUBSTANCE.sub("", word) == _SUBSTANCE.sub("", right):
        return False
    anagram = sorted(word) == sorted(right)
    if _errors(word, right) > (2 if anagram or (shorter >= _LONG and same >= _ENDING) else 1):
        return False
    if name and not anagram and len(word) == len(right) < _LONG_NAME:
        return False
    return not (_is_word(word) or keys_of(word.capitalize()))


def _errors(word: str, right: str) -> int:
    """Return the number of letters that are missing, added, wrong or swapped: the restricted Damerau distance."""
    before, row = [0] * (len(right) + 1), list(range(len(right) + 1))
    for i, letter in enumerate(word, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(right, 1):
            best = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and word[i - 2] == other:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


def _is_word(word: str) -> bool:
    import simplemma

    return any(simplemma.is_known(form, lang="en") for form in (word, word.capitalize()))


def _like(word: str, right: str) -> str:
    """Return the right spelling, with a capital if the answer's word has one."""
    return right.capitalize() if word[0].isupper() else right
