"""Correct an answer's misspellings of a reference's words: "Missisippi" is read as "Mississippi".

The matcher reads a misspelled word as pieces that resemble other words, so it rejects most of these answers.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .._shared.words import exact_words
from .comparison import Texts
from .number_words import language_of
from .phrases import FILLERS
from .places import keys_of
from .word_tables import pattern_of

_WORD = re.compile(r"(?<![\w'’.@/#\\`-])[A-Za-z][a-z]{4,29}(?![\w@/\\(=:`-]|\.\w|['’](?!s\b))")
# Questions about letters or code, in which a misspelled answer is wrong.
_EXACT = re.compile(
    r"\bspel(?:l|t)|\b(?:letters?|typo|revers|backward|sort|anagram|password|variable|function|command|package|module|rot13|"
    r"pig latin)|cod(?:e|ing)\b|cipher|crypt",
    re.IGNORECASE,
)
_FORM = re.compile(rf"\b(?:{pattern_of('form')})")  # in lower case
asks_form = lru_cache(maxsize=1 << 8)(lambda question: _FORM.search(question.lower()))
"""Return whether a question asks for the form or spelling of a word."""
_FILLERS = FILLERS - {"more", "most", "less"}
_APART = re.compile(r"(?<=\b\w)(?<!['’]\w)[\s.·–-]+(?=\w\b)")  # Between the letters of a word that is spelled out.
# Endings of technical terms. One letter can turn one term into another: nitrate and nitrite, miosis and meiosis.
_TERM = re.compile(
    r"(?:ates?|i[td]es?|[ae][nt]e|ynes?|ols?|als?|[aoi][nsm]e|ic|ous|in|yl|osis|itis|tomy|[aeg][gms]ia|uction|oid|ium|"
    r"saurus|cyte|thiol)$"
)
_SAME = ((r"(.)\1", r"\1"), ("(?<=.)h", ""), ("ck", "k"), ("y", "i"), ("e$", ""))
_ENDING = 3  # Words that differ only in their last letters are inflected forms, such as "voted" and "voter".
# Letters of a word that may have two errors, or of a name that may have another vowel; letters of the name's end.
_LONG, _TAIL = 8, 4
_MOST_UNKNOWN = 20  # Unknown words of an answer; a text with more is not English.


def correct_spelling(answer: str, references: Sequence[str], question: str) -> str:
    """Return an answer with the references' spelling of words that it misspells.

    A word is corrected if it is neither in the question nor in simplemma's list of English words, and if the answer
    lacks the reference's word. One letter may be missing, added, wrong or swapped with the next one; words of eight
    letters or more may have two such errors after their third letter. Names and technical terms may differ only in
    double letters, swapped letters, h, ck and y, and long names also in a vowel. The first letter must be right.

    >>> correct_spelling("The Missisippi", ["Mississippi (River)"], "Which river is the longest?")
    'The Mississippi'
    >>> correct_spelling("Manet, with sodium nitrite", ["Monet", "sodium nitrate"], "")
    'Manet, with sodium nitrite'
    """
    right = {word.lower(): word for text in references for word in _WORD.findall(text)}
    if not right:
        return answer
    said = {word.lower() for word in _WORD.findall(answer)}
    asked = {word.lower() for word in _WORD.findall(question)}
    unknown = [word for word in said - right.keys() - asked if _has_near(word, right) and not _is_word(word)]
    if not unknown or len(unknown) > _MOST_UNKNOWN or _EXACT.search(question) or asks_form(question):
        return answer
    missing = {word: form for word, form in right.items() if word not in said}
    found = {word: match for word in unknown if (match := _intended_word(word, missing))}
    if not found or language_of(question, *references, answer) != "en":
        return answer
    return _WORD.sub(lambda match: _like(match[0], found.get(match[0].lower(), match[0])), answer)


def compare_form(texts: Texts) -> bool | None:
    """Return whether an answer is the word that a question about forms asks for; None for other texts of several words.

    >>> [compare_form(Texts("Plural of mouse?", answer, "mice")) for answer in ("It is mice", "mouses", "mice, mouses")]
    [True, False, None]
    """
    wanted, said = ({*exact_words(_APART.sub("", text))} for text in (texts.reference, texts.answer))
    wanted = wanted - _FILLERS or wanted
    said = said - ({*_FILLERS, *exact_words(texts.question)} - wanted) or said
    single = len(wanted) == len(said) == 1 and all(map(str.isalpha, wanted | said))
    return True if said == wanted else False if single else None


def _has_near(word: str, right: dict[str, str]) -> bool:
    return any(other[0] == word[0] and abs(len(other) - len(word)) <= 1 for other in right)


def _intended_word(word: str, right: dict[str, str]) -> str | None:
    """Return the only word of the references that a word misspells, if there is one."""
    found = [form for other, form in right.items() if other[0] == word[0] and _is_misspelling(word, form)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1 << 12)
def _is_misspelling(word: str, form: str) -> bool:
    right, shorter = form.lower(), min(len(word), len(form))
    same = next((i for i, (one, other) in enumerate(zip(word, right, strict=False)) if one != other), shorter)
    if abs(len(word) - len(right)) > 1 or same == shorter:
        return False
    swapped = len(word) == len(right) and word[same : same + 2] == right[same : same + 2][::-1]
    if _plain(word) == _plain(right) or (swapped and word[same + 2 :] == right[same + 2 :]):
        return not keys_of(word.capitalize())
    if same >= shorter - _ENDING and word[-1] != right[-1]:
        return False
    if form[0].isupper():
        other_vowel = len(word) == len(right) >= _LONG and {word[same], right[same]} <= {*"aeiou"}
        near_end = same >= shorter - _TAIL or word[same + 1 :] != right[same + 1 :]
        return other_vowel and not near_end and not keys_of(word.capitalize())
    if not _is_word(right) or (_TERM.search(word) and _TERM.search(right)):
        return False
    return _errors(word, right) <= (2 if shorter >= _LONG and same >= _ENDING else 1)


@lru_cache(maxsize=1 << 12)
def _plain(word: str) -> str:
    """Return a word without double letters, h after the first letter, and a last e, and with k for ck and i for y."""
    for pattern, replacement in _SAME:
        word = re.sub(pattern, replacement, word)
    return word


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


@lru_cache(maxsize=1 << 12)
def _is_word(word: str) -> bool:
    import simplemma

    return any(simplemma.is_known(form, lang="en") for form in (word, word.capitalize()))


def _like(word: str, right: str) -> str:
    """Return the right spelling, with a capital if the answer's word has one."""
    return right.capitalize() if word[0].isupper() else right
