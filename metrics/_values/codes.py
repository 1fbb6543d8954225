r"""Compare codes: labels such as A72, versions, and pieces of programs such as "ls -a".

The reference is compared with the codes of its own form in the answer.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from .comparison import Comparison, Texts
from .phrases import only_mentions
from .programs import COMMAND, ONLY_CODE, compare_program, rewritten, without_hyphens
from .substances import atoms_of
from .word_tables import WORDS

_MAY_BE_CODE = re.compile(
    r"[\[\]{}<>|#;~`_/($.:\\=&+\d₀-₉?→⟶⇌-]| (?:major|minor|negative|positive|plus|minus)\b|\w(?:Error|Exception)$"
)
_LONGEST_ANSWER = 400  # Characters.

# Labels. They are equal or different.
_LONGEST, _SENTENCE = 20, 12  # Words of an answer.
_KEY = r"(?:ctrl|control|strg|alt|option|shift|cmd|command|win|windows)\s?[+-]\s?"
_SAME_KEYS = {"control": "ctrl", "strg": "ctrl", "command": "cmd", "windows": "win", "delete": "del", " ": "", "-": "+"}
_MUSIC = r"\b[A-Ga-g](?:[#♯♭b]|[ -](?:sharp|flat))?[ -](?:major|minor)\b"
_SAME_COMPLEXITY = dict.fromkeys(("\\", "o(", "(", ")", " ", "^", "*", "·", "⋅", "|"), "") | {
    "lg": "log",
    "log2": "log",
}
_Form = tuple[re.Pattern[str], dict[str, str]]
# Forms of labels, each with the replacements before the comparison. A form with replacements ignores case.
_LABELS: Sequence[_Form] = [
    (re.compile(pattern), same)
    for pattern, same in (
        (rf"\b(?i:(?:{_KEY})+\w+)", _SAME_KEYS),
        (_MUSIC, {"-": " ", " sharp": "#", " flat": "b", "♯": "#", "♭": "b"}),
        (r"\bO\((?:[^()]|\([^()]*\))+\)", _SAME_COMPLEXITY),
        (r"(?<![\w-])[O0](?:-[O0]){1,2}(?![\w-])", {"0": "o"}),
        (
            r"\b(?!AD|BC|CE)[A-Z]{1,4}[ -]?\d{1,5}[A-Za-z]?\b(?! (?:Ti|Pro|Max|Plus|Ultra|Mini|Super)\b)",
            {" ": "", "-": ""},
        ),  # LH 404, A380
        (r"\b(?:[A-Z][a-z]?|AB)\d?[+-](?!\w)", {}),  # B+, Na+, Ca2+
        (r"\b[A-Z]\w*(?:Error|Exception)\b", {}),
        (r"\b[a-z]+(?:_[a-z\d]+)+\b", {}),
        (r"(?<![\w./~])~?(?:/[\w.-]*\w){2,}", {}),  # a path
        (r"\b[KQRBN][a-h]?x?[a-h][1-8](?:[+#]|\b)", {}),  # a move in chess
        (r"(?<!to )(?<!on )\b(?:[a-h]?x)?[a-h][1-8](?:=[QRBN])?(?:[+#]|\b)", {}),  # a move of a pawn
        (r"\b(?:[A-Z][a-z]?\d*){2,6}\^?\d?[+-](?!\w)", {"^": ""}),  # SO4^2-
        (r"\b(?:\d[spdf]\^?\d{1,2}\s?){2,}(?!\w)", {"^": "", " ": ""}),  # electrons
        (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", {"mailto:": ""}),
        (r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", {}),  # an IPv4 address
        (r"(?<!\S)(?:[\d*/,-]+ ){4}[\d*/,-]+(?!\S)", {}),  # cron
        (r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+/#-]*\w[+#]?", {}),  # any other with a letter and a digit
    )
]
_COMPLEXITIES = {name: formula for _, kind, name, formula in WORDS if kind == "complexity"}
_COMPLEXITY = re.compile(rf"\b({'|'.join(_COMPLEXITIES)})\b(?: time)?", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(?:\d+(?:\.\d+)+)(?![\w%])")
_ASKS_VERSION = re.compile(
    r"\b(?i:which|what(?:['’]s| is| was)?)(?: (?!do|did|is|was)\S+){0,3} "
    r"(?:version|release|section|chapter|clause|paragraph|Angular|Python|Ubuntu|Android|iOS)\b"
)
_COLOR = re.compile(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_KEYS = str.maketrans({"⌘": "cmd+", "⌥": "alt+", "⇧": "shift+", "⌃": "ctrl+", "Θ": "O", "−": "-"})
_MOVE = re.compile(r"^\d+\.+\s*(?=[a-zA-Z])|^0x")  # The number of a move in chess, and the sign of hexadecimal digits.
_GRADE = re.compile(r"\b(AB|[A-FO]) (?:(neg(?:ative)?|minus)|pos(?:itive)?|plus)\b", re.IGNORECASE)
_CHORD = re.compile(r"^([A-G][#b♯♭]?)m$")
_SYMBOL = re.compile(r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+#()-]{2,7}")
_TERMS = re.compile(r"\w\^|\w\s[+−*=-]\s")  # In "2x + 1", 2x is not a label.
_PIECE = re.compile(r"([^\W\d_]{3,})|[^\W_]")
# A number in groups, such as a phone number.
_GROUPS = re.compile(r"(?<![\w.,])[+(]{0,2}\d[\d ().-]{5,22}\d(?![\w%]|[.,]\d)")
_DIGITS = re.compile(r"\d")


def may_be_code(reference: str) -> bool:
    """Return whether a reference has a sign or word that codes have."""
    return bool(_MAY_BE_CODE.search(reference) or COMMAND.match(reference))


def in_groups(reference: str) -> bool:
    """Return whether a reference is a number in groups, such as "555-1234"."""
    return not reference.isdigit() and _GROUPS.fullmatch(reference) is not None


def compare_groups(texts: Texts) -> bool | None:
    """Compare a number in groups with the only one in the answer; None if one may lack a prefix, and for dates.

    >>> [compare_groups(Texts("", answer, "555-1234")) for answer in ("It's 5551234.", "555 1243", "1-555-1234")]
    [True, False, None]
    """
    said = _GROUPS.findall(texts.answer)
    if len(said) != 1 or texts.reference_values.dates:
        return None
    reference, answer = ("".join(_DIGITS.findall(text)) for text in (texts.reference, said[0]))
    return answer == reference if len(answer) == len(reference) else None


def compare_code(texts: Texts) -> Comparison | None:
    """Compare the answer with the reference's code; None if the reference is no code.

    >>> compare_code(Texts("", "In package.json.", "package.json")).equal, compare_code(Texts("", "c3", "c4")).equal
    (True, False)
    >>> compare_code(Texts("", "(x & 1) == 0", "x % 2 == 0")).equal, compare_code(Texts("", "Rome", "Paris"))
    (None, None)
    """
    version = bool(_VERSION.search(texts.reference) and _ASKS_VERSION.search(texts.question))
    same = None
    if len(texts.answer) <= _LONGEST_ANSWER:
        same = _compare_label(texts, version)
        same = compare_program(texts) if same is None and not version else same
    is_code = same is not None or version or ONLY_CODE.search(texts.reference)
    return Comparison("identifier", same) if is_code else None


def _compare_label(texts: Texts, version: bool) -> bool | None:
    """Compare the only label in the answer that has the reference's form; None if there are several or none."""
    found = _label(texts.reference, version)
    if found is None or texts.length > _LONGEST:
        return None
    label, name, (pattern, same) = found
    answer = _tidy(texts.answer)
    if label.startswith("O("):
        answer = _COMPLEXITY.sub(lambda match: f"O({_COMPLEXITIES[match[1].lower()]})", answer)
        answer = f"O({answer})" if texts.short and not re.search(r"O\(|[^\W\d_]{4}", answer) else answer
    # The label may have a name, as "vitamin B12" has, if question or answer have it too.
    said = f"{texts.question} {answer}".lower()
    if not all(word in said for word in name.lower().split()):
        return None
    of_any_form = pattern is _LABELS[-1][0]
    values = texts.reference_values
    if values.dates or values.times or (of_any_form and (values.numbers or _TERMS.search(answer))):
        return None
    if all(map(_SYMBOL.fullmatch, (label, answer))):
        affirmed = {_plain(answer, same): True}
    else:
        matches = [match for match in pattern.finditer(answer) if not of_any_form or _form(match[0]) == _form(label)]
        affirmed = {_plain(match[0], same): not only_mentions(answer, *match.span()) for match in matches}
    return _compare_labels(affirmed, _plain(label, same), version, texts.length <= _SENTENCE)


@lru_cache(maxsize=1 << 10)
def _label(reference: str, version: bool) -> tuple[str, str, _Form] | None:
    """Return the label that a reference is or ends with, the words before it, and its form; None without a label."""
    reference = _tidy(reference)
    name, _, last = reference.rpartition(" ")
    forms = [(_VERSION, {"v": ""})] if version else _LABELS
    labels = ((reference, ""), (last, name)) if name else ((reference, ""),)
    found = ((label, before, form) for label, before in labels for form in forms if form[0].fullmatch(label))
    return next(found, None)


def _compare_labels(affirmed: Mapping[str, bool], label: str, version: bool, short: bool) -> bool | None:
    """Compare the answer's labels with the reference's; `affirmed` is False for labels that the answer denies."""
    labels = [name for name, said in affirmed.items() if said]
    if len(labels) != 1 or (labels[0] == label and not short):
        return False if [*affirmed] == [label] and not labels else None
    if labels[0] == label:
        return True
    # Labels may differ in case, in the order of keys, in the sign of check at the end, or in the details of a version.
    left, right = (without_hyphens(name).strip("+#") for name in (label, labels[0]))
    alike = {*left.split("+")} == {*right.split("+")} or (version and f"{min(left, right)}." in f"{max(left, right)}.")
    alike = alike or (" " in label and bool({"/", ","} & {*label, *labels[0]}))  # Two cron schedules may be the same.
    # The order of orbitals and factors is free.
    alike = alike or ((label[:2] == "1s" or label.isalpha()) and sorted(label) == sorted(labels[0]))
    alike = alike or atoms_of(label) == atoms_of(labels[0]) != {}  # CH3COOH is C2H4O2.
    alike = alike or (("#" in left) != ("#" in right) and "b m" in left + right)  # such as C-sharp and D-flat minor
    return None if alike else False


def _tidy(text: str) -> str:
    """Return a text without typography and the number of a move, and with full names of keys, colors and chords."""
    plain = unicodedata.normalize("NFKC", rewritten(text.strip(" .`"))).translate(_KEYS)
    plain = _GRADE.sub(lambda match: f"{match[1]}{'-' if match[2] else '+'}", plain)
    return _CHORD.sub(r"\1 minor", _MOVE.sub("", _COLOR.sub(_full_color, plain)))


def _full_color(match: re.Match[str]) -> str:
    """Return #ff0000 for #F00."""
    digits = match[1].lower()
    return f"#{digits if len(digits) > 3 else ''.join(digit * 2 for digit in digits)}"  # noqa: PLR2004


def _plain(label: str, same: dict[str, str]) -> str:
    label = label.lower() if same else label
    for old, new in same.items():
        label = label.replace(old, new)
    return label


def _form(code: str) -> str:
    """Return a code with 0 for its digits and x for its letters, except those of words: "propan-0-xx"."""
    return _PIECE.sub(lambda match: match[0].lower() if match[1] else "0" if match[0].isdigit() else "x", code)
