"""Sentences that training examples are made with."""

import random
import re

OPENINGS = (
    "Based on the provided context,",
    "According to the passage,",
    "Great question!",
    "Sure, here is what I know.",
    "Based on the information provided,",
    "A common question!",
    "Let me think about this step by step.",
)

REFUSALS = (
    "I don't know.",
    "I'm sorry, but I could not find any information about {question}.",
    "There is no information in the given context about {question}.",
    "The provided context does not mention {question}.",
    "I cannot answer this question without more information.",
    "It is unclear {question}. Could you please provide more context?",
    "None of the above.",
)

# Each denies `wrong`; some name `right` instead.
REJECTIONS = (
    "It is not {wrong}.",
    "It was not {wrong}, it was {right}.",
    "The answer is {right}, not {wrong}.",
    "Many people think it is {wrong}, but in fact it is {right}.",
    "Contrary to popular belief, {wrong} is wrong. The correct answer is {right}.",
    "No, {wrong} has nothing to do with it.",
    "Although {wrong} is often mentioned, the right answer is {right}.",
)

# Each answers `right` and also mentions `wrong`.
CONCESSIONS = (
    "{right}. It should not be confused with {wrong}.",
    "{right} (some sources say {wrong}).",
    "Unlike {wrong}, it is {right}.",
    "The answer is {right}. {wrong} came later.",
)

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
    """Turn a question and its right answer into a yes/no question.

    Returns:
        question, answer, reference ("yes" or "no"), label.
    """
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
