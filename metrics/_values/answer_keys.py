"""Read answer keys: "Krebs cycle [accept TCA cycle; do not accept Calvin cycle]", "(Thomas) Jefferson"."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._shared.words import exact_words
from .phrases import FILLERS
from .word_tables import pattern_of

_VERB = r"(?:also )?accept|(?:anti-?)?prompt|(?:do not|don['’]t) (?:accept|prompt)|reject"
# In parentheses, a verb may be text: "two buttons (accept and reject)".
_NOTES = re.compile(
    rf"\[(?P<notes>(?:{_VERB}|or)\b[^\]]*)|"
    r"\((?P<others>(?:(?:also )?accept|do not accept|prompt on|or)\b(?! and| or)[^)]*)",
    re.IGNORECASE,
)
_AFTER_NOTES = re.compile(r"[\])]?\s*(?:\(|\.?\s*$)")
_CLAUSE = re.compile(rf";|[\s,.](?=(?:{_VERB})\b)(?<!not.)(?<!n't.)(?<!n’t.)(?<!or.)", re.IGNORECASE)
_ACCEPTS = re.compile(r"(?:(?:also )?accept|or)\b:?", re.IGNORECASE)
# A text that graders are to "prompt on" is incomplete.
_REJECTS = re.compile(
    r"(?:(?:do not|don['’]t) (?:accept|prompt on)|reject|prompt on)\b:?(?: or prompt on)?", re.IGNORECASE
)
_OR = re.compile(r",?\sor\s", re.IGNORECASE)
_CONDITION = re.compile(
    r"\s(?:before|until|after|alone|by itself|if|as long as|as well as|but|by|with)\b", re.IGNORECASE
)
# "accept either name", "or equivalents"
_GENERAL = re.compile(rf"(?:{pattern_of('general')})\b|\W*$", re.IGNORECASE)
_QUOTES = "\"'“”‘’ ."
# Words that may be left out: not "(II)", "(not)", "(left)" or the argument of a function.
_OPTIONAL = re.compile(
    r"(?<!\S)\((?!(?:not?|but|nicht|kein\w*|ne|pas|не|left|right|upper|lower|north|south|east|west|flat|sharp|cis|trans|"
    r"all|only|mod|if|[IVX]+)\b)([^\W\d_][^()\d]+[^\W\d_])\)(?!\S)"
)
_FUNCTION = re.compile(r"(?:^|\s)(?:sin|cos|tan|log|ln|exp|lim|max|min|mod|if|for|while|print|return|[a-zO]) \(|[=;{}]")
_ARTICLES = {"the", "a", "an"}
_FILLERS = FILLERS - _ARTICLES | {"its", "it's", "thats", "that's"}
_SHORT, _LONGEST = 60, 1000  # Characters of a reference with optional words, and of one with notes.


class AnswerKey(NamedTuple):
    """The texts that the references of a row accept, the index of each one's reference, and the texts they reject."""

    accepted: list[str]
    sources: list[int]
    rejected: list[str]

    def rejects(self, answer: str) -> bool:
        """Return whether the answer is a rejected text, apart from articles and words such as "it is"."""
        said = _content(answer)
        bare = [[word for word in _content(text) if word not in _ARTICLES] for text in (answer, *self.rejected)]
        return said not in map(_content, self.accepted) and bare[0] in bare[1:]


def read_key(references: Sequence[str]) -> AnswerKey:
    """Read notes in brackets or parentheses, and in short references without digits, words that may be left out.

    >>> key = read_key(["hemoglobin [accept Hb or haemoglobin; do not accept myoglobin]", "(red) blood pigment"])
    >>> key.accepted
    ['hemoglobin', 'Hb', 'haemoglobin', 'red blood pigment', 'blood pigment']
    >>> key.rejected, key.rejects("It's myoglobin."), key.rejects("Hb, not myoglobin")
    (['myoglobin'], True, False)
    """
    accepted, rejected = dict[str, int](), list[str]()
    for index, reference in enumerate(references):
        answer, notes = _parts(reference)
        texts: list[str] = _OR.split(answer) if notes else [answer]
        for clause in map(str.strip, _CLAUSE.split(notes)):
            if match := _REJECTS.match(clause):
                rejected += _items(clause[match.end() :])
            elif match := _ACCEPTS.match(clause):
                texts += _items(clause[match.end() :])
        for text in texts:
            for form in _forms(text):
                accepted.setdefault(form, index)
    return AnswerKey(list(accepted), list(accepted.values()), rejected)


def _parts(reference: str) -> tuple[str, str]:
    """Return the answer and the notes after it; `""` if there are none."""
    if len(reference) <= _LONGEST and (match := _NOTES.search(reference)):
        answer = reference[: match.start()].strip()
        if answer and _AFTER_NOTES.match(reference, match.end()):
            return answer, match["notes"] or match["others"]
    return reference, ""


def _items(clause: str) -> Iterator[str]:
    """Yield the texts of a note: "Eumenides, Semnai, or Dirae" has three."""
    items = _OR.split(_CONDITION.split(clause)[0])
    if len(items) > 1:
        items = [text for item in items for text in item.split(", ")]
    return (text for item in items if (text := item.strip(_QUOTES)) and not _GENERAL.match(text))


def _forms(text: str) -> list[str]:
    """Return the text with and without optional words."""
    if "(" in text and len(text) <= _SHORT and not any(map(str.isdigit, text)) and not _FUNCTION.search(text):
        without = " ".join(_OPTIONAL.sub(" ", text).split())
        if any(map(str.isalpha, without)) and len(without) < len(text):
            return [_OPTIONAL.sub(r"\1", text), without]
    return [text]


def _content(text: str) -> list[str]:
    return [word for word in exact_words(text, articles=True) if word not in _FILLERS]
