"""Adapt scorers to `evaluate.Metric`.

`evaluate` validates only row 0 and converts unexpected values to strings, so the scorer checks all rows before evaluate
writes them to Arrow files.
"""

import inspect
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .columns import KNOWN_COLUMNS, check_keyword_only, check_kwargs
from .options import declarations
from .scorer import ABANDONED, Scored, Scorer, list_methods

if TYPE_CHECKING:
    from evaluate import Metric as _Base
else:
    _Base = object  # metrics derive from evaluate.Metric directly, because evaluate uses the first class that does

# The attributes in which evaluate.Metric keeps rows, files and locks; None without rows.
_ROW_ATTRIBUTES = (
    *("buf_writer", "cache_file_name", "data", "file_paths", "filelock", "filelocks"),
    *("selected_feature_format", "writer"),
)


class Adapter(_Base):
    """A mixin for `evaluate.Metric` that delegates to a scorer.

    The metric also has the attributes and methods of the scorer (`reward`, `compute_metrics`, `columns`, …).
    """

    _scorer_class: ClassVar[type[Scorer]]

    def __init_subclass__(cls, scorer: type[Scorer]) -> None:
        super().__init_subclass__()
        cls._scorer_class = scorer
        cls.__doc__ = (scorer.__doc__ or "").replace("evaluate_qa.load", "evaluate.load")

    def __init__(self, config_name: str | None = None, **given: Any) -> None:
        scorer = self._scorer_class
        of_evaluate = inspect.signature(super().__init__).parameters.keys() - {"config_name", "kwargs"}
        known = {*of_evaluate, *declarations(scorer.loading)}
        check_kwargs(scorer.name, given, known, elsewhere=declarations(scorer.options), place="compute")
        self.scorer = scorer(
            config_name, **{name: given[name] for name in declarations(scorer.loading) if name in given}
        )
        passed = {name: given[name] for name in of_evaluate & given.keys()}
        if passed.get("num_process", 1) == 1 and not _is_writable(passed.get("cache_dir")):
            del passed["cache_dir"]  # evaluate then writes rows to its default folder
        super().__init__(config_name, **passed)
        self._rows_of = self._turn  # the scorer's lock, which a forked process replaces if another thread held it
        self.__doc__ = list_methods(scorer).replace("evaluate_qa.load", "evaluate.load")  # what `help(metric)` shows

    def _info(self) -> Any:
        import datasets
        import evaluate

        def feature(kind: str | list[str]) -> Any:
            return datasets.List(datasets.Value(kind[0])) if isinstance(kind, list) else datasets.Value(kind)

        description, _, rest = str(type(self).__doc__).partition("\n\nArgs:")
        return evaluate.MetricInfo(
            description=description,
            citation=self.scorer.citation,
            inputs_description=f"\nArgs:{rest}\n",
            features=datasets.Features({name: feature(column.feature) for name, column in self.scorer.columns.items()}),
            reference_urls=list(self.scorer.urls),
        )

    def compute(self, *positional: Any, **given: Any) -> dict[str, Any] | None:
        """Score the given rows and the rows of earlier `add_batch` calls. Everything is passed by keyword."""
        check_keyword_only(self.name, self.scorer.required, positional)
        options, checked = self.scorer.check_call(given)
        with self._own_rows():
            if not checked and not len(self):
                raise ValueError(f"{self.name}: nothing to score; pass {' and '.join(self.scorer.required)}")
            self.scorer.prepare(options)  # if it fails, stored rows are kept
            try:
                if checked:
                    super().add_batch(**checked)
                scored: Any = super().compute(**dict.fromkeys(self.scorer.columns), options=options)
            except BaseException:
                self._forget_rows()
                raise
        # Only the first of several processes scores.
        return None if scored is None else self.scorer.result(scored, options, given.get("per_example", True))

    def _compute(self, options: Any, **columns: Any) -> Scored:
        return self.scorer.score(columns, options)

    def add_batch(self, **given: Any) -> None:
        """Store rows for a later `compute`, which has the same columns."""
        check_kwargs(self.name, given, KNOWN_COLUMNS)
        checked = self.scorer.check_columns({column: given.get(column) for column in self.scorer.columns})
        with self._own_rows():
            super().add_batch(**checked)

    def add(self, *, prediction: Any = None, reference: Any = None, **given: Any) -> None:
        """Store one row; further columns have their usual names."""
        row = {"predictions": prediction, "references": reference, **given}
        self.add_batch(**{column: [value] for column, value in row.items()})

    @contextmanager
    def _own_rows(self) -> Iterator[None]:
        """Take turns with other threads, because evaluate.Metric stores the rows of a call in attributes.

        A process that was forked while another thread stored or scored rows drops these rows.
        """
        with self._turn:
            if self._rows_of is not self._turn:
                ABANDONED.append([vars(self)[name] for name in _ROW_ATTRIBUTES])
                self.__dict__.update(dict.fromkeys(_ROW_ATTRIBUTES), _rows_of=self._turn)
            yield

    def _forget_rows(self) -> None:
        """Drop the rows of a failed call and release evaluate's files for the next call."""
        locks, paths = vars(self)["filelocks"] or [], vars(self)["file_paths"] or []
        for lock in filter(None, [*locks, vars(self)["filelock"]]):
            lock.release()
        for path in paths:
            with suppress(OSError):
                Path(path).unlink()
        self.__dict__.update(dict.fromkeys(_ROW_ATTRIBUTES))

    def __getattr__(self, name: str) -> Any:
        # An instance has no scorer yet while it is copied.
        if name.startswith("__") or "scorer" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.scorer, name)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | dict.fromkeys((*_ROW_ATTRIBUTES, "_rows_of"))


def _is_writable(folder: str | os.PathLike[str] | None) -> bool:
    """Return whether the folder is unset or writable."""
    if folder is None:
        return True
    try:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(bytes(1 << 16))  # does not fit on a full disk
        return True
    except OSError:
        return False
