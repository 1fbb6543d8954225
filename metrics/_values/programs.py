r"""Compare pieces of programs, such as "ls -a" and "\d+".

Pieces with different texts may do the same. They count as different only if a single word or sign differs, and that
difference matters.
"""

import ast
import re
import unicodedata
import warnings
from difflib import SequenceMatcher
from functools import lru_cache

from .comparison import Texts
from .phrases import only_mentions
from .word_tables import WORDS, word_set, words_of

_LONGEST, _MORE_WORDS, _SPACES = 120, 10, 20  # Characters of code, words around it, and spaces in it.
_CODE = re.compile(
    r"[\[\]{}<>|#;~`]|\$(?!\d)|\w\(|::|(?<!\w)--?\w|\w\w\.\w|\w\.\w\w|(?:^|\s)[./][a-zA-Z]|\w/\w+/|_\w|\w_|=="
)
_LONGEST_PYTHON, _BINDS = 500, re.compile(r"\b(?:def|lambda|for) ")  # Characters, and what gives names to values.
_MEASURE = re.compile(r"[^a-zA-Z]*\d[\d.,]*\s?(?:[a-zA-Z°%]+(?:/[a-zA-Z]+)?)?$")
_SENTENCE_WITHOUT_SIGNS = re.compile(r"[^-/._=(\[]* [^-/._=(\[]*")
COMMAND = re.compile(
    r"(?:sudo )?(?:pip3?|npm|npx|yarn|git|apt(?:-get)?|brew|docker|cargo|conda|kubectl|chmod|"
    r"chown|mkdir|rmdir|rm|cp|mv|ls|cd|grep|curl|ssh|systemctl) [\w.~/+<]|[a-z]{2,8} --?\w|"
    r"(?:python3?|node|bash) [\w/]*\.|(?i:select) [\w*]|"
    r"(?:(?:ORDER|GROUP) BY|INSERT INTO|DELETE FROM|UPDATE|(?:CREATE|ALTER|DROP) TABLE|TRUNCATE|WHERE|let mut) \w"
)
_DENIES = re.compile(r",? (?:(?:and )?not|rather than|instead of|since|because) ")
_PLACEHOLDER = re.compile(rf"(?:<[\w-]+>)+|(?i:{'|'.join(words_of('placeholder'))})")
_NAMED = re.compile(r"(?:\b(?:named|called|from|to|into|of) |[`\"'])([\w@/-]+(?:\.\w+)*)")
_WITH_SUBCOMMANDS = word_set("git docker npm kubectl pip apt apt-get brew cargo conda yarn systemctl sudo")
_CLASS, _RANGE = re.compile(r"\[(\^?)([^\[\]\\^]+)\]"), re.compile(".-.|.")
_ESCAPE = re.compile(r"\\[dDwWsSbB](?![a-zA-Z])")
ONLY_CODE = re.compile(r"(?<!\\)\blambda\b|==|!=|&&|\|\||=>|::|[+-]=|<<|>>|\w\[|\(\)")
"""A sign or word that no other value has."""
_FILE = re.compile(r"(?<![\w./])(?:[\w-]*[a-zA-Z][\w-]*)?(\.[a-zA-Z]\w*)(?![\w(./])")
QUOTED = re.compile(r"`([^`]+)`")
_SAME_COMMANDS = [(re.compile(old), new) for _, kind, old, new in WORDS if kind == "command"]
_MAY_CHANGE = re.compile(r"""[^\w\s.,:;'"?!-]|\s-|\w\.\w|[A-Z]{4}|[⁰¹²³⁴⁵⁶⁷⁸⁹]""")
_SHORT_FLAGS = dict(pair.split(":") for pair in words_of("flag"))
_LONG_FLAG = re.compile(rf"(?<![\w-])--({'|'.join(_SHORT_FLAGS)})(?![\w-])")
_QUERY = re.compile(
    r"(?i:select |insert into|delete from|update \w+ set|truncate |drop table|where \S+ (?:is (?:not )?nu|[=<>!]))"
)
_SQL_WORD = re.compile(rf"(?i:\b(?:{'|'.join(words_of('sql'))})\b)")
_QUOTED = re.compile(r"""(?<=\s)(["'])([\w.=/@-]+)\1(?=\s|\.?$)""")
_ONE_ARGUMENT = re.compile(r"""(?<= -[a-zA-Z] )(["'])([^"']+)\1|<[^<>]{1,30}>""")
_FLAG = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
_FLAGS = re.compile(r"(?: -(?!(?:KILL|TERM)\b)[a-zA-Z]{1,4}(?= |$))+")
_CALLED = re.compile(r"(\w+)\(")
_SLICE = re.compile(r"\[[^\[\]:]*:[^\[\]]*\]")
_SIGNS = "=<>!&|/*%+:~^?-"
_OPERATOR, _TOKEN = re.compile(rf"[{_SIGNS}]{{1,3}}"), re.compile(rf"\\.|{{\d+(?:,\d*)?}}|\w+|[{_SIGNS}]+|\S")
# Signs that change the value where they are added: negations in programs, quantifiers in regular expressions.
_NEGATIONS, _QUANTIFIERS = word_set("- ! ~ not"), word_set("? * +")
_SQL = word_set("desc distinct not mut")
_SYNONYMS = [
    *map(word_set, ("&& and &", "|| or |", "! not", "== === is", "!= <> !== ≠", "** ^", "/ // ÷", "> />", "ln log"))
]


def compare_program(texts: Texts) -> bool | None:
    """Compare a command, call, path or expression with the answer, or with the only code that it quotes."""
    if _BINDS.search(texts.reference) and _syntax_tree(texts.reference) == _syntax_tree(texts.answer) != "":
        return True
    question = texts.question.lower()
    regex = "regex" in question or "regular expression" in question or bool(_ESCAPE.search(texts.reference))
    reference = _tidy(texts.reference)
    if not _is_program(texts.reference, reference, regex):
        return None
    if _DENIES.search(texts.answer) and not _DENIES.search(texts.reference):
        return None
    quoted = QUOTED.findall(texts.answer)
    answer = quoted[0] if quoted else texts.answer
    if len(quoted) > 1 or (not regex and "\\" in answer):
        return None
    answer = _tidy(answer)
    if regex:  # The order in a class of characters is free.
        answer, reference = (
            _CLASS.sub(lambda match: f"[{match[1]}{''.join(sorted(_RANGE.findall(match[2])))}]", code)
            for code in (answer, reference)
        )
    if COMMAND.match(reference):
        answer = _filled(answer, reference, texts.question)
    return _compare_program(answer, reference, regex)


def _filled(answer: str, reference: str, question: str) -> str:
    """Return a command with the reference's placeholders for its arguments, except names from the question.

    >>> _filled("kill -9 1234", "kill -9 PID", "How?"), _filled("rm notes.txt", "rm -r <dir>", "How?")
    ('kill -9 PID', 'rm <dir>')
    """
    words, said = reference.split(), answer.split()
    fixed, named = 2 if words[0] in _WITH_SUBCOMMANDS else 1, _NAMED.findall(question)
    shift = len(words) - len(said) if len(words) > len(said) else 0  # then the answer lacks an option
    for index in range(fixed + shift, len(words)) if words[0] == said[0] else ():
        word, other = words[index], said[index - shift]
        if word not in named and not other.startswith("-") and ("@" in word) == ("@" in other) and other not in words:
            said[index - shift] = word if _PLACEHOLDER.fullmatch(word) else other
    return " ".join(said)


@lru_cache(maxsize=1 << 8)
def _syntax_tree(code: str) -> str:
    """Return the syntax tree of Python code with numbers for the names that it binds; `""` for other texts."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as of "1if" and unknown escapes
            tree = ast.parse(rewritten(code.strip("` \n").removeprefix("python\n")[:_LONGEST_PYTHON]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.setdefault(node.arg, f"_{len(names)}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, f"_{len(names)}")
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.arg = names[node.arg]
        elif isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.dump(tree)


def _compare_program(answer: str, reference: str, regex: bool) -> bool | None:
    """Compare tidy code with the answer, which may have words around it."""
    if without_hyphens(answer) == without_hyphens(reference) and answer != reference:
        return False if regex or _FLAG.findall(answer) != _FLAG.findall(reference) else None
    slices = [_SLICE.sub("[:]", text) for text in (answer, reference)]
    if slices[0] == slices[1] and answer.replace("[0:", "[:") != reference.replace("[0:", "[:"):
        return False
    if len(answer) == len(reference) == len("-a") and _FLAG.fullmatch(reference) and _FLAG.fullmatch(answer):
        return answer == reference
    if match := _find(reference, answer):
        other_flags = _FLAG.fullmatch(reference) and {*_FLAG.findall(answer)} != {reference}
        certain = answer.count(" ") <= reference.count(" ") + _MORE_WORDS and not only_mentions(answer, *match.span())
        return True if certain and not other_flags else None
    if _FILE.fullmatch(reference):  # Other files with its ending, or hidden like it.
        files = [reference.endswith(file[1]) or file[0][0] == reference[0] == "." for file in _FILE.finditer(answer)]
        return False if files == [True] or _FILE.fullmatch(answer) else None
    other = len(answer) <= _LONGEST and reference not in answer
    other = other and not (COMMAND.match(reference) and {*reference.split()} <= {*answer.split()})
    other = other and (_calls_other(answer, reference) or _is_other(_command_in(answer, reference), reference, regex))
    return False if other else None


def without_hyphens(code: str) -> str:
    """Return a code in lower case, without the hyphens and underscores in it."""
    return re.sub(r"(?<=[^\W_])[-_](?=\w)", "", code.lower())


def _find(reference: str, answer: str) -> re.Match[str] | None:
    """Return where an answer has the code of the reference, but not as a part of other code."""
    if reference not in answer:
        return None
    edge = rf"[{_SIGNS}]" if _OPERATOR.fullmatch(reference) else r"[\w-]"
    after = rf"{edge}|\.\w|\s?[+*%=<>|&]|\s(?:-\w|[A-Z]{{4}})|[(\[]"
    after += r"|\s[\w.-]+$|[./]\S|\.$" if COMMAND.match(reference) else ""
    return re.search(rf"(?<!{edge}){re.escape(reference)}(?!{after})", answer)


def _calls_other(answer: str, reference: str) -> bool:
    """Return whether both texts call one function each, with names that are not alike."""
    left, right = (_CALLED.findall(text.lower()) for text in (answer, reference))
    return len(left) == len(right) == 1 and left[0] not in right[0] and right[0] not in left[0]


def _command_in(answer: str, reference: str) -> str:
    """Return as many words of an answer as the reference's command has, from the name of its program on."""
    words = reference.split()
    match = re.search(rf"(?<![\w./-]){re.escape(words[0])} ", answer) if COMMAND.match(reference) else None
    return " ".join(answer[match.start() :].split()[: len(words)]) if match else answer


@lru_cache(maxsize=1 << 10)
def _tidy(text: str) -> str:
    """Return code without its quotes, prompt, protocol and final punctuation, and with single spaces."""
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("'", '"')
    text = _ONE_ARGUMENT.sub(lambda match: match[0].replace(" ", "-"), text)
    text = " ".join(_QUOTED.sub(r"\2", text).strip().strip("`'\"").removeprefix("$ ").split()).rstrip(";")
    text = text.removesuffix(".") if text[-2:-1] not in {" ", "."} else text  # as in "cd .."
    text = _SQL_WORD.sub(lambda match: match[0].upper(), text) if _QUERY.match(text) else text
    text = _LONG_FLAG.sub(lambda match: f"-{_SHORT_FLAGS[match[1]]}", text)
    return rewritten(_FLAGS.sub(lambda flags: f" -{''.join(sorted(flags[0].replace(' -', '')))}", text))


def rewritten(code: str) -> str:
    """Return code with the same form for equivalent ones, such as `range(n)` for `range(0, n)`."""
    for old, new in _SAME_COMMANDS if _MAY_CHANGE.search(code) or COMMAND.search(code) else ():
        code = old.sub(new, code)
    return code


@lru_cache(maxsize=1 << 10)
def _is_program(text: str, tidy: str, regex: bool) -> bool:
    if not tidy or tidy.count(" ") > _SPACES or _MEASURE.match(text):
        return False
    certain = regex or "&&" in tidy or "||" in tidy or COMMAND.match(tidy) or _OPERATOR.fullmatch(tidy)
    return bool(certain or (_CODE.search(f"{text}\n{tidy}") and not _SENTENCE_WITHOUT_SIGNS.fullmatch(tidy)))


def _is_other(answer: str, reference: str, regex: bool) -> bool:
    """Return whether two commands or pieces of a program differ in one word or sign that matters."""
    command = COMMAND.match(reference)
    left_tokens, right_tokens = (text.split() if command else _TOKEN.findall(text) for text in (answer, reference))
    changes = [op for op in SequenceMatcher(None, left_tokens, right_tokens, False).get_opcodes() if op[0] != "equal"]
    if len(changes) != 1:
        return False
    _, first, last, start, end = changes[0]
    left, right = left_tokens[first:last], right_tokens[start:end]
    if command and first == start == 1 and left and right:
        left, right = left[:1], right[:1]  # Another subcommand has other options.
    if not len(left) == len(right) == 1:
        added = _QUANTIFIERS if regex else _NEGATIONS
        options = [word for word in right if word.startswith("-") or word.lower() in _SQL]
        return (not left and options == right) if command else len(left) + len(right) == 1 and {*left, *right} <= added
    if command:
        if not any(map(str.isalnum, left[0] + right[0])):
            return True  # another operator
        answer_word, reference_word = (word.lower().lstrip("-") for word in (*left, *right))
        flags = {*answer_word}, {*reference_word}
        more = bool(_PLACEHOLDER.fullmatch(right[0]))
        more = more or (reference.startswith("chmod ") and left[0].isdigit() != right[0].isdigit())  # "644" and "a+r"
        more = more or (right[0].startswith("-") and (flags[0] <= flags[1] or flags[1] <= flags[0]))  # "-rf" and "-r"
        long, short = sorted((answer_word, reference_word), key=len, reverse=True)
        letters = iter(long)
        more = more or (2 * len(short) <= len(long) and all(letter in letters for letter in short))  # "ns"
        return not (more or answer_word.startswith(reference_word) or reference_word.startswith(answer_word))
    # A variable may have any name, unlike functions, keywords, and parts of a path.
    near = any(map(str.isidentifier, right_tokens[max(0, start - 1) : start] + right_tokens[start + 1 : start + 2]))
    path = "(" not in right_tokens and bool({"/", "."} & {*right_tokens})
    alone = sum(map(str.isidentifier, right_tokens)) == 1 and (len(right_tokens) > 1 or "_" in reference)
    after = right_tokens[start + 1 : start + 2]
    named = near or path or (alone and after != ["["]) or after == ["("]
    letters = right_tokens[start - 1 : start] == ['"'] == after and len(left[0] + right[0]) == len("aw")  # of a mode
    return letters or _is_other_token(left[0], right[0], named, len(right_tokens) == 1, regex)


def _is_other_token(token: str, other: str, named: bool, only: bool, regex: bool) -> bool:
    synonyms = not only and any({token, other} <= same for same in _SYNONYMS)
    if token.isdigit() and other.isdigit():
        return int(token) != int(other)
    repetitions = "{" in token[:-1] + other[:-1] and token[0] in "{*+?" and other[0] in "{*+?"
    if repetitions or (regex and token.isalnum() and other.isalnum()):
        return True
    if token[0] == other[0] == "\\" or not any(map(str.isalnum, token + other)):
        return not synonyms
    token, other = token.lower(), other.lower()
    words = token.isidentifier() and other.isidentifier() and min(len(token), len(other)) > 1
    return words and named and not synonyms and token not in other and other not in token
