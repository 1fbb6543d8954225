"""Check every row of a metric's input and bring it to one form, before any model is loaded.

`evaluate` validates row 0 only and turns what it does not expect into strings (`None` into `"None"`, a bare
string into its characters), so rows are checked here, before its Arrow writer sees them.
"""

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from evaluate import Metric as _Base
else:
    _Base = object  # a metric names evaluate.Metric as its second base

# Every column that a metric of this family knows. All of them accept all of these, so that `evaluate.combine`,
# which hands every keyword to every metric, works; a metric ignores those it has no use for.
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

# What evaluate itself takes at `evaluate.load` and hands to the metric.
EVALUATE_KEYWORDS = frozenset(
    {
        "cache_dir",
        "experiment_id",
        "hash",
        "keep_in_memory",
        "max_concurrent_cache_files",
        "num_process",
        "process_id",
        "seed",
        "timeout",
    }
)

# Where evaluate.Metric keeps stored rows, their files and the locks on these; all None while there are none.
_OF_ROWS = (
    "buf_writer",
    "cache_file_name",
    "data",
    "file_paths",
    "filelock",
    "filelocks",
    "selected_feature_format",
    "writer",
)

Check = Callable[[Any], Any]
"""Takes one row of a column, returns it in canonical form or raises Unexpected."""


class RowError(Exception):
    """Mixed into the errors about one row; `column` and `row` say which."""

    def __init__(self, message: str, column: str, row: int) -> None:
        super().__init__(message)
        self.column, self.row = column, row


class RowValueError(RowError, ValueError):
    """A row with a value that cannot be scored."""


class RowTypeError(RowError, TypeError):
    """A row of the wrong type."""


class Unexpected(Exception):  # noqa: N818 - a signal from a row check to check_column, never seen by a caller
    """Raised by a row check: what was expected, and whether the type or the value is at fault."""

    def __init__(self, expected: str, error: type[RowError] = RowTypeError) -> None:
        super().__init__(expected)
        self.error = error


def clean(text: str) -> str:
    """Return the text as a plain `str` that UTF-8 can hold: surrogate pairs are joined, lone ones become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str.__str__(text)  # `str(text)` of an enumeration's member would be the member's name


def prediction(value: object) -> str:
    """Check one prediction. An empty one passes: it is a wrong answer, not an error."""
    if not isinstance(value, str):
        raise Unexpected("a string")
    return clean(value)


def question(value: object) -> str:
    """Check one question. `None` and `""` both stand for a row without one and come back as `""`."""
    return "" if value is None else prediction(value)


def texts(value: object) -> list[str]:
    """Check one row of references: a string, or a non-empty list of strings, none of them blank."""
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string or a non-empty list of strings")
    if not items or not all(item.strip() for item in items):
        raise Unexpected("a string or a non-empty list of strings, none of them empty", RowValueError)
    return [clean(item) for item in items]


def optional_texts(value: object) -> list[str]:
    """Check one row of an optional column of texts; `None` stands for a row without any and comes back as `[]`."""
    return [] if value is None else texts(value)


def as_list(values: object) -> list[Any] | None:
    """Return a list, tuple, array, Series, Arrow or `datasets` column as a list; anything else as None.

    Pandas has NaN where other containers have None; it comes back as None.
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
    """Check all rows of one column.

    Args:
        metric: Name of the metric, for the message.
        column: Name of the argument, for the message.
        values: The rows.
        check: What each row must be, one of this file's row checks.

    Returns:
        The rows in canonical form.

    Raises:
        RowValueError: (a ValueError) naming the row whose value cannot be scored.
        RowTypeError: (a TypeError) naming the row whose type is wrong.
        TypeError: `values` is not a list of rows.
    """
    rows = as_list(values)
    if rows is None:
        raise TypeError(
            f"{metric}: {column} is {_shown(values)}; expected a list with one entry for each row "
            f"(for a single row: {column}=[…])"
        )
    checked = []
    for row, value in enumerate(rows):
        try:
            checked.append(check(value))
        except Unexpected as unexpected:
            message = f"{metric}: {column}[{row}] is {_shown(value)}; expected {unexpected}"
            raise unexpected.error(message, column, row) from None
    return checked


def check_lengths(metric: str, columns: Mapping[str, list[Any]]) -> None:
    """Raise ValueError unless all columns have the same number of rows, at least one."""
    lengths = {column: len(rows) for column, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise ValueError(f"{metric}: the columns differ in length: {told}; expected one entry for each row")
    if not all(lengths.values()):
        raise ValueError(f"{metric}: {next(iter(lengths))} is empty; expected at least one row")


def check_keywords(metric: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for a keyword that is not known; the message names the nearest known one."""
    known = sorted(known)
    for keyword in given:
        if keyword not in known:
            near = difflib.get_close_matches(keyword, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
            raise TypeError(f"{metric}: unknown keyword {keyword!r}; {hint}")


@dataclasses.dataclass(frozen=True)
class NothingToLoad:
    """What `evaluate.load` takes for a metric without a model: nothing."""


class CheckedInputs(_Base):
    """Mixin that stands before `evaluate.Metric`: checks rows and keywords before anything is stored or loaded.

    A metric names its columns with their checks, those that must be given, and two frozen dataclasses that check
    themselves in `__post_init__`: what `evaluate.load` takes (`loading`) and what `compute` takes besides columns
    (`options`). `_compute` then receives the columns in canonical form (one that was not given as if every row were
    None), `options` and `per_example`.
    """

    configurations: ClassVar[tuple[str, ...]] = ("default",)
    columns: ClassVar[Mapping[str, Check]]
    required: ClassVar[tuple[str, ...]] = ("predictions", "references")
    loading: ClassVar[type] = NothingToLoad
    options: ClassVar[type]

    def __init__(self, config_name: str | None = None, **given: Any) -> None:
        names = {field.name for field in dataclasses.fields(self.loading)}
        super().__init__(config_name, **{name: given[name] for name in EVALUATE_KEYWORDS & given.keys()})
        check_keywords(f"evaluate.load({self.name!r})", given, EVALUATE_KEYWORDS | names)
        if self.config_name not in self.configurations:
            there = ", ".join(map(repr, self.configurations))
            raise ValueError(f"{self.name}: there is no configuration {self.config_name!r}; expected one of {there}")
        self.load_options = self.loading(**{name: given[name] for name in names & given.keys()})

    def compute(self, **given: Any) -> dict[str, Any] | None:
        """Score all rows: those given here and those of earlier `add_batch` calls."""
        names = {field.name for field in dataclasses.fields(self.options)}
        check_keywords(self.name, given, {*KNOWN_COLUMNS, *names, "per_example"})
        options = self.options(**{name: given[name] for name in names & given.keys()})
        rows = {column: given[column] for column in self.columns if given.get(column) is not None}
        if not rows and not len(self):
            raise ValueError(f"{self.name}: nothing to score; pass {' and '.join(self.required)}")
        checked = self.check_columns(rows) if rows else None
        self.prepare(options)
        try:
            if checked:
                super().add_batch(**checked)
            result: dict[str, Any] | None = super().compute(
                **dict.fromkeys(self.columns), options=options, per_example=given.get("per_example", True)
            )
        except BaseException:
            self._forget_rows()
            raise
        return result

    def add_batch(self, **given: Any) -> None:
        """Store rows to be scored by a later `compute`; takes the same columns."""
        check_keywords(self.name, given, KNOWN_COLUMNS)
        super().add_batch(**self.check_columns({column: given.get(column) for column in self.columns}))

    def add(self, *, prediction: Any = None, reference: Any = None, **given: Any) -> None:
        """Store one row; further columns go by their names, each with the value of this row."""
        row = {"predictions": prediction, "references": reference, **given}
        self.add_batch(**{column: [value] for column, value in row.items()})

    def check_columns(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the columns in canonical form; raises what `compute` raises for rows that cannot be scored."""
        for column in self.required:
            if given.get(column) is None:
                raise ValueError(f"{self.name}: {column} is missing; expected a list with one entry for each row")
        checked = {
            column: check_column(self.name, column, rows, self.columns[column])
            for column, rows in given.items()
            if rows is not None
        }
        check_lengths(self.name, checked)
        count = len(checked[self.required[0]])
        columns = {
            column: checked[column] if column in checked else [check(None) for _ in range(count)]
            for column, check in self.columns.items()
        }
        self.check_rows(columns)
        return columns

    def check_ahead(self, **given: Any) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Check what a later `compute` will be given, but for what is missing yet.

        Returns:
            The columns that this metric has, as lists of rows as they were given; the options.
        """
        names = {field.name for field in dataclasses.fields(self.options)}
        check_keywords(self.name, given, {*KNOWN_COLUMNS, *names} - {"predictions"})
        options = {name: given[name] for name in names & given.keys()}
        self.options(**options)
        rows: dict[str, Any] = {}
        for column in self.columns:
            if (values := given.get(column)) is not None:
                rows[column] = values if (listed := as_list(values)) is None else listed
        checked = {column: check_column(self.name, column, rows[column], self.columns[column]) for column in rows}
        if checked:
            check_lengths(self.name, checked)
            count = len(next(iter(checked.values())))
            # One text a row stands for what is missing yet.
            missing = {name: [""] if name in self.required else check(None) for name, check in self.columns.items()}
            self.check_rows({column: [value] * count for column, value in missing.items()} | checked)
        return rows, options

    def check_rows(self, columns: Mapping[str, list[Any]]) -> None:
        """Check what concerns several columns of a row; raises RowValueError."""

    def prepare(self, options: Any) -> None:
        """Load what `_compute` needs. Runs after all checks of the input; if it fails, stored rows are kept."""

    def _forget_rows(self) -> None:
        """Drop the rows of a failed call and release evaluate's files, so that the next call starts afresh."""
        locks, paths = vars(self)["filelocks"] or [], vars(self)["file_paths"] or []
        for lock in filter(None, [*locks, vars(self)["filelock"]]):
            lock.release()
        for path in paths:
            with suppress(OSError):
                Path(path).unlink()
        self.__dict__.update(dict.fromkeys(_OF_ROWS))

    def __getstate__(self) -> dict[str, Any]:
        # For a process of its own, as of `datasets.map(num_proc=…)`: neither rows and locks nor the loaded model, which
        # stands in place of a None of the class. The process loads it anew; not every model could be sent.
        kept = {name: value for name, value in vars(self).items() if getattr(type(self), name, self) is not None}
        return kept | dict.fromkeys(_OF_ROWS)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004
