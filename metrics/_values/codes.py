r"""Compare codes: labels such as A72 and Ctrl+Z, versions, and pieces of programs such as "ls -a" and "\d+".

The reference is compared with the codes of its own form in the answer. Labels and versions are equal or different. Two
programs that differ in their text may still do the same, so only one changed word or sign that matters makes them
different.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from .phrases import negated
from .reading import Texts
from .text import word_set

_MAY_BE_CODE = re.compile(r"[\[\]{}<>|#;~`_/($.:\\=&+\d₀-₉?-]| (?:major|minor)\b")
_LONGEST_CODE, _LONGEST_ANSWER = 80, 400  # Characters.
_LONGEST_LABELED, _SENTENCE, _MORE_WORDS, _SPACES_IN_CODE = 20, 12, 10, 6  # Words of an answer, words around code.

_KEY = r"(?:ctrl|control|strg|alt|option|shift|cmd|command|win|windows)\s?[+-]\s?"
_SAME_KEYS = {"control": "ctrl", "strg": "ctrl", "command": "cmd", "windows": "win", "delete": "del", " ": "", "-": "+"}
_MUSIC = r"\b[A-Ga-g](?:[#♯♭b]|[ -](?:sharp|flat))?[ -](?:major|minor)\b"
# Forms of labels, each with the replacements before the comparison. A form with replacements ignores case.
_LABELS: Sequence[tuple[re.Pattern[str], dict[str, str]]] = [
    (re.compile(pattern), same)
    for pattern, same in (
        (rf"\b(?i:(?:{_KEY})+\w+)", _SAME_KEYS),
        (_MUSIC, {"-": " ", " sharp": "#", " flat": "b", "♯": "#", "♭": "b"}),
        (r"(?<![\w-])[O0](?:-[O0]){1,2}(?![\w-])", {"0": "o"}),
        (r"\b(?!AD|BC|CE)[A-Z]{1,4}[ -]?\d{1,5}[A-Za-z]?\b", {" ": "", "-": ""}),  # LH 404, A380
        (r"\b[A-Z][a-z]?[+-](?!\w)", {}),  # B+, Na+
        (r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+/#-]*\w[+#]?", {}),  # any other with a letter and a digit
    )
]
_VERSION = re.compile(r"(?<![\w.])v?(?:\d+(?:\.\d+)+)(?![\w%])")
_ASKS_VERSION = re.compile(r"\b(?i:which|what(?:['’]s| is| was)?)(?: (?!do|did|is|was)\S+){0,3} (?:version|release)\b")
_MOVE = re.compile(r"^\d+\.+\s*(?=[a-zA-Z])|^0x")  # The number of a move in chess, and the sign of hexadecimal digits.
_CHORD = re.compile(r"^([A-G][#b♯♭]?)m$")
_SYMBOL = re.compile(r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+#()-]{2,7}")
_PIECE = re.compile(r"([^\W\d_]{3,})|[^\W_]")

_CODE = re.compile(
    r"[\[\]{}<>|#;~`]|\$(?!\d)|\w\(|::|(?<!\w)--?\w|\w\w\.\w|\w\.\w\w|(?:^|\s)[./][a-zA-Z]|\w/\w+/|_\w|\w_|=="
)
_MEASURE = re.compile(r"[^a-zA-Z]*\d[\d.,]*\s?(?:[a-zA-Z°%]+(?:/[a-zA-Z]+)?)?$")
_SENTENCE_WITHOUT_SIGNS = re.compile(r"[^-/._=(\[]* [^-/._=(\[]*")
_COMMAND = re.compile(
    r"(?:sudo )?(?:pip3?|npm|npx|yarn|git|apt(?:-get)?|brew|docker|cargo|conda|kubectl|chmod) \w|[a-z]{2,8} --?\w|"
    r"(?i:select) [\w*]"
)
_REGEX, _ESCAPE = re.compile(r"\b(?i:regex|regular expression)"), re.compile(r"\\[dDwWsSbB](?![a-zA-Z])")
_ONLY_CODE = re.compile(r"==|!=|&&|\|\||=>|::|[+-]=|<<|>>|\w\[|\(\)")  # No other value has these signs.
_FILE = re.compile(r"(?<![\w./])(?:[\w-]*[a-zA-Z][\w-]*)?(\.[a-zA-Z]\w*)(?![\w(./])")
_QUOTED = re.compile(r"`([^`]+)`")
_SIGNS = "=<>!&|/*%+:~^?-"
_OPERATOR, _TOKEN = re.compile(rf"[{_SIGNS}]{{1,3}}"), re.compile(rf"\\.|\w+|[{_SIGNS}]+|\S")
# Each makes another value where it is added, the second ones in regular expressions.
_NEGATIONS, _QUANTIFIERS = word_set("- ! ~ not"), word_set("? * +")
_SYNONYMS = [
    *map(word_set, ("&& and &", "|| or |", "! not", "== === is", "!= <> !== ≠", "** ^", "/ // ÷", "> />", "ln log"))
]


def same_code(texts: Texts) -> Iterator[bool | None]:
    """Yield whether the answer has the reference's code: None if that is not certain, nothing for no code.

    >>> list(same_code(Texts("", "Put it in package.json.", "package.json"))), list(same_code(Texts("", "c3", "c4")))
    ([True], [False])
    >>> list(same_code(Texts("", "(x & 1) == 0", "x % 2 == 0"))), list(same_code(Texts("", "Rome", "Paris")))
    ([None], [])
    """
    reference = texts.reference
    if len(reference) > _LONGEST_CODE or not (_MAY_BE_CODE.search(reference) or _COMMAND.match(reference)):
        return
    version = bool(_ASKS_VERSION.search(texts.question) and _VERSION.search(reference))
    same = None
    if len(texts.answer) <= _LONGEST_ANSWER:
        same = _same_label(texts, version)
        same = _same_program(texts) if same is None and not version else same
    if same is not None or version or _ONLY_CODE.search(reference):
        yield same


def _same_label(texts: Texts, version: bool) -> bool | None:
    """Compare the only label in the answer that has the reference's form; None if there are several or none."""
    tidy = (unicodedata.normalize("NFKC", text).strip(" .`") for text in (texts.reference, texts.answer))
    reference, answer = (_CHORD.sub(r"\1 minor", _MOVE.sub("", text)) for text in tidy)
    # The label may have a name, as "vitamin B12" has, if question or answer have it too.
    name, _, last = reference.rpartition(" ")
    known = all(word in f"{texts.question} {answer}".lower() for word in name.lower().split())
    forms = [(_VERSION, {"v": ""})] if version else _LABELS
    labels = (reference, last) if known else (reference,)
    pattern, same, label = next(
        ((*one, label) for label in labels for one in forms if one[0].fullmatch(label)), (_VERSION, {}, "")
    )
    other = pattern is _LABELS[-1][0]
    values = texts.wanted
    if not label or texts.length > _LONGEST_LABELED or values.dates or values.times or (other and values.numbers):
        return None
    if all(map(_SYMBOL.fullmatch, (label, answer))):
        found = {_plain(answer, same): True}
    else:
        given = [one for one in pattern.finditer(answer) if not other or _form(one[0]) == _form(label)]
        found = {_plain(one[0], same): not negated(answer[: one.start()]) for one in given}
    codes, wanted = [code for code, said in found.items() if said], _plain(label, same)
    if len(codes) != 1 or (wanted in codes and texts.length > _SENTENCE):
        return False if [*found] == [wanted] and not codes else None
    # Codes may differ in case, in the order of keys, in the sign of check at the end, or in the details of a version.
    one, two = (_bare(code).strip("+#") for code in (wanted, *codes))
    alike = {*one.split("+")} == {*two.split("+")} or (version and f"{min(one, two)}." in f"{max(one, two)}.")
    alike = alike or (("#" in one) != ("#" in two) and "b m" in one + two)  # such as C-sharp and D-flat minor
    return True if wanted in codes else None if alike else False


def _plain(label: str, same: dict[str, str]) -> str:
    label = label.lower() if same else label
    for old, new in same.items():
        label = label.replace(old, new)
    return label


def _bare(code: str) -> str:
    """Return a code in lower case, without the hyphens and underscores in it."""
    return re.sub(r"(?<=[^\W_])[-_](?=\w)", "", code.lower())


def _form(code: str) -> str:
    """Return a code with 0 for its digits and x for its letters, except those of words: "propan-0-xx"."""
    return _PIECE.sub(lambda found: found[0].lower() if found[1] else "0" if found[0].isdigit() else "x", code)


def _same_program(texts: Texts) -> bool | None:
    """Compare a command, call, path or expression with the answer, or with the only code that it quotes."""
    regex = bool(_REGEX.search(texts.question) or _ESCAPE.search(texts.reference))
    quoted = _QUOTED.findall(texts.answer)
    reference, answer = map(_tidy, (texts.reference, quoted[0] if len(quoted) == 1 else texts.answer))
    if not _is_program(texts.reference, reference, regex) or len(quoted) > 1 or (not regex and "\\" in answer):
        return None
    if _bare(answer) == _bare(reference) and answer != reference and not regex:
        return None
    edge = rf"[{_SIGNS}]" if _OPERATOR.fullmatch(reference) else r"[\w-]"
    after = rf"{edge}|\.\w|\s?[+*%=<>|&]|\s(?:-\w|[A-Z]{{4}})|[(\[]"
    after += r"|\s[\w.-]+$" if _COMMAND.match(reference) else ""
    if found := re.search(rf"(?<!{edge}){re.escape(reference)}(?!{after})", answer):
        certain = answer.count(" ") <= reference.count(" ") + _MORE_WORDS and not negated(answer[: found.start()])
        return True if certain else None
    if _FILE.fullmatch(reference):  # Other files with its ending, or hidden like it.
        files = [reference.endswith(one[1]) or one[0][0] == reference[0] == "." for one in _FILE.finditer(answer)]
        return False if files == [True] or _FILE.fullmatch(answer) else None
    other = len(answer) <= _LONGEST_CODE and reference not in answer and _is_other(answer, reference, regex)
    return False if other else None


def _tidy(text: str) -> str:
    """Return code without its quotes, prompt, protocol and final punctuation, and with single spaces."""
    text = unicodedata.normalize("NFKC", text).replace("https://", "").replace("http://", "")
    return " ".join(text.strip().strip("`'\"").removeprefix("$ ").split()).rstrip(".;")


def _is_program(text: str, tidy: str, regex: bool) -> bool:
    if not tidy or tidy.count(" ") > _SPACES_IN_CODE or _MEASURE.match(text):
        return False
    certain = regex or _COMMAND.match(tidy) or _OPERATOR.fullmatch(tidy)
    return bool(certain or (_CODE.search(text) and not _SENTENCE_WITHOUT_SIGNS.fullmatch(tidy)))


def _is_other(answer: str, reference: str, regex: bool) -> bool:
    """Return whether two commands or pieces of a program differ in one word or sign that matters."""
    command = _COMMAND.match(reference)
    given, wanted = (text.split() if command else _TOKEN.findall(text) for text in (answer, reference))
    changes = [one for one in SequenceMatcher(None, given, wanted, False).get_opcodes() if one[0] != "equal"]
    if len(changes) != 1:
        return False
    _, first, last, start, end = changes[0]
    left, right = given[first:last], wanted[start:end]
    if not len(left) == len(right) == 1:
        added = _QUANTIFIERS if regex else _NEGATIONS
        missing = not left and all(word.startswith("-") for word in right)  # options of a command
        return missing if command else len(left) + len(right) == 1 and {*left, *right} <= added
    if command:
        one, other = (word.lower().lstrip("-") for word in (*left, *right))
        same = right[0].startswith("-") and sorted(one) == sorted(other)  # "-la" and "-al"
        return not (same or one.startswith(other) or other.startswith(one))
    # A variable may have any name, unlike functions, keywords, and parts of a path.
    near = any(map(str.isidentifier, wanted[max(0, start - 1) : start] + wanted[start + 1 : start + 2]))
    path = "(" not in wanted and bool({"/", "."} & {*wanted})
    alone = sum(map(str.isidentifier, wanted)) == 1 and (len(wanted) > 1 or "_" in reference)
    named = near or path or alone or wanted[start + 1 : start + 2] == ["("]
    return _is_other_token(left[0], right[0], named, len(wanted) == 1)


def _is_other_token(one: str, other: str, named: bool, only: bool) -> bool:
    synonyms = not only and any({one, other} <= same for same in _SYNONYMS)
    if one.isdigit() and other.isdigit():
        return int(one) != int(other)
    if one[0] == other[0] == "\\" or not any(map(str.isalnum, one + other)):
        return not synonyms
    one, other = one.lower(), other.lower()
    words = one.isidentifier() and other.isidentifier() and min(len(one), len(other)) > 1
    return words and named and not synonyms and one not in other and other not in one
