"""Compare the options that answers to multiple-choice questions choose: "option B: Paris" chooses "(b)"."""

import re
from collections.abc import Mapping
from functools import lru_cache

from .._shared.lexical import match as contains
from .._shared.words import exact_words
from .comparison import Texts

_LETTER = re.compile(r"\(?(?:option|answer|choice)?\s?\(?([A-H])\)?[.):]*", re.IGNORECASE)
_OPTION = re.compile(r"(?:^|[\s(])\(?([A-Ha-h])[.):]\s*((?:(?!\s\(?[A-Ha-h][.):]).)+)")
_LABELED = re.compile(r"\s*\(?([A-Ha-h])[.):]\s")
_CHOSEN = re.compile(
    r"""
    \\boxed\{([A-H])\} | <answer>\s*([A-H])\s*</answer>
    # At the start: "The correct answer is (b)", but not the list "A, B".
    | ^\W*(?![A-H],\ [A-H])
        (?:(?:the\s)?(?:correct\s|right\s)?(?:answer|option|choice)?\s?(?:is\s|would\ be\s|:\s?)?)?
        (?:option\s|answer\s|choice\s)?[(\[*]{0,4}([A-H])(?:[)\].:*]+|\s*$|\s*\n|\s[-–—]\s|,\s)
    | \b(?:option|answer|choice|antwort|antwoord|opción|réponse|risposta|respuesta|lösung)
        (?:\sis|\swould\ be|\sist|\sest|\sè|\ses|:)?\s[(\[*]{0,4}([A-H])\b[)\].:*]*
    | (?<![\w'])\(([A-H])\)
    # "A" within a sentence is an article.
    | \b(?:is|with|pick|choose|chose|say|leaves|la)\s[(*]{0,4}([B-H]|A(?=\W*$))\b(?![\w'])
    """,
    re.IGNORECASE | re.VERBOSE,
)
ONE_LETTER = re.compile(r"\s*\(?[A-H][).]?\s*")
"""A letter in capitals, perhaps of an option."""
_FIRST_LETTER = re.compile(
    r"\W*(?:(?:(?i:the) )?(?:correct |right )?(?i:answer|option|choice)(?: is|:)?\s*)?"
    r"[(\[*]{0,4}([A-H])(?:[)\].:*]+(?![^\s*])|\s*$)"
)
_OF_OPTIONS = re.compile(r"\b(?:options?|which of the following|multiple choice|choose|select|pick)\b", re.IGNORECASE)
_COMMITS = re.compile(
    r"\b(?:(?:but|so) (?:it['’]s|it is)|go(?:ing)? (?:for|with)|(?:switch|chang)\w+ (?:it |that |my answer )?to|,? so|"
    r"(?i:therefore|thus|hence|so),? the (?:correct |right )?(?:answer|option|choice) is)"
    r" \(?([A-H])\b(?![\w' ]*\b(?:but|no)\b)|^([A-H]) is (?:what|the one|my)\b|\b([A-H]) it is\b"
)
# A letter before its reasons, which may name other options.
_EXPLAINED = re.compile(r"^\W*([A-H])[).]?(?:\s*\n|,? (?:because|since|as)\b)")
_ALL = re.compile(
    r"\W*(?:(?P<none>none|neither)|all)\b(?: (?:of )?(?:them|these|those|(?:the )?(?:above|two|three|four)))?\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(first|second|third|fourth|last) (?:one|option|answer|choice)\b", re.IGNORECASE)
_PLACES = ("first", "second", "third", "fourth")
_SEVERAL = re.compile(r"\W*(?:both )?([A-H](?:(?:, | & |,? and )[A-H])+)(?=\W*$|[,.:;]| are\b)")
_QUANTIFIER = re.compile(r"^(?:both|all of|just|only)\s|\sonly$", re.IGNORECASE)
_LETTERS = re.compile(r"[A-H]{2,5}")
_LONGEST_OPTION = 12  # Characters of a reference that does not start with the letter of an option.


@lru_cache(maxsize=1 << 8)
def _listed_options(question: str) -> Mapping[str, str] | None:
    """Return the options that a question lists, by letter in lower case; None for a question without options."""
    texts = {letter.lower(): text.strip(" .,;") for letter, text in _OPTION.findall(question)}
    return texts if {"a", "b"} <= texts.keys() else {} if _OF_OPTIONS.search(question) else None


def may_be_option(reference: str) -> bool:
    """Return whether a reference may be an option, or start with its letter."""
    return len(reference) <= _LONGEST_OPTION or reference[0] == "(" or reference[1] in ").:"


def offers_options(question: str) -> bool:
    """Return whether a question has options."""
    return _listed_options(question) is not None


def compare_options(texts: Texts) -> bool | None:
    """Return whether the answer chooses the reference's options; None if those of one of them are unclear.

    >>> [compare_options(Texts("2 + 2? (a) 3 (b) 4 (c) 5", answer, "(b)")) for answer in ("It is 4.", "b and c", "7")]
    [True, False, None]
    """
    offered = _listed_options(texts.question) or {}
    match = _LETTER.fullmatch(texts.reference.strip()) or (_LABELED.match(texts.reference) if offered else None)
    expected = {match[1].lower()} if match else _letters(texts.reference, offered)
    chosen = _chosen_letters(texts.answer, offered)
    if len(expected) == len(chosen) == 1:
        return expected == chosen
    chosen = _letters(_QUANTIFIER.sub("", texts.answer.strip(" .")), offered)
    clear = expected and chosen and len(expected | chosen) > 1 and (not offered or expected | chosen <= offered.keys())
    return expected == chosen if clear else None


def compare_letter(texts: Texts) -> bool | None:
    """Compare a letter with the one at the start of an answer to a question without its options.

    >>> [compare_letter(Texts("", answer, "B")) for answer in ("(C)", "B. a whale", "The answer is C.", "A whale")]
    [False, True, False, None]
    """
    match = _FIRST_LETTER.match(texts.answer)
    return match[1] == texts.reference.strip(" ().") if match else None


def _letters(text: str, offered: Mapping[str, str]) -> set[str]:
    """Return the letters of a text that is a list of letters or of offered options; empty for another text."""
    text = text.strip(" .")
    if _LETTERS.fullmatch(text):
        return set(text.lower())
    if several := _SEVERAL.match(text):
        return set(several[1].replace("and", "").lower()) - set(" ,&")
    items = {item.strip("()., ").lower() for item in re.split(r"[\s,;&/]+|\band\b", text)} - {"", "and"}
    if all(len(item) == 1 and item.isalpha() for item in items):
        return items
    letter_of = {exact_words(option): letter for letter, option in offered.items()}
    letters = [letter_of.get(exact_words(item), "") for item in re.split(r"[,;&/]|\band\b", text)]
    return set(letters) if all(letters) else set()


def _chosen_letters(answer: str, offered: Mapping[str, str]) -> set[str]:
    """Return the letters of the options that a sentence chooses by a letter, or else by the text of an option."""
    chosen = [*_COMMITS.finditer(answer)][-1:] or [*_EXPLAINED.finditer(answer)] or _CHOSEN.finditer(answer)
    letters = {letter.lower() for match in chosen for letter in match.groups() if letter}
    letters &= offered.keys() or letters
    if letters:
        return letters
    if match := _ALL.match(answer):
        return {
            letter
            for letter, text in offered.items()
            if (of := _ALL.fullmatch(text)) and bool(of["none"]) is bool(match["none"])
        }
    places = [place.lower() for place in _PLACE.findall(answer)] if offered else []
    if len(places) == 1:
        place = _PLACES.index(places[0]) if places[0] in _PLACES else len(offered) - 1
        return {*[*offered][place : place + 1]}
    words = exact_words(answer)
    return {letter for letter, text in offered.items() if contains(words, exact_words(text))}
