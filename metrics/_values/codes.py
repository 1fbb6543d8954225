r"""Compare codes: labels such as A72, versions, chemical equations, and pieces of programs such as "ls -a".

The reference is compared with the codes of its own form in the answer.
"""

import re
import unicodedata

from .comparison import Comparison, Texts
from .labels import ASKS_VERSION, VERSION, compare_label
from .phrases import mentioned
from .programs import COMMAND, ONLY_CODE, QUOTED, compare_program

_MAY_BE_CODE = re.compile(r"[\[\]{}<>|#;~`_/($.:\\=&+\d₀-₉?→⟶⇌-]| (?:major|minor)\b|\w(?:Error|Exception)$")
_ASKS_CODE = re.compile(
    r"\b(?:which|what) (?:\w+ )?(?:command|function|method|keyword|module|tag|statement|operator)\b", re.IGNORECASE
)
_WORDS_BEFORE = 3  # Words before the code that an answer names.
_AROUND = " ()$`"
_LONGEST_ANSWER = 400  # Characters.
REACTS, _SIDE = re.compile(r"→|⟶|⇌|-+>"), re.compile(r"→|⟶|⇌|-+>|=")


def may_be_code(reference: str) -> bool:
    """Return whether a reference has a sign or word that codes have."""
    return bool(_MAY_BE_CODE.search(reference) or COMMAND.match(reference))


def compare_quoted(texts: Texts) -> bool | None:
    """Compare a reference of one word with the only code that an answer quotes; None if that is not certain.

    >>> compare_quoted(Texts("Which command removes a directory?", "Use `mkdir`.", "rmdir"))
    False
    """
    quoted = [*QUOTED.finditer(texts.answer)]
    if len(quoted) != 1 or mentioned(texts.answer, *quoted[0].span()):
        return None
    code, reference = quoted[0][1].strip(_AROUND), texts.reference.strip(_AROUND)
    if code == reference:
        return True
    alike = code.lower() in reference.lower() or reference.lower() in texts.answer.lower()
    names = _ASKS_CODE.search(texts.question) and code.isidentifier() and code.lower() not in texts.question.lower()
    direct = texts.answer[: quoted[0].start()].count(" ") <= _WORDS_BEFORE
    return False if names and direct and not alike else None


def compare_code(texts: Texts) -> Comparison | None:
    """Compare the answer with the reference's code; None if the reference is no code.

    >>> compare_code(Texts("", "In package.json.", "package.json")).equal, compare_code(Texts("", "c3", "c4")).equal
    (True, False)
    >>> compare_code(Texts("", "(x & 1) == 0", "x % 2 == 0")).equal, compare_code(Texts("", "Rome", "Paris"))
    (None, None)
    """
    version = bool(VERSION.search(texts.reference) and ASKS_VERSION.search(texts.question))
    same = None
    if len(texts.answer) <= _LONGEST_ANSWER:
        same = compare_label(texts, version)
        same = compare_program(texts) if same is None and not version else same
    is_code = same is not None or version or ONLY_CODE.search(texts.reference)
    return Comparison("identifier", same) if is_code else None


def compare_reaction(texts: Texts) -> bool | None:
    """Compare chemical equations, whose substances may have another order; None for other texts.

    >>> compare_reaction(Texts("", "O₂ + 2 H₂ → 2 H₂O", "2H2 + O2 -> 2H2O"))
    True
    """
    answer, reference = map(_reaction, (texts.answer, texts.reference))
    names = [[[name.lstrip("0123456789") for name in side] for side in sides] for sides in (answer, reference)]
    return answer == reference if len(reference) > 1 and names[0] == names[1] else None


def _reaction(text: str) -> list[list[str]]:
    """Return the substances on each side of a chemical equation, in alphabetical order."""
    plain = re.sub(r"\s", "", unicodedata.normalize("NFKC", text).strip("."))
    return [sorted(side.split("+")) for side in _SIDE.split(plain)]
