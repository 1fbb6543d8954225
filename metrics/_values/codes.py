r"""Compare codes: labels such as A72 and Ctrl+Z, versions, and pieces of programs such as "ls -a" and "\d+".

The form of the reference tells which codes of an answer to compare with it. Labels and versions of one form are equal
or differ. Two programs may differ and do the same, so these differ only by a single word or sign that matters.
"""

import re
import unicodedata
from collections.abc import Iterator

from .phrases import negated
from .reading import Texts
from .text import word_set

_MAY_BE_CODE = re.compile(r"[\[\]{}<>|#;~`_/($.:\\=&+\d₀-₉-]| (?:major|minor)\b")
_LONGEST_CODE, _SPACES_IN_CODE = 80, 6
_LONGEST_LABEL, _LONGEST_LABELED, _SENTENCE = 40, 20, 12  # Characters; words of an answer that has a label.
_MORE_WORDS = 10  # Words around a piece of a program.

# Labels, with what is removed from them or replaced in them before the comparison.
_KEY = "ctrl|control|strg|alt|option|shift|cmd|command|win|windows|meta"
_NUMBERED = "page|chapter|section|figure|table|volume|verse|act|scene|line|row|seat|gate|track|platform|room|lesson"
_LABELS: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (
        re.compile(rf"\b(?:(?:{_KEY})\s?[+-]\s?)+\w+", re.IGNORECASE),
        {"control": "ctrl", "strg": "ctrl", "command": "cmd", " ": "", "-": "+"},
    ),
    (
        re.compile(r"\b[A-Ga-g](?:[#♯♭b]|[ -](?:sharp|flat))?[ -](?:major|minor)\b"),
        {"-": " ", " sharp": "#", " flat": "b", "♯": "#", "♭": "b"},
    ),
    (re.compile(r"(?<![\w-])[O0](?:-[O0]){1,2}(?![\w-])"), {"0": "o"}),
    (re.compile(rf"\b(?:{_NUMBERED}) \d+\b", re.IGNORECASE), {}),
    (re.compile(r"\b(?!AD|BC|CE)[A-Z]{1,4}[ -]?\d{1,5}[A-Za-z]?\b"), {" ": "", "-": ""}),  # LH 404, A380
    (re.compile(r"\b[A-Z][a-z]?[+-](?!\w)"), {}),  # B+, Na+
    (re.compile(r"(?=\S*\d)(?=\S*[a-zA-Z])[\w.+/#-]*\w[+#]?"), {}),  # any other with a letter and a digit
)
_MOVE = re.compile(r"^\d+\.+\s*(?=[a-zA-Z])|^0x")  # The number of a move in chess, and the sign of hexadecimal digits.
_CHORD = re.compile(r"^([A-G][#b♯♭]?)m$")
_SYMBOL, _LONGEST_SYMBOL = re.compile(r"(?=\S*\d)[a-zA-Z][\w.+#()-]+"), 6
_PIECE = re.compile(r"([^\W\d_]{3,})|[^\W_]")
_ASKS_VERSION = re.compile(
    r"\b(?:which|what(?:['’]s| is| was)?)(?: (?!does\b|do\b|did\b|is\b|was\b)\S+){0,3} (?:version|release)\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)(?![\w%])")

_CODE = re.compile(
    r"[\[\]{}<>|#;~`]|\$(?!\d)|\w\(|::|(?<!\w)--?\w|\w\w\.\w|\w\.\w\w|(?:^|\s)[./][a-zA-Z]|\w/\w+/|_\w|\w_|=="
)
_MEASURE = re.compile(r"[^a-zA-Z]*\d[\d.,]*\s?(?:[a-zA-Z°%]+(?:/[a-zA-Z]+)?)?$")
_SYMBOL_IN_CODE = re.compile(r"[-/._=(\[]")
_COMMAND = re.compile(
    r"(?:sudo )?(?:pip3?|npm|npx|yarn|git|apt(?:-get)?|brew|docker|cargo|conda|kubectl|chmod) \w|[a-z]{2,8} --?\w"
)
_REGEX, _ESCAPE = re.compile(r"\bregex|\bregular expression", re.IGNORECASE), re.compile(r"\\[dDwWsSbB](?![a-zA-Z])")
_ONLY_CODE = re.compile(r"==|!=|&&|\|\||=>|::|[+-]=|<<|>>|\w\[|\(\)")  # No other value has these signs.
_FILE = re.compile(r"(?<![\w./])(?:[\w-]*[a-zA-Z][\w-]*)?(\.[a-zA-Z]\w*)(?![\w(./])")
_QUOTED = re.compile(r"`([^`]+)`")
_SIGNS = "=<>!&|/*%+:~^?-"
_OPERATOR = re.compile(rf"[{_SIGNS}]{{1,3}}")
_TOKEN = re.compile(rf"\\.|\w+|[{_SIGNS}]+|\S")
# Each makes another value where it is added, the second ones in regular expressions.
_NEGATIONS, _QUANTIFIERS = word_set("- ! ~ not"), word_set("? * +")
_SYNONYMS = [*map(word_set, ("&& and &", "|| or |", "! not", "== === is", "!= <> !== ≠", "** ^", "/ // ÷", "ln log"))]


def same_code(texts: Texts) -> Iterator[bool | None]:
    """Yield whether the answer has the reference's code: None if that is not certain, nothing for no code.

    >>> list(same_code(Texts("", "Put it in package.json.", "package.json"))), list(same_code(Texts("", "c3", "c4")))
    ([True], [False])
    >>> list(same_code(Texts("", "(x & 1) == 0", "x % 2 == 0"))), list(same_code(Texts("", "Rome", "Paris")))
    ([None], [])
    """
    may_be = _MAY_BE_CODE.search(texts.reference) or _COMMAND.match(texts.reference)
    if len(texts.reference) > _LONGEST_CODE or not may_be:
        return
    version = _VERSION.search(texts.reference) if _ASKS_VERSION.search(texts.question) else None
    same = _same_version(texts, version) if version else _same_label(texts)
    if same is None and not version:
        same = _same_program(texts)
    if same is not None or version or _ONLY_CODE.search(texts.reference):
        yield same


def _same_version(texts: Texts, wanted: re.Match[str]) -> bool | None:
    """Compare versions by their numbers, so that 3.1 is not 3.10."""
    name, known = texts.reference[: wanted.start()].lower(), f"{texts.question} {texts.answer}".lower()
    found = list(_VERSION.finditer(texts.answer))
    version, *others = {tuple(map(int, one[1].split("."))) for one in found} or {()}
    unknown = any(word not in known for word in name.split())
    if not version or others or unknown or texts.length > _LONGEST_LABELED or negated(texts.answer[: found[0].start()]):
        return None
    numbers = tuple(map(int, wanted[1].split(".")))
    shared = min(len(version), len(numbers))
    return None if version != numbers and version[:shared] == numbers[:shared] else version == numbers


def _same_label(texts: Texts) -> bool | None:
    """Compare the labels of the reference's form in an answer, of which there has to be one."""
    if len(texts.reference) > _LONGEST_LABEL or texts.length > _LONGEST_LABELED:
        return None
    reference, answer = (unicodedata.normalize("NFKC", text).strip(" .`") for text in (texts.reference, texts.answer))
    reference, answer = (_CHORD.sub(r"\1 minor", _MOVE.sub("", text)) for text in (reference, answer))
    pattern, same = next((form for form in _LABELS if form[0].fullmatch(reference)), (None, {}))
    if pattern is None or texts.wanted.dates or texts.wanted.times:
        return None
    other = pattern is _LABELS[-1][0]
    if other and texts.wanted.numbers:
        return None
    if all(_SYMBOL.fullmatch(text) and len(text) <= _LONGEST_SYMBOL for text in (reference, answer)):
        codes = {answer}
    else:
        found = [one for one in pattern.finditer(answer) if not other or _form(one[0]) == _form(reference)]
        codes = {_plain(one[0], same) for one in found if not negated(answer[: one.start()])}
    wanted = _plain(reference, same)
    if len(codes) != 1 or (wanted in codes and texts.length > _SENTENCE):
        return None
    code = codes.pop()
    return True if code == wanted else None if _alike(code, wanted) else False


def _plain(label: str, same: dict[str, str]) -> str:
    if same:
        label = label.lower()
    for old, new in same.items():
        label = label.replace(old, new)
    return label


def _form(code: str) -> str:
    """Return a code with 0 for its digits and x for its letters, except those of words: "propan-0-xx"."""
    return _PIECE.sub(lambda found: found[0].lower() if found[1] else "0" if found[0].isdigit() else "x", code)


def _alike(code: str, wanted: str) -> bool:
    """Return whether codes differ only in case or in a sign at the end, such as that of check in chess."""
    return code.lower().rstrip("+#") == wanted.lower().rstrip("+#")


def _same_program(texts: Texts) -> bool | None:
    """Compare a command, call, path or expression with the answer, or with the only code that it quotes."""
    regex = bool(_REGEX.search(texts.question) or _ESCAPE.search(texts.reference))
    reference, answer = _tidy(texts.reference), _tidy(texts.answer)
    if quoted := _QUOTED.findall(texts.answer):
        answer = _tidy(quoted[0]) if len(quoted) == 1 else ""
    if not _is_program(texts.reference, reference, regex) or ("\\" in answer and "\\" not in reference):
        return None
    edge = rf"[{_SIGNS}]" if _OPERATOR.fullmatch(reference) else r"[\w-]"
    if found := re.search(rf"(?<!{edge}){re.escape(reference)}(?!{edge}|\.\w|\s?[+*%=<>]|[(\[])", answer):
        certain = answer.count(" ") <= reference.count(" ") + _MORE_WORDS and not negated(answer[: found.start()])
        return True if certain else None
    if _FILE.fullmatch(reference):
        return False if _other_file(reference, answer) else None
    if len(answer) > _LONGEST_CODE or reference in answer:
        return None
    if _COMMAND.match(reference):
        return False if _other_command(answer.split(), reference.split()) else None
    return False if _other_program(_TOKEN.findall(answer), _TOKEN.findall(reference), regex) else None


def _tidy(text: str) -> str:
    """Return code without its quotes, prompt, protocol and final punctuation, and with single spaces."""
    text = unicodedata.normalize("NFKC", text).replace("https://", "").replace("http://", "")
    return " ".join(text.strip().strip("`'\"").removeprefix("$ ").split()).rstrip(".;")


def _is_program(text: str, tidy: str, regex: bool) -> bool:
    if not 0 < len(tidy) <= _LONGEST_CODE or tidy.count(" ") > _SPACES_IN_CODE or _MEASURE.match(text):
        return False
    if _COMMAND.match(tidy) or _OPERATOR.fullmatch(tidy) or (regex and " " not in tidy):
        return True
    sentence = " " in tidy and not _SYMBOL_IN_CODE.search(tidy)
    return "\\" not in text and bool(_CODE.search(text)) and not sentence


def _other_file(reference: str, answer: str) -> bool:
    """Return whether an answer has one file, which has another name but the ending or the point of the reference."""
    files = list(_FILE.finditer(answer))
    same = [reference.endswith(one[1]) or one[0][0] == reference[0] == "." or one[0] == answer for one in files]
    return same == [True]


def _change(given: list[str], wanted: list[str]) -> tuple[list[str], list[str], int]:
    """Return the words that differ, without the common words before and after them, and their place."""
    start = _shared(given, wanted)
    left, right = given[start:], wanted[start:]
    end = _shared(left[::-1], right[::-1])
    return left[: len(left) - end], right[: len(right) - end], start


def _shared(left: list[str], right: list[str]) -> int:
    pairs = zip(left, right, strict=False)
    return next((place for place, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(left), len(right)))


def _other_command(given: list[str], wanted: list[str]) -> bool:
    """Return whether a command has another word, or lacks options; "-a" may be "--all", and "-la" is "-al"."""
    left, right, _ = _change(given, wanted)
    if not len(left) == len(right) == 1:
        return not left and all(word.startswith("-") for word in right)
    one, other = (word.lower().lstrip("-") for word in (*left, *right))
    same = right[0].startswith("-") and sorted(one) == sorted(other)
    return not (same or one.startswith(other) or other.startswith(one))


def _other_program(given: list[str], wanted: list[str], regex: bool) -> bool:
    """Return whether a piece of a program differs in one word or sign that changes what it does."""
    left, right, start = _change(given, wanted)
    if len(left) + len(right) == 1:
        return {*left, *right} <= (_QUANTIFIERS if regex else _NEGATIONS)
    if not len(left) == len(right) == 1:
        return False
    one, other = left[0], right[0]
    if one.isdigit() and other.isdigit():
        return int(one) != int(other)
    if one[0] == other[0] == "\\" or not any(map(str.isalnum, one + other)):
        return not any({one, other} <= same for same in _SYNONYMS)
    # A variable may have any name, unlike functions, keywords, and parts of a path.
    near = [*wanted[max(0, start - 1) : start], *wanted[start + 1 : start + 2]]
    path = "(" not in wanted and {"/", "."} & {*wanted}
    named = "(" in near[-1:] or any(map(str.isidentifier, near)) or path or sum(map(str.isidentifier, wanted)) == 1
    return bool(named) and (len(wanted) > 1 or "_" in other) and _other_word(one.lower(), other.lower())


def _other_word(one: str, other: str) -> bool:
    words = one.isidentifier() and other.isidentifier() and min(len(one), len(other)) > 1
    return words and one not in other and other not in one and not any({one, other} <= same for same in _SYNONYMS)
