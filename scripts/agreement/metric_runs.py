"""Run any metric on labeled answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..labeled_data.rows import LabeledRow
from ..loading import keep_few_shapes, load_metric
from ..scoring.columns import accepted
from .results import read_result
from .row_scores import RowScores, best_and_mean, merged

# Metrics whose tokenizer depends on the language of the texts.
_BY_LANGUAGE = frozenset({"deltableu"})

# The highest score of metrics whose scores do not end at 1.
_SCALES = {"deltableu": 100.0, "sacrebleu": 100.0}


@dataclass(frozen=True)
class MetricSpec:
    """A metric and its options: keywords of `load` and of `compute`.

    The name may be any that `evaluate.load` accepts, and the column a score in the result, such as `rougeL` of rouge
    (None: the main score). Scores from `threshold` on mean "correct"; None keeps the metric's own verdicts.
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
    """Split `rouge:rougeL` into the metric's name and the score's name, which may be left out."""
    match = re.fullmatch(r"(.+?)(?::([A-Za-z_]\w*))?", text)
    if not match:
        raise ValueError(f"the metric is {text!r}; expected a name such as smile or rouge:rougeL")
    return match[1], match[2]


class Metric:
    """A loaded metric."""

    def __init__(self, spec: MetricSpec) -> None:
        """Load the module; metrics of this package load their model for the first row, and keep it."""
        keep_few_shapes()
        self.spec = spec
        self._name = Path(spec.name).name
        self._module = load_metric(spec.name, **spec.load)
        self._known = accepted(self._module)

    def score(self, rows: Sequence[LabeledRow]) -> RowScores:
        """Score rows with all references of each, or with the best reference if the metric accepts only one."""
        return self._score(rows) if self._takes_lists() else self.score_each_reference(rows)[0]

    def score_each_reference(self, rows: Sequence[LabeledRow]) -> tuple[RowScores, RowScores]:
        """Score rows with each reference alone; return the best and the mean over the references of each row."""
        pairs = [
            # A weight is left out because it compares references.
            replace(row, references=[text], synthetic_answers=row.synthetic_answers[at : at + 1], reference_weights=())
            for row in rows
            for at, text in enumerate(row.references)
        ]
        return best_and_mean(self._score(pairs), [len(row.references) for row in rows])

    def _score(self, rows: Sequence[LabeledRow]) -> RowScores:
        options = self.spec.compute
        if self._name not in _BY_LANGUAGE or {"lang", "tokenize"} & options.keys():
            return self._compute(rows, options)
        of_language: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            of_language.setdefault(row.language, []).append(number)
        parts = [
            self._compute([rows[number] for number in numbers], {**options, "lang": language})
            for language, numbers in of_language.items()
        ]
        return merged(parts, list(of_language.values()))

    def _compute(self, rows: Sequence[LabeledRow], options: Mapping[str, object]) -> RowScores:
        result = self._module.compute(**self._columns(rows), **options)
        found = read_result(result, len(rows), self.spec.title, self.spec.column, self.spec.threshold)
        return replace(found, scale=_SCALES.get(self._name, 1.0))

    def _columns(self, rows: Sequence[LabeledRow]) -> dict[str, list[Any]]:
        """Return the columns that the metric accepts."""
        lists = self._takes_lists()
        columns: dict[str, list[Any]] = {
            "predictions": [row.answer for row in rows],
            "references": [row.references if lists else row.references[0] for row in rows],
        }
        if "questions" in self._known:
            columns["questions"] = [row.question for row in rows]
        for name in {"synthetic_answers", "reference_weights"} & {*self._known}:
            values = [list(getattr(row, name)) or None for row in rows]
            columns |= {name: values} if any(values) else {}
        return columns

    def _takes_lists(self) -> bool:
        """Return True if a row may have a list of references, by the metric's declared types."""
        declared = getattr(self._module, "columns", None)
        if isinstance(declared, Mapping):
            return "references" in declared and isinstance(declared["references"].feature, list)
        from datasets import Value

        features = self._module.features
        kinds = features if isinstance(features, list) else [features]
        return any(not isinstance(types.get("references"), Value) for types in kinds)
