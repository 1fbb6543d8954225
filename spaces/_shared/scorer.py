"""The metric behind a Space: found, loaded, used by one request at a time."""

import importlib
import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from .limits import LIMITS, Refusal
from .specification import Options, Row

LOG = logging.getLogger("space")


def metric_folder(app: Path, name: str) -> Path:
    """Return where the metric is: beside app.py in a published Space, else `metrics/<name>` of the checkout."""
    return app if (app / f"{name}.py").is_file() else app.resolve().parents[1] / "metrics" / name


class Scorer:
    """Scores rows with the metric of a folder.

    Args:
        name: The metric's name.
        folder: Its folder.
        configuration: Its configuration; None for the default.
    """

    def __init__(self, name: str, folder: Path, configuration: str | None = None) -> None:
        self.name = name
        self.folder = folder
        self._configuration = configuration
        self._metric: Any = None
        # A metric of evaluate keeps the rows of a call in itself, so calls may not overlap.
        self._lock = threading.Lock()

    def warm(self, row: Row) -> None:
        """Load metric and model by scoring a row, so that visitors need not wait for it."""
        try:
            self.compute([row], {})
        except Exception:
            # A visitor's request will meet the same error and be told; here there is nobody to tell.
            LOG.exception("the metric could not be loaded")

    @property
    def metric(self) -> Any:
        """What `evaluate.load` has returned; for reading, as `compute` may be running."""
        with self._turn():
            return self._loaded()

    def compute(self, rows: Sequence[Row], options: Options) -> dict[str, Any]:
        """Return what the metric's `compute` returns for these rows.

        Raises:
            Refusal: the metric says that something cannot be scored.
        """
        columns = dict.fromkeys(column for row in rows for column in row)
        given = {column: [row.get(column) for row in rows] for column in columns}
        with self._turn():
            try:
                result: dict[str, Any] = self._loaded().compute(**given, **options)
            except (TypeError, ValueError) as error:
                raise Refusal(self.plain(error)) from error
        return result

    def per_reference(self, row: Row) -> dict[str, list[Any]]:
        """Score an answer with each of its references by itself; return the metric's `per_example`."""
        references = row["references"]
        rows = [{**row, "references": [reference]} for reference in references]
        synthetic = row.get("synthetic_answers", [])
        for number, single in enumerate(rows):
            if synthetic:
                single["synthetic_answers"] = [synthetic[number if len(synthetic) > 1 else 0]]
        columns: dict[str, list[Any]] = self.compute(rows, {})["per_example"]
        return columns

    def check(self, row: Row) -> None:
        """Raise Refusal, in the metric's own words, if it cannot score a row."""
        with self._turn():
            metric = self._loaded()
        try:
            metric.check_columns({column: [value] for column, value in row.items() if column in metric.columns})
        except (TypeError, ValueError) as error:
            raise Refusal(self.plain(error)) from error

    def sibling(self, module: str) -> ModuleType:
        """Return a module of the metric, such as `scoring`: what evaluate loaded, not another copy."""
        package = type(self.metric).__module__.rpartition(".")[0]
        return importlib.import_module(f"{package}.{module}")

    def plain(self, error: Exception) -> str:
        """Return the metric's message without its name and without the number of the row, which is always 0."""
        return re.sub(r"\[0\]", "", str(error).removeprefix(f"{self.name}: "), count=2)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until the metric is free, but not for ever: a visitor can try again, a queue that stands cannot."""
        if not self._lock.acquire(timeout=LIMITS.turn_seconds):
            raise Refusal("The metric is being loaded, or is busy with others' texts. Try again in a few minutes.")
        try:
            yield
        finally:
            self._lock.release()

    def _loaded(self) -> Any:
        if self._metric is None:
            import evaluate

            # By its file: a folder's name would have to be the metric's, which that of a Space on the Hub is not.
            self._metric = evaluate.load(str(self.folder / f"{self.name}.py"), self._configuration, keep_in_memory=True)
        return self._metric
