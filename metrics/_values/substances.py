"""Compare chemical elements and common substances: "Fe" is iron, and "CO₂" is carbon dioxide."""

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

from .comparison import Texts
from .text import plain

SUBSTANCES = [
    line.split("\t") for line in Path(__file__).with_name("substances.tsv").read_text(encoding="utf-8").splitlines()
]
"""The name of each substance, its symbol if it is an element, or else "-", and other names or formulas."""
_NAME_OF = {text: name for name, *others in SUBSTANCES for text in (name, *others) if text != "-"}
_ALSO = re.compile(r",? \(?(?:also|commonly|otherwise|better|a\.?k\.?a\.?|i\.e\.|known|or simply)\b.*", re.IGNORECASE)
_LEAD = re.compile(r"^(?:it(?:['’]s| is) )?(?:just |the element )?|(?: gas| atoms?)?[ .!]*$", re.IGNORECASE)
_KNOWN = frozenset(symbol for _, symbol, *_ in SUBSTANCES if symbol != "-")
_ATOM, _FORMULA = re.compile(r"([A-Z][a-z]?)(\d*)"), re.compile(r"(?:[A-Z][a-z]?\d*){2,12}")
_SYMBOLS, _ASKS_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*){1,12}"), re.compile(r"\b(?:formula|symbol)\b", re.IGNORECASE)
_LONGEST = 40  # Characters.


@lru_cache(maxsize=1 << 10)
def substance(text: str) -> str:
    """Return the name of the substance that a text names, by its name or formula; `""` for another text.

    >>> substance("It's CO₂."), substance("Fe"), substance("fe"), substance("iron ore")
    ('carbon dioxide', 'iron', '', '')
    """
    if len(text) > _LONGEST:
        return ""
    name = _LEAD.sub("", plain(text.strip()))
    return _NAME_OF.get(name) or _NAME_OF.get(name.lower() if len(name) > len("HCl2") else "", "")


def have_one_name(word: str, other: str) -> bool:
    """Return whether names with these words are of one substance, as acetic acid is ethanoic acid."""
    return any({word, other} <= {part for name in names for part in name.split()} for names in SUBSTANCES)


def atoms_of(text: str) -> Counter[str]:
    """Return the number of atoms of each element in a formula of several elements; nothing for another text."""
    formula = _LEAD.sub("", plain(text.strip()))
    atoms = Counter[str]()
    for symbol, count in _ATOM.findall(formula) if _FORMULA.fullmatch(formula) else ():
        atoms[symbol] += int(count or 1)
    return atoms if len(atoms) > 1 and atoms.keys() <= _KNOWN else Counter()


def compare_substance(texts: Texts) -> bool | None:
    """Return whether the answer names the reference's substance; None unless both are just substances.

    >>> compare_substance(Texts("Which metal?", "Fe", "iron")), compare_substance(Texts("Iron?", "iron", "Fe"))
    (True, None)
    """
    reference, said = substance(texts.reference), _ALSO.sub("", texts.answer)
    answer = substance(said)
    if not answer and (atoms := atoms_of(said)) and (expected := atoms_of(texts.reference)):
        return None if atoms == expected else False
    symbols = [_LEAD.sub("", plain(text.strip())) for text in (texts.reference, said)]
    if _ASKS_FORMULA.search(texts.question) and all(map(_SYMBOLS.fullmatch, symbols)) and symbols[0] != symbols[1]:
        return False  # O for O2
    if not answer or (answer == reference and texts.question_words.issuperset(texts.answer_words)):
        return None
    return answer == reference
