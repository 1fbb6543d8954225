"""Run any metric of `evaluate` on judged answers, once or several times with other options."""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import metric_names, path
from .judged import JudgedRow
from .row_scores import RowScores, best_of_runs, read_result


@dataclass(frozen=True)
class MetricSpec:
    """A metric and how it is run.

    Attributes:
        name: One of this package's metrics, or whatever `evaluate.load` takes.
        column: Which of its per-row scores to judge, such as `rougeL` of rouge; None for its main one.
        load: Keywords of `evaluate.load`.
        compute: Keywords of `compute`.
        threshold: A score of at least this means correct; None for the metric's own verdicts.
    """

    name: str
    column: str | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    @property
    def title(self) -> str:
        """The name in tables, without the folders of a path."""
        name = Path(self.name).name
        return f"{name}:{self.column}" if self.column else name


def parse_metric(text: str) -> tuple[str, str | None]:
    """Split `rouge:rougeL` into the metric's name and the column of its result; the column may be left out."""
    match = re.fullmatch(r"(.+?)(?::([A-Za-z_]\w*))?", text)
    if not match:
        raise ValueError(f"metric {text!r}; expected a name such as smile or rouge:rougeL")
    return match[1], match[2]


class Metric:
    """A loaded metric, which scores rows as often as is asked."""

    def __init__(self, spec: MetricSpec) -> None:
        """Load the module; our metrics load their model when they first score, and keep it."""
        import evaluate

        self.spec = spec
        self._module = evaluate.load(path(spec.name) if spec.name in metric_names() else spec.name, **spec.load)
        self._known = inspect.signature(self._module._compute).parameters

    def score(self, rows: Sequence[JudgedRow], **changed: object) -> RowScores:
        """Score rows, where there are several references with the best over them.

        Args:
            rows: The rows.
            changed: Keywords of `compute` that take the place of the spec's.

        Raises:
            ValueError: `row_scores.read_result` tells when.
        """
        references = [row.references for row in rows]
        columns: dict[str, list[Any]] = {"predictions": [row.answer for row in rows], "references": references}
        if "questions" in self._known:
            columns["questions"] = [row.question for row in rows]
        if "synthetic_answers" in self._known and any(row.synthetic_answers for row in rows):
            columns["synthetic_answers"] = [list(row.synthetic_answers) or None for row in rows]
        options = {**self.spec.compute, **changed}
        if self._takes_lists():
            return self._compute(columns, options)
        # This metric takes one reference a row: each is a row of its own.
        columns = {
            name: [value for value, texts in zip(values, references, strict=True) for _ in texts]
            for name, values in columns.items()
        }
        columns["references"] = [text for texts in references for text in texts]
        return best_of_runs(self._compute(columns, options), [len(texts) for texts in references])

    def _takes_lists(self) -> bool:
        """Whether a row may have a list of references, by the types that the module declares."""
        from datasets import Value

        features = self._module.features
        declared = features if isinstance(features, list) else [features]
        return any(not isinstance(types.get("references"), Value) for types in declared)

    def _compute(self, columns: Mapping[str, list[Any]], options: Mapping[str, object]) -> RowScores:
        result = self._module.compute(**columns, **options)
        rows = len(columns["predictions"])
        return read_result(result, rows, self.spec.title, self.spec.column, self.spec.threshold)
