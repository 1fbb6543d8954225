"""The base class of all scorers: checks inputs, loads the model once, and makes the result and its signature."""

import inspect
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from weakref import WeakSet

from .abstentions import find_abstentions
from .columns import (
    KNOWN_COLUMNS,
    Column,
    as_list,
    check_column,
    check_flag,
    check_keyword_only,
    check_kwargs,
    check_lengths,
)
from .options import Declaration, Options, build_options, declarations
from .probes import is_folder

Columns = dict[str, list[Any]]  # by name; all have one entry per row

__tracebackhide__ = True  # pytest shows the message and the caller


@dataclass(frozen=True)
class Scored:
    """The scores of rows."""

    # The columns of the result's `per_example`: `score`, often `verdict`, …; `error` is the reason why a row could not
    # be scored.
    per_example: Columns
    settings: Mapping[str, object]  # the signature's values by key
    summary: Mapping[str, Any] = field(default_factory=dict)  # figures of all rows together; they replace means
    # Sums over the rows, from which `pooled_score` computes the score of the rows of several calls.
    statistics: Sequence[float] = ()

    def part(self, rows: Sequence[int]) -> "Scored":
        """Return the scores of some rows."""
        columns = {name: [values[row] for row in rows] for name, values in self.per_example.items()}
        return replace(self, per_example=columns)


class Scorer:
    """Base class of the scorers.

    A subclass declares its columns, the options of loading (`loading`) and the options of `compute` (`options`). `load`
    loads its model. `_compute` scores rows: it receives `options` and the columns in canonical form; a column that the
    user left out has `check(None)` in every row. The docstring of a subclass describes the metric and has the sections
    "Returns:" and "Examples:". The section on arguments is generated from the declarations.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1.2.0"
    citation: ClassVar[str]
    urls: ClassVar[Sequence[str]] = ()
    configurations: ClassVar[Iterable[str]] = ("default",)
    columns: ClassVar[Mapping[str, Column]]
    required: ClassVar[tuple[str, ...]] = ("predictions", "references")
    loading: ClassVar[type[Options]] = Options
    options: ClassVar[type[Options]]
    # The columns of `per_example` whose means are part of the result. If `not_attempted` is one of them, and `_compute`
    # does not return it, `score` adds it.
    means: ClassVar[tuple[str, ...]] = ()
    # True if every scored row gets a verdict under all options.
    verdicts: ClassVar[bool] = True
    _compute: Callable[..., Scored]

    _model: Any = None  # loaded by the first call

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "columns" in vars(cls):
            cls.__doc__ = documentation(cls)

    def __init__(self, config: str | None = None, **given: Any) -> None:
        compute = declarations(self.options)
        check_kwargs(self.name, given, declarations(self.loading), elsewhere=compute, place="compute")
        self.config_name = config or "default"
        if self.config_name not in self.configurations:
            there = ", ".join(map(repr, self.configurations))
            raise ValueError(f"{self.name}: there is no configuration {self.config_name!r}; expected one of {there}")
        self.load_options: Any = build_options(self.name, self.loading, given)
        model = given.get("model", "")
        if config is None and model in {*self.configurations} - {"default"} and not is_folder(model):
            raise ValueError(
                f"{self.name}: model is {model!r}, which is a configuration; write load({self.name!r}, {model!r}) (on "
                f"the command line: --load config={model})"
            )
        self._take_turns()
        self.__doc__ = list_methods(type(self))  # what `help(scorer)` shows

    def load(self) -> Any:
        """Return the model. Called once, after rows have passed all checks."""

    @property
    def model(self) -> Any:
        """The loaded model."""
        with self._turn:
            if self._model is None:
                self._model = self.load()
            return self._model

    def prepare(self, options: Any) -> None:
        """Load everything that `_compute` needs, after all checks of the input."""
        _ = self.model

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError for columns (in canonical form) of a row that conflict with each other or with options.

        Options are None if they are not known yet.
        """

    def compute(self, *positional: Any, **given: Any) -> dict[str, Any]:
        """Score all rows, which are passed by keyword. Threads that share a scorer take turns."""
        check_keyword_only(self.name, self.required, positional)
        options, checked = self.check_call(given)
        if not checked:
            raise ValueError(f"{self.name}: nothing to score; pass {' and '.join(self.required)}")
        return self.result(self.score(checked, options), options, given.get("per_example", True))

    def check_call(self, given: Mapping[str, Any]) -> tuple[Any, dict[str, list[Any]]]:
        """Return the options of a call of `compute`, and its columns in canonical form, which may be none."""
        known = {*self.columns, *declarations(self.options), "per_example"}
        others = [name for name in given if name not in KNOWN_COLUMNS]
        check_kwargs(self.name, others, known, elsewhere=declarations(self.loading), place="load")
        check_flag(self.name, "per_example", given.get("per_example", True))
        options = build_options(self.name, self.options, given)
        rows = {column: given[column] for column in self.columns if given.get(column) is not None}
        return options, self.check_columns(rows, options) if rows else {}

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks."""
        with self._turn:
            self.prepare(options)
            scored = self._compute(**columns, options=options)
        per_example, settings = dict(scored.per_example), dict(scored.settings)
        if "not_attempted" in self.means and "not_attempted" not in per_example:
            per_example["not_attempted"] = find_abstentions(columns["predictions"], per_example["verdict"])
        if self._has_questions(columns):
            settings["questions"] = "given"
        return replace(scored, per_example=per_example, settings=settings)

    def _has_questions(self, columns: Mapping[str, list[Any]]) -> bool:
        """Return whether rows have questions, if the metric can do without: scores depend on them."""
        return "questions" not in self.required and any(columns.get("questions", ()))

    def joint(self, columns: Mapping[str, list[Any]]) -> Hashable | None:
        """Return a key: calls with equal keys can be scored together. None if a call has to be scored alone."""
        return True

    def compute_each(self, calls: Sequence[Mapping[str, list[Any]]], options: Any) -> list[dict[str, Any]]:
        """Return the results of several calls of `compute`, whose rows are scored together where possible.

        The columns of each call have passed all checks.
        """
        groups: dict[Hashable, list[int]] = {}
        for number, columns in enumerate(calls):
            key = self.joint(columns)
            key = ("alone", number) if key is None else (key, self._has_questions(columns))
            groups.setdefault(key, []).append(number)
        results: dict[int, dict[str, Any]] = {}
        for numbers in groups.values():
            joined = {name: [row for number in numbers for row in calls[number][name]] for name in self.columns}
            scored, end = self.score(joined, options), 0
            for number in numbers:
                start, end = end, end + len(calls[number][self.required[0]])
                part = scored if len(numbers) == 1 else scored.part(range(start, end))
                results[number] = self.result(part, options, per_example=True)
        return [results[number] for number in range(len(calls))]

    def result(self, scored: Scored, options: Any, per_example: bool) -> dict[str, Any]:
        """Return means, signature and row scores as Python numbers, strings and lists."""
        rows = scored.per_example
        result: dict[str, Any] = {self.name: mean(rows["score"])}
        if "verdict" in rows:
            result["accuracy"] = mean(rows["verdict"])
        result |= {name: mean(rows[name]) for name in self.means if name in rows}
        if "not_attempted" in rows:
            pairs = zip(rows["verdict"], rows["not_attempted"], strict=True)
            result["accuracy_attempted"] = mean([verdict for verdict, none in pairs if not none])
        if "unsupported_language" in rows:
            result["unsupported_language"] = sum(rows["unsupported_language"])
        if "error" in rows:
            result["unscored"] = sum(error is not None for error in rows["error"])
        result |= scored.summary
        result["signature"] = self.signature(scored.settings)
        return result | {"per_example": rows} if per_example else result

    def signature(self, settings: Mapping[str, object]) -> str:
        """Return `metric|v:version|key:value|…`, without settings that are None."""
        parts = [f"{key}:{value}" for key, value in settings.items() if value is not None]
        return "|".join([self.name, f"v:{self.version}", *parts])

    def check_columns(self, given: Mapping[str, Any], options: Any = None) -> dict[str, list[Any]]:
        """Return the columns in canonical form; raise an error for invalid rows."""
        for column in self.required:
            if given.get(column) is None:
                raise ValueError(f"{self.name}: {column} is missing; expected a list with one entry for each row")
        checked = self._check_given({column: rows for column, rows in given.items() if rows is not None})
        count = len(checked[self.required[0]])
        columns = {
            name: checked[name] if name in checked else [column.check(None) for _ in range(count)]
            for name, column in self.columns.items()
        }
        self.check_rows(columns, options)
        return columns

    def check_ahead(self, **given: Any) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Check options and columns for a later `compute`, whose other columns are not known yet.

        Return the columns that this metric uses, as lists of unchanged rows, and the options.
        """
        known = {*self.columns, *declarations(self.options)} - {"predictions"}
        others = [name for name in given if name not in KNOWN_COLUMNS or name == "predictions"]
        check_kwargs(self.name, others, known, elsewhere=declarations(self.loading), place="load")
        options = {name: given[name] for name in declarations(self.options) if name in given}
        chosen = build_options(self.name, self.options, options)
        rows: dict[str, Any] = {}
        for column in self.columns:
            if (values := given.get(column)) is not None:
                rows[column] = values if (listed := as_list(values)) is None else listed
        if checked := self._check_given(rows):
            count = len(next(iter(checked.values())))
            # A placeholder text fills each column that has not been given yet.
            texts = {name: [""] if name == "references" else "" for name in self.required}
            missing = {name: column.check(None) for name, column in self.columns.items() if name not in texts} | texts
            self.check_rows({name: [value] * count for name, value in missing.items()} | checked, chosen)
        return rows, options

    def _check_given(self, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
        checked = {
            name: check_column(self.name, name, rows, self.columns[name].check) for name, rows in columns.items()
        }
        if checked:
            check_lengths(self.name, checked)
        return checked

    def __getstate__(self) -> dict[str, Any]:
        # Another process, as of `datasets.map(num_proc=…)`, loads the model again; not every model can be pickled.
        return vars(self) | dict.fromkeys(("_model", "_turn"))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_turns()

    def _take_turns(self) -> None:
        self._turn = threading.RLock()  # threads that share a scorer share its model
        _SCORERS.add(self)


_SCORERS: WeakSet[Scorer] = WeakSet()
ABANDONED: list[Any] = []
"""Models and file locks of threads that do not exist in a forked process.

They stay referenced here: deleting a model could wait for its thread, and deleting a lock would release the parent's.
"""


def _forget_other_threads() -> None:
    """In a forked process, replace what other threads held: these threads exist only in the parent."""
    for scorer in _SCORERS:
        if scorer._turn.acquire(blocking=False):
            scorer._turn.release()
        else:
            ABANDONED.append(scorer._model)
            scorer._model = None
            scorer._take_turns()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)


def as_columns(scores: Any) -> Columns:
    """Return a dataclass of arrays and lists as columns; a field that is None is left out."""
    fields = {name: values for name, values in vars(scores).items() if values is not None}
    return {name: values if isinstance(values, list) else values.tolist() for name, values in fields.items()}


def mean(values: Sequence[Any]) -> float | None:
    """Return the mean of the values that are not None; None if all are None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def documentation(scorer: type[Scorer]) -> str:
    """Return the docstring of a scorer with a section on arguments from their declarations."""
    about, sections, rest = inspect.cleandoc(scorer.__doc__ or "").partition("\n\nReturns:")
    columns = [
        f"{name}{'' if name in scorer.required else ' (optional)'}: {column.help}"
        for name, column in scorer.columns.items()
    ]
    others = ", ".join(name for name in KNOWN_COLUMNS if name not in scorer.columns)
    columns += [f"{others}: Accepted for use with `evaluate.combine`, and ignored."] if others else []
    lines = [*columns, *_describe_options(scorer.options), "per_example: False leaves out the scores of each row."]
    loading = _describe_options(scorer.loading)
    loading = ["", "Args of evaluate_qa.load:", *(f"    {line}" for line in loading)] if loading else []
    return "\n".join([f"{about}\n\nArgs:", *(f"    {line}" for line in lines), *loading]) + sections + rest


# The methods for users, in the order in which `help` lists them.
_METHODS = ("compute", "reward", "compute_metrics", "teacher_forced", "fit")


def list_methods(metric: type) -> str:
    """Return the docstring of a class with a section that lists the methods for users."""
    methods = [(name, getattr(metric, name)) for name in _METHODS if hasattr(metric, name)]
    lines = [f"    {name}: {(inspect.getdoc(method) or '').partition(chr(10))[0]}" for name, method in methods]
    return "\n".join([f"{metric.__doc__}\n\nMethods (`help(metric.compute)`, …):", *lines])


def _describe_options(options: type[Options]) -> list[str]:
    return [f"{name}: {describe_option(one)}" for name, one in declarations(options).items()]


def describe_option(option: Declaration) -> str:
    """Return the documentation of an option: its help, the range of a number, and the default."""
    if not option.default_text:
        return option.help
    # The help names the values of a choice, but not the range of a number.
    bounded = getattr(option.kind, "low", None) not in (None, 1)
    values = f"Expects {option.kind.expected}; default" if bounded else "Default"
    return f"{option.help} {values}: {option.default_text}."
