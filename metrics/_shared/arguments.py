"""Declare and check the inputs of metrics: columns row by row, and options.

A metric's options are the fields of a frozen dataclass that derives from `Options`:

    w: float = option(0.5, Number(0, 1), "Weight of the semantic score.", key="w", control=Control("Weight"))

This line defines the check, the signature, the documentation, the entry in the card and the control of the Space.
"""

import difflib
import json
import math
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeGuard, TypeVar, get_args
from urllib.parse import urlsplit

__tracebackhide__ = True  # pytest shows the message and the caller

# Every metric accepts all columns and ignores those that it does not use: `evaluate.combine` passes all keywords to all
# metrics.
KNOWN_COLUMNS = (
    "predictions",
    "references",
    "questions",
    "synthetic_answers",
    "reference_weights",
    "against",
    "keywords",
    "videos",
    "video_features",
)

# Names that other libraries give to these columns.
_OTHER_NAMES = {
    **dict.fromkeys(("answers", "candidates", "completions", "hypotheses", "outputs", "responses"), "predictions"),
    **dict.fromkeys(("gold", "golds", "ground_truth", "ground_truths", "targets"), "references"),
    "prompts": "questions",
}

Check = Callable[[Any], Any]
"""Returns one row of a column in canonical form, or raises Unexpected."""

Dtype = Literal["float32", "float16", "bfloat16", "int8"]
"""The precision of a model."""

TORCH_DTYPES = ("float32", "float16", "bfloat16")
"""The precisions of torch."""

EngineName = Literal["onnxruntime", "torch"]
"""A library that runs models."""


class RowError(Exception):
    """Base class of errors about one row."""

    def __init__(self, message: str, column: str, row: int) -> None:
        super().__init__(message)
        self.column, self.row = column, row


class RowValueError(RowError, ValueError):
    """A row with a value that cannot be scored."""


class RowTypeError(RowError, TypeError):
    """A row of the wrong type."""


class Unexpected(Exception):  # noqa: N818 - check_column turns it into a RowError
    """Raised by the check of a row, with what it expects and the error to raise."""

    def __init__(self, expected: str, error: type[RowError] = RowTypeError) -> None:
        super().__init__(expected)
        self.error = error


def clean(text: str) -> str:
    """Return the text as a plain `str` in NFC, with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # `str(text)` of a member of a string enumeration is its name.
    return str.__str__(text) if text.isascii() else unicodedata.normalize("NFC", text)


# White space, control characters, Unicode's Default_Ignorable_Code_Point, and the Braille blank.
_INVISIBLE = re.compile(
    r"[\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def is_visible(text: str) -> bool:
    """Return whether a text has a visible character."""
    return _INVISIBLE.fullmatch(text) is None


def prediction(value: object) -> str:
    """Check one prediction, and return it without a reasoning model's thoughts, even if they do not end.

    A prediction may be empty. One without a visible character becomes `""`.

    >>> prediction("<think>Lyon? No.</think>Paris"), prediction("<think>Lyon? No, Par")
    ('Paris', '')
    """
    text = _text(value)
    return _text(without_thoughts(text)) if "think>" in text else text


def without_thoughts(text: str) -> str:
    """Return what follows the thoughts of a reasoning model; nothing if they do not end."""
    return text.rpartition("</think>")[2].partition("<think>")[0].strip()


def question(value: object) -> str:
    """Check one question. Return `""` for `None`, a row without a question."""
    return "" if value is None else _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unexpected("a string")
    return clean(value) if is_visible(value) else ""


def texts(value: object) -> list[str]:
    """Check one row of references: a non-blank string, or a non-empty list of them."""
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string or a non-empty list of strings")
    if not items or not all(map(is_visible, items)):
        raise Unexpected("a non-empty string or a non-empty list of non-empty strings", RowValueError)
    return [clean(item) for item in items]


def optional_texts(value: object) -> list[str]:
    """Check one row of an optional column of texts. Return `[]` for `None`, a row without texts."""
    return [] if value is None else texts(value)


@dataclass(frozen=True)
class Column:
    """A column of a metric's input.

    Args:
        check: The check of one row.
        feature: Arrow type of a checked row, such as `"string"`; `["string"]` is a list of strings.
        help: Description of the column.
    """

    check: Check
    feature: str | list[str]
    help: str


PREDICTIONS = Column(prediction, "string", "The answers, a list of strings.")
REFERENCES = Column(
    texts, ["string"], "The right answers, a string or a list of strings per row; the best match counts."
)
QUESTIONS = Column(question, "string", "The questions, a list of strings.")
ANSWERS: Mapping[str, Column] = {"predictions": PREDICTIONS, "references": REFERENCES, "questions": QUESTIONS}
"""The columns of a metric that compares answers with references."""


def as_list(values: object) -> list[Any] | None:
    """Return a list, tuple, array, Series, or column of Arrow or `datasets` as a list; None for other values.

    NaN in a pandas column becomes None.
    """
    if values is None or isinstance(values, (str, bytes, bytearray, set, frozenset)):
        return None
    for convert in ("to_pylist", "tolist"):
        if hasattr(values, convert):
            converted = getattr(values, convert)()
            if hasattr(values, "isna"):
                converted = [None if gone else value for value, gone in zip(converted, values.isna(), strict=True)]
            return converted if isinstance(converted, list) else None
    # A mapping or a DataFrame iterates over its keys, which are not rows.
    return list(values) if isinstance(values, Iterable) and not hasattr(values, "keys") else None


def check_column(metric: str, column: str, values: object, check: Check) -> list[Any]:
    """Return all rows of a column in canonical form.

    Raise RowValueError or RowTypeError for a row that cannot be scored, and TypeError unless `values` is a list of
    rows.
    """
    rows = as_list(values)
    if rows is None:
        raise TypeError(
            f"{metric}: {column} is {shown(values)}; expected a list with one entry for each row "
            f"(for a single row: {column}=[…])"
        )
    checked = []
    for row, value in enumerate(rows):
        try:
            checked.append(check(value))
        except Unexpected as unexpected:
            message = f"{metric}: {column}[{row}] is {shown(value)}; expected {unexpected}"
            raise unexpected.error(message + _fix(column, value, str(unexpected)), column, row) from None
    return checked


def _fix(column: str, value: Any, expected: str) -> str:
    """Return the fix for a missing value, such as NaN from pandas, or for numbers where a text is expected."""
    if str(value) in {"None", "nan", "<NA>", "NaT"}:
        empty = 'use "" for a missing answer; it scores 0'
        return f" ({empty if column == 'predictions' else 'fill in missing values, or drop these rows'})"
    numbers = [is_number(plain(item)) for item in (value if isinstance(value, list) else [value])]
    return " (convert numbers with str(…))" if any(numbers) and "string" in expected else ""


def check_labels(metric: str, labels: object, predictions: list[Any]) -> list[bool]:
    """Return people's labels as bools, one for each prediction.

    Raise RowValueError for a label that is neither true (1) nor false (0).
    """
    judged = check_column(metric, "labels", labels, _label)
    check_lengths(metric, {"predictions": predictions, "labels": judged})
    return judged


def _label(value: Any) -> bool:
    label = plain(value)
    if not isinstance(label, (bool, int, float)) or label not in {0, 1}:
        raise Unexpected("True or False", RowValueError)
    return bool(label)


def check_lengths(metric: str, columns: Mapping[str, list[Any]]) -> None:
    """Raise ValueError unless all columns have the same number of rows, at least one."""
    lengths = {column: len(rows) for column, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise ValueError(f"{metric}: the columns differ in length: {listed}; expected one entry for each row")
    if not all(lengths.values()):
        raise ValueError(f"{metric}: {next(iter(lengths))} is empty; expected at least one row")


def check_keywords(
    metric: str, given: Iterable[str], known: Iterable[str], *, elsewhere: Iterable[str] = (), place: str = ""
) -> None:
    """Raise TypeError for an unknown keyword; the message suggests the closest known keyword.

    The keywords in `elsewhere` are those of the function `place`.
    """
    known = sorted(known)
    for keyword in given:
        if keyword not in known:
            if keyword in elsewhere:
                raise TypeError(
                    f"{metric}: {keyword} is an option of {place}; pass it to {place} (on the command line: "
                    f"--{place} {keyword}=…)"
                )
            other = _OTHER_NAMES.get(keyword)
            near = [other] if other in known else difflib.get_close_matches(keyword, known, n=1)
            others = f"expected one of {', '.join(known)}" if known else "expected no keywords"
            hint = f"did you mean {near[0]!r}?" if near else others
            raise TypeError(f"{metric}: unknown keyword {keyword!r}; {hint}")


def check_flag(metric: str, name: str, value: object) -> None:
    """Raise ValueError unless a value is True or False."""
    if not FLAG.accepts(plain(value)):
        raise ValueError(f"{metric}: {name} is {shown(value)}; expected {FLAG.expected}")


def check_keywords_only(metric: str, required: Iterable[str], positional: tuple[object, ...]) -> None:
    """Raise TypeError if `compute` is called with positional arguments."""
    if positional:
        call = ", ".join(f"{column}=[…]" for column in required)
        raise TypeError(f"{metric}: compute accepts only keyword arguments; write compute({call})")


def shown(value: object) -> str:
    """Return a value as messages show it; a long value is truncated."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `1,200 rows`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    if package in sys.modules:  # a test's stub without a specification, for which find_spec would raise ValueError
        return sys.modules[package] is not None
    return find_spec(package) is not None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file exists; unlike `Path.is_file`, False for a text that is too long for a path."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder exists; False for a text that is too long for a path."""
    return os.path.isdir(path)  # noqa: PTH112


def read_weights(
    given: Mapping[str, float] | str | os.PathLike[str], names: Iterable[AbstractSet[str]], of: str
) -> Mapping[str, float]:
    """Return the weights of a logistic layer, or those in a JSON file of what `fit` returned, after a check.

    `names` are the sets of names that the weights may have, and `of` describes these weights in the message.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is not JSON, or the weights have other names or are not finite numbers.
    """
    weights: Any = given
    if not isinstance(given, Mapping):
        path = Path(given).expanduser()
        if not is_file(path):
            raise FileNotFoundError(
                f"weights is {shown(str(given))}, but there is no such file; expected a JSON file of what fit returned"
            )
        try:
            weights = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"weights: {path} is not JSON: {error}; expected what fit returned") from None
    expected = [sorted(one) for one in names]
    finite = isinstance(weights, Mapping) and all(is_number(w) and math.isfinite(w) for w in weights.values())
    if not finite or sorted(map(str, weights)) not in expected:
        raise ValueError(
            f"weights are {shown(weights)}; expected finite numbers for {'; or '.join(map(', '.join, expected))}, as "
            f"fit returns them{of}"
        )
    found: Mapping[str, float] = weights
    return found


def is_url(url: str) -> bool:
    """Return whether a URL has a scheme of HTTP, a host, and a valid port if any."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # such as port 99999
        return False


def plain(value: Any) -> Any:
    """Return a scalar of numpy or torch as a number of Python, and any other value unchanged."""
    return value.item() if getattr(value, "shape", None) == () else value


def is_number(value: object, kinds: Any = (int, float)) -> TypeGuard[float]:
    """Return whether a value is a number, which True and False are not."""
    return isinstance(value, kinds) and not isinstance(value, bool)


@dataclass(frozen=True)
class Kind:
    """The values that an option accepts, and their description for messages and documentation."""

    expected: str
    accepts: Callable[[Any], bool]


class Number(Kind):
    """A number from `low` to `high`; without bounds, any number except NaN."""

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        bounds = "" if low is None else f" from {low:g} to {high:g}"
        least, most = (float("-inf"), float("inf")) if low is None or high is None else (low, high)
        super().__init__(f"a number{bounds}", lambda value: is_number(value) and least <= value <= most)
        self.low, self.high = low, high


FLAG = Kind("True or False", lambda value: isinstance(value, bool))
POSITIVE = Kind("a number above 0", lambda value: is_number(value) and 0 < value < float("inf"))


class Whole(Kind):
    """A whole number of at least `low` and at most `high`."""

    def __init__(self, low: int = 1, high: float = float("inf")) -> None:
        expected = "a positive whole number" if low == 1 else f"a whole number of at least {low}"
        most = "" if high == float("inf") else f", at most {high}"
        super().__init__(expected + most, lambda value: is_number(value, int) and low <= value <= high)
        self.low = low


class Choice(Kind):
    """One of several constants."""

    def __init__(self, *values: Any) -> None:
        # Compare types, because 0 equals False, and comparing an array returns an array.
        super().__init__(
            f"one of {', '.join(map(str, values))}",
            lambda value: any(type(value) is type(choice) and value == choice for choice in values),
        )
        self.values = values


class Text(Kind):
    """A text that fully matches a pattern; `expected` describes it."""

    def __init__(self, expected: str, pattern: str = ".+") -> None:
        matches = re.compile(pattern, re.DOTALL).fullmatch
        super().__init__(expected, lambda value: isinstance(value, str) and bool(matches(value)))


class Place(Kind):
    """A folder or file, or the name of something on the Hub."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected, lambda value: isinstance(value, (str, os.PathLike)) and bool(os.fspath(value)))


@dataclass(frozen=True)
class Control:
    """The control of an option in a Space: a slider for a number, else a list of choices.

    Args:
        label: The label on the page.
        most: The maximum of the slider, for a number without an upper bound.
        values: The text for each value, the initial value first (default: the values of a choice).
        info: The line below the label (default: the option's help).
    """

    label: str
    most: int | None = None
    values: Mapping[Any, str] | None = None
    info: str | None = None


@dataclass(frozen=True)
class Declaration:
    """The declaration of an option."""

    default: Any
    kind: Kind
    help: str  # one line that starts with a verb
    key: str | None = None  # its name in the signature; None for an option that does not change scores
    always: bool = False  # whether the signature includes its default
    optional: bool = False  # whether it may be None
    default_text: str = ""  # the text of the default in the documentation
    control: Control | None = None  # its control in a Space; None for no control


def option(default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """Declare an option as a field of a dataclass; the arguments are those of `Declaration`.

    By default, an option may be None only if None is its default.
    """
    usual: dict[str, Any] = {"optional": default is None, "default_text": "" if default is None else str(default)}
    return field(default=default, metadata={"option": Declaration(default, kind, help, **(usual | more))})


@dataclass(frozen=True)
class Options:
    """Base class of a metric's options. Raises ValueError for an invalid value, or if options conflict."""

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            value = plain(getattr(self, name))
            object.__setattr__(self, name, value)  # the dataclass is frozen
            if not (value is None and declared.optional) and not declared.kind.accepts(value):
                listed = isinstance(value, str) and declared.kind.accepts([value])
                hint = f'; write {name}=[{value!r}] (in a shell: "{name}=[{value!r}]")' if listed else ""
                raise ValueError(f"{name} is {value!r}; expected {declared.kind.expected}{hint}")
        self.check()

    def check(self) -> None:
        """Raise ValueError if options conflict."""

    def settings(self) -> dict[str, object]:
        """Return the signature's values by key; None leaves an option out."""
        declared = declarations(type(self)).items()
        return {
            option.key: getattr(self, name) if option.always or getattr(self, name) != option.default else None
            for name, option in declared
            if option.key
        }


O = TypeVar("O", bound=Options)  # noqa: E741


def declarations(options: type[Options]) -> dict[str, Declaration]:
    """Return the options of a class by name, in order of declaration."""
    return {field.name: field.metadata["option"] for field in fields(options)}


def made(metric: str, options: type[O], given: Mapping[str, Any]) -> O:
    """Return the options with the values in `given`; errors start with the metric's name."""
    try:
        return options(**{name: given[name] for name in declarations(options) if name in given})
    except (ValueError, FileNotFoundError) as error:
        raise type(error)(f"{metric}: {error}") from error


@dataclass(frozen=True)
class ModelOptions(Options):
    """The options at loading of every metric with a model."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("a folder or the name of a checkpoint"),
        "Load this checkpoint from the Hub, or this folder (default: the embedded model).",
    )
    model_revision: str | None = option(
        None,
        Text("a branch, tag or commit"),
        "Load this branch, tag or commit of a checkpoint (`revision` is evaluate's own keyword).",
    )
    device: str | None = option(
        None,
        # Torch supports more accelerators than the help names.
        Text("cpu, cuda, cuda:1 or mps", r"(cpu|cuda|hpu|ipu|mlu|mps|mtia|musa|npu|privateuseone|xla|xpu)(:\d+)?"),
        "Run on `cpu`, `cuda`, `cuda:1` or `mps` (default: the fastest available).",
    )
    dtype: Dtype | Literal["auto"] = option(
        "float32",
        Choice(*TORCH_DTYPES, "auto"),
        "Compute in `float32`, `float16` or `bfloat16`; `auto` uses bfloat16 if it is native, else float16 on "
        "accelerators and float32 on CPUs.",
        key="dtype",
    )
    batch_size: int | None = option(None, Whole(), "Limit the texts per batch (default: by `token_budget`).")
    token_budget: int | None = option(None, Whole(), "Limit the tokens per batch, with padding (default: by device).")

    def check(self) -> None:
        """Raise ValueError for a revision without a model."""
        if self.model_revision is not None and self.model is None:
            raise ValueError(
                "model_revision is given without model; expected both, because a configuration has its own revision"
            )


class ModelKeywords(TypedDict, total=False):
    """`ModelOptions` as keywords, so that editors complete them; a test compares both."""

    model: str | os.PathLike[str] | None
    model_revision: str | None
    device: str | None
    dtype: Dtype | Literal["auto"]
    batch_size: int | None
    token_budget: int | None


@dataclass(frozen=True)
class EngineOptions(ModelOptions):
    """The options at loading of a metric whose default model runs without torch."""

    dtype: Dtype | Literal["auto"] = option(
        "float32",
        Choice(*get_args(Dtype), "auto"),
        "Compute in `float32`, `float16`, `bfloat16` or `int8` (default models; needs VNNI or ARM's dot products); "
        "int8 rescores answers near the threshold in float32; `auto` uses the fastest that the device supports.",
        key="dtype",
    )
    engine: Literal["auto"] | EngineName = option(
        "auto",
        Choice("auto", *get_args(EngineName)),
        "Run the model with `torch` or `onnxruntime`, which supports only the default models in float32 or int8 on a "
        "CPU; `auto` uses ONNX Runtime if it supports the request and there is no accelerator.",
    )
    num_threads: int | None = option(
        None,
        Whole(),
        "Run the model with this number of CPU threads (default: OMP_NUM_THREADS, else one per available core).",
    )

    def check(self) -> None:
        """Raise FileNotFoundError for a model that is neither a file or folder nor a possible name on the Hub."""
        super().check()
        name = os.fspath(self.model or ".")
        of_hub = re.fullmatch(r"(\w[\w.-]*/)?\w[\w.-]*(?<!\.safetensors)", name)
        if not of_hub and not os.path.exists(Path(name).expanduser()):  # noqa: PTH110 - False for a long text
            expected = "an existing file or folder, or a name on the Hub such as 'owner/name'"
            raise FileNotFoundError(f"model is {shown(name)}, which does not exist; expected {expected}")


class EngineKeywords(ModelKeywords, total=False):
    """`EngineOptions` as keywords, so that editors complete them; a test compares both."""

    engine: Literal["auto"] | EngineName
    num_threads: int | None
