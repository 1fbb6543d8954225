"""Score labeled answers with any metric or baseline."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.devices import limit_shape_caches
from evaluate_qa.metrics._shared.progress import track_progress

from ..labeled_data.rows import LabeledRow
from ..loading import load_metric
from ..scoring.chunk_scorer import row_lists
from ..scoring.columns import accepted_columns
from ..uncertainty.arrays import Bools, Floats, Ints
from .baselines import Baseline

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


@dataclass(frozen=True)
class Effort:
    """The time and money for scoring: the number of rows without a cached verdict, seconds, and cost if it is known."""

    rows: int
    seconds: float
    cost: float | None


@dataclass(frozen=True)
class RowScores:
    """The scores of one metric.

    Verdicts are True where the metric calls the row correct, and None without verdicts. `scale` is the highest possible
    score, 1 or 100, and `cached` the number of rows whose verdicts the metric had cached.
    """

    name: str
    scores: Floats
    verdicts: Bools | None
    signature: str | None = None
    scale: float = 1.0
    cost: float | None = None
    cached: int = 0
    effort: Effort | None = None

    def take(self, places: Sequence[Ints]) -> "RowScores":
        """Return the scores of selected rows: row i of the result is row `places[0][i]` here.

        With a second array, row i compares two answers: its score is the difference of their scores, and it has no
        verdict.
        """
        first, *others = places
        verdicts = None if self.verdicts is None or others else self.verdicts[first]
        scores = self.scores[first] - sum(self.scores[other] for other in others)
        return replace(self, scores=scores, verdicts=verdicts)


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
        limit_shape_caches()
        self.spec = spec
        self._name = Path(spec.name).name
        self._module = load_metric(spec.name, **spec.load)
        self._known = accepted_columns(self._module)

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
        return merge(parts, list(of_language.values()))

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


def score_baseline(baseline: Baseline, rows: Sequence[LabeledRow]) -> RowScores:
    """Score all rows with a baseline."""
    scores = [baseline.score(row.answer, row.references) for row in track_progress(rows, baseline.name, "row")]
    is_correct = baseline.is_correct
    verdicts = None if is_correct is None else np.array([is_correct(score) for score in scores])
    return RowScores(baseline.name, np.array(scores, dtype=np.float64), verdicts)


def merge(parts: Sequence[RowScores], rows: Sequence[Sequence[int]]) -> RowScores:
    """Merge the scores of parts of the rows; `rows` has the row numbers of each part."""
    order = np.argsort(np.concatenate([np.array(numbers) for numbers in rows]))
    verdicts = [part.verdicts for part in parts if part.verdicts is not None]
    return replace(
        parts[0],
        scores=np.concatenate([part.scores for part in parts])[order],
        verdicts=np.concatenate(verdicts)[order] if len(verdicts) == len(parts) else None,
        signature="; ".join(dict.fromkeys(part.signature for part in parts if part.signature)) or None,
    )


def best_and_mean(pairs: RowScores, lengths: Sequence[int]) -> tuple[RowScores, RowScores]:
    """Reduce the scores of consecutive pairs of answer and reference to the best and the mean of each answer.

    `lengths` has the number of references of each answer, at least 1.
    """
    starts = np.cumsum([0, *lengths[:-1]])
    verdicts = None if pairs.verdicts is None else np.logical_or.reduceat(pairs.verdicts, starts)
    best = replace(pairs, scores=np.maximum.reduceat(pairs.scores, starts), verdicts=verdicts)
    means = np.add.reduceat(pairs.scores, starts) / np.array(lengths)
    return best, replace(pairs, scores=means, verdicts=None)


def read_result(
    result: Mapping[str, Any], rows: int, name: str, column: str | None = None, threshold: float | None = None
) -> RowScores:
    """Return the scores of each row, under the metric's name in tables; NaN for a row without a score.

    The result has lists in the dict `per_example`, as in this package, or at its top, as in other metrics. `column`
    names one; None takes `score`, `scores` or the only list. Scores from the threshold on mean "correct"; None takes
    the list `verdict` next to `score`, if there is one.
    """
    metric = name.partition(":")[0]
    if "per_example" not in result and isinstance(result.get(metric), Real):
        # Lists next to it, such as the precisions of BLEU, are about all rows together.
        raise ValueError(f"{name}: its result is one number for all rows. Choose a metric with a score for each row.")
    lists = {
        name: values
        for name, values in row_lists(result, rows).items()
        if isinstance(next((value for value in values if value is not None), None), Real)
    }
    wanted = [column] if column else ["score", "scores", *(lists if len(lists) == 1 else ())]
    chosen = next((one for one in wanted if one in lists), None)
    if chosen is None:
        if not lists:
            raise ValueError(f"{name}: its result has no list of {rows} numbers, one score for each row.")
        raise ValueError(
            f"{name}: its result has the row scores {', '.join(lists)}. Name one, such as {metric}:{next(iter(lists))}."
        )
    scores = np.array([_number(name, row, value) for row, value in enumerate(lists[chosen])])
    verdicts = None
    if threshold is not None:
        verdicts = scores >= threshold
    elif chosen == "score" and "verdict" in lists:
        verdicts = np.array(lists["verdict"], dtype=bool)
    cached = sum(map(bool, lists.get("cached", [])))
    return RowScores(name, scores, verdicts, result.get("signature"), cost=result.get("cost"), cached=cached)


def _number(name: str, row: int, value: object) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name}: the score of row {row} is {value!r}; expected a finite number")
    return float(value)
