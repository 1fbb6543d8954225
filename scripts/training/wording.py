"""Sentences that training examples are made with."""

import random
import re
from pathlib import Path

_LINES = (Path(__file__).parent / "sentences.tsv").read_text(encoding="utf-8").splitlines()


def _sentences(kind: str) -> tuple[str, ...]:
    return tuple(line.partition("\t")[2] for line in _LINES if line.startswith(f"{kind}\t"))


OPENINGS, REFUSALS = _sentences("openings"), _sentences("refusals")
# Each denies `wrong`, and some name `right` instead; or it answers `right`, and also mentions `wrong`.
REJECTIONS, CONCESSIONS = _sentences("rejections"), _sentences("concessions")
# fmt: off
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on
NUMBER_WORDS = {**{word: n for n, word in enumerate(_UNITS)}, **{word: 10 * n for n, word in enumerate(_TENS) if n > 1}}
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) ({_MONTH})(,? \d{{4}})?\b")
_MONTH_FIRST = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(,? \d{{4}})?\b")
# Not a part of "20th", "3pm" or "1.5", and no word of "twenty-one" or "two-thirds".
_SMALL = re.compile(r"(?<![\w.,])\d{1,2}(?![\w.,])")
_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(NUMBER_WORDS)})(?![\w-])", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """Split after periods, question marks and exclamation marks that precede a capital letter."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'])", text) if part.strip()]


def in_words(number: int) -> str:
    """Return a number from 0 to 99 in words.

    >>> in_words(42)
    'forty-two'
    """
    if number < len(_UNITS):
        return _UNITS[number]
    tens, units = divmod(number, 10)
    return _TENS[tens] + (f"-{_UNITS[units]}" if units else "")


def number_variant(text: str, draw: random.Random) -> str:
    """Return the text with its dates, or its small numbers, written in another form with the same meaning."""
    if _DAY_FIRST.search(text):
        return _DAY_FIRST.sub(lambda m: f"{m[2]} {m[1]}{re.sub('^,? ', ', ', m[3] or '')}", text)
    if _MONTH_FIRST.search(text):
        return _MONTH_FIRST.sub(lambda m: f"{m[2]} {m[1]}{(m[3] or '').replace(',', '')}", text)
    if draw.random() < 0.5:  # noqa: PLR2004
        return _SMALL.sub(lambda m: in_words(int(m[0])), text)
    return _WORD.sub(lambda m: str(NUMBER_WORDS[m[0].lower()]), text)


def yes_no(question: str, answer: str, right: str, wrong: str, draw: random.Random) -> tuple[str, str, str, float]:
    """Turn a question and its right answer into a yes/no question, answer, reference ("yes" or "no"), and label."""
    bare = question.rstrip("? ")
    truth = draw.random() < 0.5  # noqa: PLR2004
    asked = right if truth else wrong
    made = draw.choice(
        (
            f"Is {asked} the answer to this question: {bare}?",
            f"{bare}: is it {asked}?",
            f"Is it true that {asked} is the answer to: {bare}?",
            f"{bare}, {asked}?",
        )
    )
    reference = "yes" if truth else "no"
    claims_truth = draw.random() < 0.5  # noqa: PLR2004
    claim = truth if claims_truth else not truth
    word = "Yes" if claim else "No"
    stated = answer if claims_truth else f"It is {asked if claim else right if not truth else wrong}."
    forms = [f"{word}.", f"{word}, {stated}", f"{word}. {stated}"]
    if claims_truth:
        forms += [answer, f"{answer} Therefore, the answer is {word.lower()}."]
    return made, draw.choice(forms), reference, float(claims_truth)
