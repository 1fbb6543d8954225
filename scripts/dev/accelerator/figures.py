"""Figures of candidates on held-out answers and pairs, and the table of them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.engines import PairIds

from ...agreement.figures import figure
from ...training.examples import batches
from ...training.figures import by_set
from ...training.heads import Heads
from ...training.layers import DEFAULTS, Classified, Layers, Unclassified, fit_layers, part, row_scores
from ...training.learner import Encoded, Learner, TrainingBatch
from ...uncertainty.arrays import Floats
from .packing import SMALL, TEST, Packed, kind_of

Kinds = tuple[str, ...]

FOLDS: tuple[Kinds, ...] = (
    ("short factual", "worked math"),
    ("open-domain predictions", "children's explanations"),
    ("student answers", "covered statements"),
    ("course answers", "reading comprehension"),
)
"""Kinds that are left out together: one that the shipped matcher was trained on, and one that it was not."""
KNOWN = frozenset(fold[0] for fold in FOLDS)
"""Kinds that the shipped matcher was trained on."""

_FIGURES = ("mcc", "auc", "calibration_error")
_TASKS = ("bem", "nli_lex")
_BARE: Mapping[str, dict[str, float]] = {"bem": {"margin": 1.0, "intercept": 0.0}, "nli_lex": {}}


def margins(learner: Learner, task: str, inputs: Sequence[PairIds], token_budget: int, half: bool) -> Floats:
    """Return the logits of agreement of encoded pairs for a task, without gradients, shape (pairs,)."""
    import torch

    found = np.empty(len(inputs))
    with torch.no_grad():
        for rows in batches([len(ids) for ids, _ in inputs], token_budget):
            batch = TrainingBatch({task: [inputs[i] for i in rows]}, [], [])
            found[rows] = learner.margin(task, batch, half).cpu().numpy()
    return found


class Evaluator:
    """Computes figures of models that are loaded into learners."""

    def __init__(self, packed: Packed, token_budget: int, half: bool) -> None:
        self._packed, self._budget, self._half = packed, token_budget, half
        self._rows: dict[tuple[str, str], tuple[Unclassified, Encoded]] = {}
        self._skills: dict[str, Encoded] = {}
        present = {kind for name in packed.rows if (kind := kind_of(name))}
        self._left_out = {fold: sorted(present & {*fold}) for fold in FOLDS}
        self._left_out[()] = sorted(present - {kind for fold in FOLDS for kind in fold})

    def margins(self, learner: Learner, inputs: Encoded) -> dict[str, Any]:
        """Return the margin of each encoded pair, by head."""
        half = self._half and not isinstance(learner, Heads)  # the heads would round their margins, too
        return {task: margins(learner, task, listed, self._budget, half) for task, listed in inputs.items()}

    def views(self, learner: Learner, size: str) -> dict[str, tuple[str, Classified]]:
        """Return the output for the held-out rows by view, each with the task whose final layers it gets.

        A small model has two heads, and `both` is the mean of their margins. A large one has one, for both tasks.
        """
        found = {}
        for task in _TASKS if size == SMALL else _TASKS[:1]:
            head = task if size == SMALL else next(iter(learner.classifiers))
            if (size, task) not in self._rows:
                rows = Unclassified.of(learner.classifiers[head], task, self._packed.rows)
                encoded = learner.classifiers[head].encode(rows.pairs, rows.inputs.tokens)
                self._rows[size, task] = rows, {head: encoded}
            rows, inputs = self._rows[size, task]
            found[task] = self.margins(learner, inputs)[head]
        rows, _ = self._rows[size, "bem"]
        if size != SMALL:
            return {task: (task, rows.classified(found["bem"], task)) for task in _TASKS}
        views = {task: (task, self._rows[size, task][0].classified(found[task], task)) for task in _TASKS}
        return views | {"both": ("bem", rows.classified(np.mean([*found.values()], axis=0), "bem"))}

    def kinds(self, learner: Learner, size: str, fold: Kinds, seen: frozenset[str]) -> dict[str, Any]:
        """Return figures by kind and view, of the kinds in a fold or, without one, of those that are never trained on.

        Args:
            learner: The model, trained without the fold.
            size: `SMALL` or `LARGE`.
            fold: The kinds.
            seen: Kinds to leave out, because the model was trained on them after all.
        """
        wanted = [kind for kind in self._left_out[fold] if kind not in seen]
        views = self.views(learner, size) if wanted else {}
        fitted = {view: fit_layers(fit_rows(rows, fold), task)[DEFAULTS[task]] for view, (task, rows) in views.items()}
        return {
            kind: {view: _figures(rows, kind, fitted[view], _BARE[task]) for view, (task, rows) in views.items()}
            for kind in wanted
        }

    def layers(self, learner: Learner, size: str) -> dict[str, Layers]:
        """Return the final layers of a model that was trained on all kinds, by task."""
        views = self.views(learner, size)
        return {task: fit_layers(fit_rows(views[task][1], ()), task) for task in _TASKS}

    def skills(self, learner: Learner, size: str) -> dict[str, float | None]:
        """Return the AUC of the mean margin on held-out pairs of each skill and language."""
        pairs = self._packed.skills
        if size not in self._skills:
            self._skills[size] = learner.encode(pairs)
        margin = np.mean([*self.margins(learner, self._skills[size]).values()], axis=0)
        names = [f"{pair.data_set}, {pair.language}" for pair in pairs]
        found = by_set(
            margin, np.array([pair.label == 1 for pair in pairs]), [str(n) for n in range(len(pairs))], names
        )
        return {name: _value("auc", comparison) for name, comparison in sorted(found.items())}


def fit_rows(classified: Classified, fold: Kinds) -> Classified:
    """Return the rows that final layers are fitted on."""
    rows = [not name.startswith(TEST) and kind_of(name) not in fold for name in classified.sets]
    return part(classified, np.array(rows))


def means(kinds: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the mean of each view's figures over all kinds, and (`new …`) over those that no candidate has seen."""
    found = {}
    for prefix, names in (("", list(kinds)), ("new ", [kind for kind in kinds if kind not in KNOWN])):
        for view in dict.fromkeys(view for kind in names for view in kinds[kind]):
            listed = {one: [kinds[kind][view][one] for kind in names] for one in _FIGURES}
            known = {one: [value for value in values if value is not None] for one, values in listed.items()}
            found[prefix + view] = {one: float(np.mean(values)) for one, values in known.items() if values}
    return found


def best_candidate(candidates: Mapping[str, Any]) -> str | None:
    """Return the candidate with a file that has the best mean MCC of both heads over kinds that none has seen.

    Candidates whose figures are complete come before the others.
    """

    def quality(name: str) -> tuple[bool, float]:
        found = candidates[name]
        mean = [found.get("mean", {}).get(f"new {task}", {}).get("mcc", -1.0) for task in DEFAULTS]
        return sum(kind not in KNOWN for kind in found["kinds"]) >= len(FOLDS), float(np.mean(mean))

    return max((name for name, found in candidates.items() if "file" in found), key=quality, default=None)


def table(candidates: Mapping[str, Any]) -> str:
    """Return lines with the MCC of each kind and the means, for each candidate and view."""
    kinds = sorted({kind for found in candidates.values() for kind in found["kinds"]})
    head = ["candidate", "view", "MCC", "AUC", "error", "bare", *(kind[:9] for kind in kinds)]
    lines = [head]
    for name, found in candidates.items():
        for view, mean in found.get("mean", {}).items():
            if view.startswith("new "):
                bare = [
                    figures[view[4:]]["bare"]["mcc"] for kind, figures in found["kinds"].items() if kind not in KNOWN
                ]
                each = [found["kinds"].get(kind, {}).get(view[4:], {}).get("mcc") for kind in kinds]
                known = [value for value in bare if value is not None]
                values = [*(mean.get(one) for one in _FIGURES), float(np.mean(known)) if known else None, *each]
                lines.append([name, view[4:], *("–" if value is None else f"{value:.3f}" for value in values)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _figures(
    classified: Classified, kind: str, layers: Mapping[str, float], bare: Mapping[str, float]
) -> dict[str, Any]:
    """Return figures on a kind, with final layers and (`bare`) without."""
    tested = part(classified, np.array([kind_of(name) == kind for name in classified.sets]))
    found = []
    for weights in (layers, bare):
        scores = row_scores(tested, weights)
        (comparison,) = by_set(scores, tested.labels, tested.question_ids, [kind] * len(scores)).values()
        found.append({one: _value(one, comparison) for one in _FIGURES})
    return {**found[0], "bare": found[1], "rows": len(tested.labels)}


def _value(name: str, comparison: Any) -> float | None:
    value = float(figure(name, comparison, np.ones((1, comparison.question_count)))[0])
    return None if math.isnan(value) else round(value, 4)
