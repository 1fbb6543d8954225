"""Run any metric on labeled answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..labeled_data.rows import LabeledRow
from ..loading import keep_few_shapes, load_metric
from ..scoring.columns import accepted
from ..terminal import followed
from .results import gives_row_scores, read_number, read_result
from .row_scores import RowScores, best_of_runs, mean_of_runs, merged

# The tokenizers of these follow the language of the texts.
_OF_A_LANGUAGE = frozenset({"deltableu"})

# The highest score of those that do not end at 1.
_SCALES = {"deltableu": 100.0, "sacrebleu": 100.0}


@dataclass(frozen=True)
class MetricSpec:
    """A metric and how it is run.

    Attributes:
        name: One of this package's metrics, or whatever `evaluate.load` takes.
        column: Which of its per-row scores to take, such as `rougeL` of rouge; None for its main one.
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
    """A loaded metric."""

    def __init__(self, spec: MetricSpec) -> None:
        """Load the module; our metrics load their model when they first score, and keep it."""
        keep_few_shapes()
        self.spec = spec
        self._name = Path(spec.name).name
        self._module = load_metric(spec.name, **spec.load)
        self._known = accepted(self._module)

    def score(self, rows: Sequence[LabeledRow]) -> RowScores:
        """Score rows, each with all its references together, or with the best if the metric takes one only.

        Raises:
            ValueError: `row_scores.read_result` tells when.
        """
        if not self._takes_lists():
            return self.score_each_reference(rows)[0]
        return self._score(rows, self.spec.compute)

    def score_each_reference(self, rows: Sequence[LabeledRow]) -> tuple[RowScores, RowScores]:
        """Score rows with each reference by itself; return the best and the mean over the references of each row."""
        pairs = [pair for row in rows for pair in single_references(row)]
        found = self._score(pairs, self.spec.compute)
        lengths = [len(row.references) for row in rows]
        return best_of_runs(found, lengths), mean_of_runs(found, lengths)

    def _score(self, rows: Sequence[LabeledRow], options: Mapping[str, object]) -> RowScores:
        if self._name not in _OF_A_LANGUAGE or {"lang", "tokenize"} & options.keys():
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
        columns = self._columns(rows)
        result = self._module.compute(**columns, **options)
        if gives_row_scores(result, len(rows), self._name):
            found = read_result(result, len(rows), self.spec.title, self.spec.column, self.spec.threshold)
        else:
            numbers = followed(range(len(rows)), self._name, "row")
            alone = {"score": [self._compute_one(columns, row, options) for row in numbers]}
            found = read_result(alone, len(rows), self.spec.title, threshold=self.spec.threshold)
        return replace(found, scale=_SCALES.get(self._name, 1.0))

    def _compute_one(self, columns: Mapping[str, list[Any]], row: int, options: Mapping[str, object]) -> float:
        """Score one row by itself, for a metric that gives a number for all rows together, such as evaluate's bleu."""
        try:
            result = self._module.compute(**{name: [values[row]] for name, values in columns.items()}, **options)
        except ZeroDivisionError:  # evaluate's bleu, for an answer without a word
            return 0.0
        return read_number(result, self.spec.title, self.spec.column or self._name)

    def _columns(self, rows: Sequence[LabeledRow]) -> dict[str, list[Any]]:
        """Return the columns that the metric takes."""
        alone = not self._takes_lists()
        columns: dict[str, list[Any]] = {
            "predictions": [row.answer for row in rows],
            "references": [row.references[0] if alone else row.references for row in rows],
        }
        if "questions" in self._known:
            columns["questions"] = [row.question for row in rows]
        for name in {"synthetic_answers", "reference_weights"} & {*self._known}:
            values = [list(getattr(row, name)) or None for row in rows]
            columns |= {name: values} if any(values) else {}
        return columns

    def _takes_lists(self) -> bool:
        """Return whether a row may have a list of references, by the types that the metric declares."""
        declared = getattr(self._module, "columns", None)
        if isinstance(declared, Mapping):
            return "references" in declared and isinstance(declared["references"].feature, list)
        from datasets import Value

        features = self._module.features
        kinds = features if isinstance(features, list) else [features]
        return any(not isinstance(types.get("references"), Value) for types in kinds)


def single_references(row: LabeledRow) -> list[LabeledRow]:
    """Return the row once for each of its references; a weight, which compares references, is left out."""
    return [
        replace(
            row, references=[text], synthetic_answers=row.synthetic_answers[place : place + 1], reference_weights=()
        )
        for place, text in enumerate(row.references)
    ]
