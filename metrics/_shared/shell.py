"""The shell that all metrics share: checks what it is given, loads the model once, makes the result and its signature.

`evaluate` copies a metric's folder into its cache before it loads it: the file named like the folder, and of its
siblings those that this file itself imports, by a line `from .name import …` without a comment; not those that they
import in turn. So a metric's file imports every sibling, also those of which it uses nothing.
"""

import inspect
import os
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .arguments import (
    KNOWN_COLUMNS,
    Column,
    Declaration,
    Options,
    as_list,
    check_column,
    check_keywords,
    check_lengths,
    declarations,
    made,
)

if TYPE_CHECKING:
    from evaluate import Metric as _Base
else:
    _Base = object  # a metric names evaluate.Metric as its last base: it takes the first class that derives from it

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


@dataclass(frozen=True)
class Scored:
    """What a metric makes of rows.

    Args:
        scores: A dataclass whose fields are the columns of the result's `per_example`: `score`, often `verdict`, …;
            `error` says of a row that could not be scored why. A field that is None is left out.
        settings: What the signature says, by key.
    """

    scores: Any
    settings: Mapping[str, object]


class Shell(_Base):
    """Mixin that stands before `evaluate.Metric`.

    A metric states its columns, what `evaluate.load` (`loading`) and `compute` (`options`) take besides, what is to be
    loaded (`load`) and how rows become scores (`_compute`, which gets the columns in canonical form, one that was not
    given as if every row were None, and `options`). Its docstring describes it: what it does, then "Returns:" and
    "Examples:"; the arguments are written from their declarations.
    """

    version: ClassVar[str] = "1.0.0"
    citation: ClassVar[str]
    urls: ClassVar[Sequence[str]] = ()
    configurations: ClassVar[Iterable[str]] = ("default",)
    columns: ClassVar[Mapping[str, Column]]
    required: ClassVar[tuple[str, ...]] = ("predictions", "references")
    loading: ClassVar[type[Options]] = Options
    options: ClassVar[type[Options]]
    # Of which columns of `per_example` the result has the means.
    means: ClassVar[tuple[str, ...]] = ()
    # Whether it says of each row that it scores, whatever the options, if the answer is right.
    verdicts: ClassVar[bool] = True

    _model: Any = None  # loaded by the first call

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = documentation(cls)

    def __init__(self, config_name: str | None = None, **given: Any) -> None:
        from datasets.naming import camelcase_to_snakecase

        # A metric of evaluate keeps the rows of a call in itself, so that calls of several threads take turns.
        self._turn = threading.RLock()
        metric = camelcase_to_snakecase(type(self).__name__)  # as evaluate makes `self.name`
        check_keywords(f"evaluate.load({metric!r})", given, {*EVALUATE_KEYWORDS, *declarations(self.loading)})
        self.load_options: Any = made(metric, self.loading, given)
        of_evaluate = {name: given[name] for name in EVALUATE_KEYWORDS & given.keys()}
        if of_evaluate.get("num_process", 1) == 1 and not _writable(of_evaluate.get("cache_dir")):
            del of_evaluate["cache_dir"]  # rows of the call then go where evaluate puts them by itself
        super().__init__(config_name, **of_evaluate)
        if self.config_name not in self.configurations:
            there = ", ".join(map(repr, self.configurations))
            raise ValueError(f"{self.name}: there is no configuration {self.config_name!r}; expected one of {there}")

    def _info(self) -> Any:
        import datasets
        import evaluate

        def feature(kind: str | list[str]) -> Any:
            return datasets.List(datasets.Value(kind[0])) if isinstance(kind, list) else datasets.Value(kind)

        description, _, rest = str(type(self).__doc__).partition("\n\nArgs:")
        return evaluate.MetricInfo(
            description=description,
            citation=self.citation,
            inputs_description=f"\nArgs:{rest}\n",
            features=datasets.Features({name: feature(column.feature) for name, column in self.columns.items()}),
            reference_urls=list(self.urls),
        )

    def load(self) -> Any:
        """Load what scores the rows; called once, when rows are there that have passed all checks."""

    @property
    def model(self) -> Any:
        """What `load` returned."""
        with self._turn:
            if self._model is None:
                self._model = self.load()
            return self._model

    def prepare(self, options: Any) -> None:
        """Load what `_compute` needs. Runs after all checks of the input; if it fails, stored rows are kept."""
        _ = self.model

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Check what concerns several columns of a row, or depends on options; raises RowValueError.

        Args:
            columns: All, in canonical form.
            options: What `compute` was given; None while that is not known, as in `add_batch`.
        """

    def compute(self, **given: Any) -> dict[str, Any] | None:
        """Score all rows: those given here and those of earlier `add_batch` calls.

        Threads that share a metric take turns; each with a metric of its own, they score at the same time.
        """
        check_keywords(self.name, given, {*KNOWN_COLUMNS, *declarations(self.options), "per_example"})
        options = made(self.name, self.options, given)
        rows = {column: given[column] for column in self.columns if given.get(column) is not None}
        checked = self.check_columns(rows, options) if rows else None
        with self._turn:
            if not checked and not len(self):
                raise ValueError(f"{self.name}: nothing to score; pass {' and '.join(self.required)}")
            self.prepare(options)
            try:
                if checked:
                    super().add_batch(**checked)
                scored: Any = super().compute(**dict.fromkeys(self.columns), options=options)
            except BaseException:
                self._forget_rows()
                raise
        # Of several processes only the first one scores.
        return None if scored is None else self.result(scored, options, given.get("per_example", True))

    def result(self, scored: Scored, options: Any, per_example: bool) -> dict[str, Any]:
        """Return means, signature and rows as Python numbers, strings and lists."""
        rows = {name: _listed(values) for name, values in vars(scored.scores).items() if values is not None}
        result: dict[str, Any] = {self.name: mean(rows["score"])}
        if "verdict" in rows:
            result["accuracy"] = mean(rows["verdict"])
        result |= {name: mean(rows[name]) for name in self.means if name in rows}
        if "not_attempted" in rows:
            pairs = zip(rows["verdict"], rows["not_attempted"], strict=True)
            result["accuracy_attempted"] = mean([verdict for verdict, none in pairs if not none])
        if "error" in rows:
            result["unscored"] = sum(error is not None for error in rows["error"])
        result["signature"] = self.signature(scored.settings)
        return result | {"per_example": rows} if per_example else result

    def signature(self, settings: Mapping[str, object]) -> str:
        """Return `metric|v:version|key:value|…`, in the order given; settings that are None are left out."""
        parts = [f"{key}:{value}" for key, value in settings.items() if value is not None]
        return "|".join([self.name, f"v:{self.version}", *parts])

    def add_batch(self, **given: Any) -> None:
        """Store rows to be scored by a later `compute`; takes the same columns."""
        check_keywords(self.name, given, KNOWN_COLUMNS)
        checked = self.check_columns({column: given.get(column) for column in self.columns})
        with self._turn:
            super().add_batch(**checked)

    def add(self, *, prediction: Any = None, reference: Any = None, **given: Any) -> None:
        """Store one row; further columns go by their names, each with the value of this row."""
        row = {"predictions": prediction, "references": reference, **given}
        self.add_batch(**{column: [value] for column, value in row.items()})

    def check_columns(self, given: Mapping[str, Any], options: Any = None) -> dict[str, list[Any]]:
        """Return the columns in canonical form; raises what `compute` with these options raises for bad rows."""
        for column in self.required:
            if given.get(column) is None:
                raise ValueError(f"{self.name}: {column} is missing; expected a list with one entry for each row")
        checked = self._checked({column: rows for column, rows in given.items() if rows is not None})
        count = len(checked[self.required[0]])
        columns = {
            name: checked[name] if name in checked else [column.check(None) for _ in range(count)]
            for name, column in self.columns.items()
        }
        self.check_rows(columns, options)
        return columns

    def check_ahead(self, **given: Any) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Check what a later `compute` will be given, but for what is missing yet.

        Returns:
            The columns that this metric has, as lists of rows as they were given; the options.
        """
        check_keywords(self.name, given, {*KNOWN_COLUMNS, *declarations(self.options)} - {"predictions"})
        options = {name: given[name] for name in declarations(self.options) if name in given}
        chosen = made(self.name, self.options, options)
        rows: dict[str, Any] = {}
        for column in self.columns:
            if (values := given.get(column)) is not None:
                rows[column] = values if (listed := as_list(values)) is None else listed
        if checked := self._checked(rows):
            count = len(next(iter(checked.values())))
            # One text a row stands for what is missing yet.
            missing = {
                name: [""] if name in self.required else column.check(None) for name, column in self.columns.items()
            }
            self.check_rows({name: [value] * count for name, value in missing.items()} | checked, chosen)
        return rows, options

    def _checked(self, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
        checked = {
            name: check_column(self.name, name, rows, self.columns[name].check) for name, rows in columns.items()
        }
        if checked:
            check_lengths(self.name, checked)
        return checked

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
        # For a process of its own, as of `datasets.map(num_proc=…)`: neither rows and locks nor the model, which the
        # process loads itself; not every model could be sent.
        return vars(self) | dict.fromkeys((*_OF_ROWS, "_model", "_turn"))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _turn=threading.RLock())


def _writable(folder: str | os.PathLike[str] | None) -> bool:
    """Whether there is no folder, or one that takes a file."""
    if folder is None:
        return True
    try:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(bytes(1 << 16))  # more than the rest of a full disk
        return True
    except OSError:
        return False


def mean(values: Sequence[Any]) -> float | None:
    """Return the mean of those values that are not None; None if there are no others."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def documentation(metric: type[Shell]) -> str:
    """Return the docstring of a metric with its arguments written from their declarations."""
    about, sections, rest = inspect.cleandoc(metric.__doc__ or "").partition("\n\nReturns:")
    columns = [
        f"{name}{'' if name in metric.required else ' (optional)'}: {column.help}"
        for name, column in metric.columns.items()
    ]
    others = ", ".join(name for name in KNOWN_COLUMNS if name not in metric.columns)
    columns += [f"{others}: Accepted for use with `evaluate.combine`, and ignored."] if others else []
    lines = [*columns, *_told(metric.options), "per_example: False leaves out the scores of each row."]
    loading = ["", "Args of evaluate.load:", *(f"    {line}" for line in _told(metric.loading))]
    return "\n".join([f"{about}\n\nArgs:", *(f"    {line}" for line in lines), *loading]) + sections + rest


def _told(options: type[Options]) -> list[str]:
    return [f"{name}: {told(one)}" for name, one in declarations(options).items()]


def told(option: Declaration) -> str:
    """Return what documentation says of an option: what it does, what it may be, its default."""
    default = f", default {option.told}" if option.told else ""
    expected = option.kind.expected
    return f"{option.help} {expected[0].upper()}{expected[1:]}{default}."


def _listed(values: Any) -> list[Any]:
    listed: list[Any] = values if isinstance(values, list) else values.tolist()
    return listed
