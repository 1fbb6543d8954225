"""Statistics of candidates on held-out answers, and their table."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...agreement.statistics import compute_statistic
from ...training.evaluation import split_by_set
from ...training.layers import DEFAULT, LabeledInputs, LabeledOutputs, Layers, fit_layers, row_scores, select_rows
from ...training.learner import Encoded, Heads, Learner
from ...uncertainty.arrays import Floats
from .packing import SMALL, TEST, Packed, kind_of

Kinds = tuple[str, ...]

FOLDS: tuple[Kinds, ...] = (
    ("short factual", "worked math"),
    ("open-domain predictions", "children's explanations"),
    ("student answers", "covered statements"),
    ("course answers", "reading comprehension"),
)
"""Kinds that are left out together: one that the embedded matcher was trained on, and one that it was not."""
KNOWN = frozenset(fold[0] for fold in FOLDS)
"""Kinds that the embedded matcher was trained on."""

_STATISTICS = ("mcc", "auc", "calibration_error")
_TASKS = ("bem", "nli_lex")


class Evaluator:
    """Computes statistics of models that are loaded into learners."""

    def __init__(self, packed: Packed, token_budget: int, half: bool) -> None:
        self._packed, self._budget, self._half = packed, token_budget, half
        self._rows: dict[tuple[str, str], tuple[LabeledInputs, Encoded]] = {}
        present = {kind for name in packed.rows if (kind := kind_of(name))}
        self._left_out = {fold: sorted(present & {*fold}) for fold in FOLDS}
        self._left_out[()] = sorted(present - {kind for fold in FOLDS for kind in fold})

    def margins(self, learner: Learner, inputs: Encoded) -> dict[str, Floats]:
        """Return the margin of each encoded pair, by head."""
        half = self._half and not isinstance(learner, Heads)  # the heads would round their margins, too
        return learner.margins(inputs, self._budget, half)

    def outputs(self, learner: Learner, size: str) -> dict[str, LabeledOutputs]:
        """Return the output for the held-out rows by task; a large model has one head for both."""
        found: dict[str, LabeledOutputs] = {}
        for task in _TASKS if size == SMALL else _TASKS[:1]:
            head = task if size == SMALL else next(iter(learner.classifiers))
            if (size, task) not in self._rows:
                rows = LabeledInputs.of(learner.classifiers[head], task, self._packed.rows)
                encoded = learner.classifiers[head].encode(rows.inputs.texts, rows.inputs.windows.tokens)
                self._rows[size, task] = rows, {head: encoded}
            rows, inputs = self._rows[size, task]
            margin = self.margins(learner, inputs)[head]
            found |= {served: rows.outputs(margin, served) for served in ([task] if size == SMALL else _TASKS)}
        return found

    def kinds(self, learner: Learner, size: str, fold: Kinds, seen: frozenset[str]) -> dict[str, Any]:
        """Return statistics by kind and task, of the kinds in a fold or, without one, of those never trained on.

        The model was trained without the fold, except for the kinds `seen`, which are left out.
        """
        wanted = [kind for kind in self._left_out[fold] if kind not in seen]
        outputs = self.outputs(learner, size) if wanted else {}
        fitted = {task: fit_layers(fit_rows(rows, fold), task)[DEFAULT] for task, rows in outputs.items()}
        return {kind: {task: _evaluate(rows, kind, fitted[task]) for task, rows in outputs.items()} for kind in wanted}

    def layers(self, learner: Learner, size: str) -> dict[str, Layers]:
        """Return the final layers of a model that was trained on all kinds, by task."""
        return {task: fit_layers(fit_rows(rows, ()), task) for task, rows in self.outputs(learner, size).items()}


def fit_rows(outputs: LabeledOutputs, fold: Kinds) -> LabeledOutputs:
    """Return the rows that final layers are fitted on."""
    rows = [not name.startswith(TEST) and kind_of(name) not in fold for name in outputs.sets]
    return select_rows(outputs, np.array(rows))


def means(kinds: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the mean of each task's statistics over the kinds that no candidate has seen."""
    new = [of_tasks for kind, of_tasks in kinds.items() if kind not in KNOWN]
    found = {}
    for task in _TASKS if new else ():
        listed = {one: [of_tasks[task][one] for of_tasks in new] for one in _STATISTICS}
        known = {one: [value for value in values if value is not None] for one, values in listed.items()}
        found[task] = {one: float(np.mean(values)) for one, values in known.items() if values}
    return found


def best_candidate(candidates: Mapping[str, Any]) -> str | None:
    """Return the candidate with a file that has the best mean MCC of both heads over kinds that none has seen.

    Candidates whose statistics are complete come before the others.
    """

    def quality(name: str) -> tuple[bool, float]:
        found = candidates[name]
        mean = [found.get("mean", {}).get(task, {}).get("mcc", -1.0) for task in _TASKS]
        return sum(kind not in KNOWN for kind in found["kinds"]) >= len(FOLDS), float(np.mean(mean))

    return max((name for name, found in candidates.items() if "file" in found), key=quality, default=None)


def table(candidates: Mapping[str, Any]) -> str:
    """Return lines with the means and the MCC of each kind, for each candidate and task."""
    kinds = sorted({kind for found in candidates.values() for kind in found["kinds"]})
    lines = [["candidate", "task", "MCC", "AUC", "error", *(kind[:9] for kind in kinds)]]
    for name, found in candidates.items():
        for task, mean in found.get("mean", {}).items():
            each = [found["kinds"].get(kind, {}).get(task, {}).get("mcc") for kind in kinds]
            values = [*(mean.get(one) for one in _STATISTICS), *each]
            lines.append([name, task, *("–" if value is None else f"{value:.3f}" for value in values)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _evaluate(outputs: LabeledOutputs, kind: str, weights: Mapping[str, float]) -> dict[str, float | None]:
    """Return the statistics on a kind with a final layer, and the number of its rows; None if undefined."""
    tested = select_rows(outputs, np.array([kind_of(name) == kind for name in outputs.sets]))
    scores = row_scores(tested, weights)
    (comparison,) = split_by_set(scores, tested.labels, tested.question_ids, [kind] * len(scores)).values()
    once = np.ones((1, comparison.question_count))
    found = {name: float(compute_statistic(name, comparison, once)[0]) for name in _STATISTICS}
    rounded = {name: None if math.isnan(value) else round(value, 4) for name, value in found.items()}
    return {**rounded, "rows": len(tested.labels)}
