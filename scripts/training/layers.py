"""The final logistic layers, fitted on dev questions, which the encoder was not trained on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arithmetic import Floats, Indices, first_best, sigmoid
from evaluate_qa.metrics._shared.classifiers import PairClassifier, Texts
from evaluate_qa.metrics._shared.lexical import OF_LONG, by_length, evidence
from evaluate_qa.metrics._shared.long_texts import Inputs, MatcherOptions, expand, row_starts
from evaluate_qa.metrics.nli_lex.options import SIGNALS
from evaluate_qa.metrics.nli_lex.scoring import probability
from evaluate_qa.metrics.nli_lex.weights import fit_weights

from ..labeled_data.rows import LabeledRow
from .learner import FORMATS

# Task to the name of the encoder's own column.
OWN = {"bem": "margin", "nli_lex": "entailment"}
# Task to the layers of its metric, each with the lexical columns that it weighs.
LAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "bem": {"recall": ("recall",), "lengths": by_length("margin")},
    "nli_lex": {signal: columns for signal, columns in SIGNALS.items() if signal},
}
NAMES = tuple(dict.fromkeys(name for layers in LAYERS.values() for name in layers))
"""Names of all layers."""
DEFAULT = "lengths"
"""The default layer of both metrics."""
Layers = dict[str, dict[str, float]]
"""Weights by layer and column."""
_FOLDS = 5
# Weight of an answer that equals a reference: such answers are right, but too rare to learn the weight from.
_SAME = 4.0

Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Classified:
    """The classifier's output for labeled answers, by pair of answer and reference, with the labels of the rows.

    Args:
        starts: Index of the first pair of each row, shape (rows,).
        answered: False for a pair with a blank answer, shape (pairs,).
        columns: The values of each pair, by name, each of shape (pairs,).
        labels: True for rows that people called correct, shape (rows,).
        question_ids: The question of each row.
        sets: The set of each row.
    """

    starts: Indices
    answered: NDArray[np.bool_]
    columns: Columns
    labels: NDArray[np.bool_]
    question_ids: Sequence[str]
    sets: Sequence[str]


@dataclass(frozen=True)
class Unclassified:
    """Labeled answers as a matcher's input, with the name of each row's set.

    `inputs` are the windows of the answers with their references, and `pairs` what a task's head reads of each window.
    `evidence` has the features from words of each pair of answer and reference.
    """

    inputs: Inputs
    pairs: Sequence[Texts]
    rows: Sequence[LabeledRow]
    sets: Sequence[str]
    evidence: Columns

    @classmethod
    def of(cls, classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabeledRow]]) -> "Unclassified":
        """Prepare the answers of each set for the head of a task, a key of `OWN`, as its metric does."""
        rows = [row for listed in rows_of.values() for row in listed]
        predictions, references = [row.answer for row in rows], [row.references for row in rows]
        inputs = expand([row.question for row in rows], predictions, references, MatcherOptions(), classifier)
        pairs = [FORMATS[task](*text) for text in inputs.texts]
        sets = [name for name, listed in rows_of.items() for _ in listed]
        return cls(inputs, pairs, rows, sets, evidence(predictions, references))

    def classified(self, margins: Floats, task: str) -> Classified:
        """Return the output for the margin of each input."""
        margin = self.inputs.best_window(margins)
        own = margin if OWN[task] == "margin" else sigmoid(margin)
        return Classified(
            row_starts([row.references for row in self.rows]),
            self.inputs.answered,
            {OWN[task]: own, **self.evidence},
            np.array([bool(row.label) for row in self.rows]),
            [row.question_id for row in self.rows],
            self.sets,
        )


def classify(classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabeledRow]]) -> Classified:
    """Run the classifier on labeled answers, as its metric does."""
    prepared = Unclassified.of(classifier, task, rows_of)
    logits = classifier.logits(prepared.pairs, prepared.inputs.tokens, f"fit: {task}")
    return prepared.classified(logits[:, 1] - logits[:, 0], task)


def fit_layers(classified: Classified, task: str, kept: Mapping[str, Mapping[str, float]] | None = None) -> Layers:
    """Return the weights of the task's layers; a data set counts as the square root of the number of its sets."""
    layers: Layers = {}
    for name, columns in LAYERS[task].items():
        if kept and name in kept:
            layers[name] = dict(kept[name])
        elif name == "lengths":
            layers[name] = _fit_lengths(classified, OWN[task], layers["recall"])
        elif name == "recall":
            layers[name] = _fit_short(classified, (OWN[task], *columns))
        else:
            layers[name] = _fit(classified, (OWN[task], *columns), _alike(classified))
    return layers


def held_out_scores(classified: Classified, task: str, kept: Mapping[str, Mapping[str, float]] | None = None) -> Floats:
    """Return the cross-validated score of every row by the default layer, over five folds of the questions."""
    folds = _folds(classified.question_ids)
    found = np.empty(len(folds))
    for fold in range(_FOLDS):
        layers = fit_layers(part(classified, folds != fold), task, kept)
        found[folds == fold] = row_scores(part(classified, folds == fold), layers[DEFAULT])
    return found


def row_scores(classified: Classified, weights: Mapping[str, float]) -> Floats:
    """Return the score of each row: the highest one over its references."""
    score = np.where(classified.answered, probability(classified.columns, weights), 0.0)
    return score[first_best(score, classified.starts)] if len(score) else score


def check_folds(rows: Sequence[LabeledRow]) -> None:
    """Raise ValueError if the rows are too few to fit layers on four of five folds of their questions."""
    folds, labels = _folds([row.question_id for row in rows]), np.array([bool(row.label) for row in rows])
    if any(len(set(labels[folds != fold].tolist())) < 2 for fold in range(_FOLDS)):  # noqa: PLR2004
        raise ValueError(
            f"only {len(rows)} answers, {int(labels.sum())} of them correct, are held out to choose the epoch and to "
            "fit the final layers; each fifth of their questions must leave answers of both kinds; label more rows"
        )


def _folds(question_ids: Sequence[str]) -> Indices:
    """Return the fold of each row; all answers to a question are in the same fold."""
    names = sorted(set(question_ids))
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    return np.array([fold_of[name] for name in question_ids], dtype=np.intp)


def _fit(classified: Classified, names: Sequence[str], importance: Floats) -> dict[str, float]:
    return fit_weights(
        classified.columns, names, classified.starts, classified.answered, classified.labels, importance=importance
    )


def _fit_short(classified: Classified, names: Sequence[str]) -> dict[str, float]:
    """Return the layer that is fitted on rows without a long reference; `_fit_lengths` handles the other rows."""
    rows = np.maximum.reduceat(classified.columns["long"], classified.starts) == 0
    if len(set(classified.labels[rows].tolist())) < 2:  # noqa: PLR2004 - both verdicts
        rows = np.ones_like(rows)
    return _fit(part(classified, rows), names, _alike(classified, classified.labels)[rows])


def _fit_lengths(classified: Classified, own: str, short: Mapping[str, float]) -> dict[str, float]:
    """Return the layer that equals `short` for short references and is fitted separately on long ones.

    Each set counts by its share of rows with only long references. In each set, right and wrong answers have the same
    weight: the share of right answers differs from set to set, and the layer must not learn it.
    """
    rows = np.minimum.reduceat(classified.columns["long"], classified.starts) > 0
    names = (own, "recall", *OF_LONG)
    differences = dict.fromkeys(("long", *(f"long*{name}" for name in names)), 0.0)
    if len(set(classified.labels[rows].tolist())) == 2:  # noqa: PLR2004 - both verdicts
        importance = _alike(classified, classified.labels)[rows]
        long = _fit(part(classified, rows), names, importance)
        differences["long"] = long["intercept"] - short["intercept"]
        for name in names:
            differences[f"long*{name}"] = long[name] - short.get(name, 0.0)
    return {**short, "same": _SAME, **differences}


def _alike(classified: Classified, kinds: NDArray[np.bool_] | None = None) -> Floats:
    """Return the sample weight of each row; the mean is 1.

    A data set counts as the square root of the number of its sets (`saf/English` and `saf/German`). Its sets share that
    weight equally, and so do all kinds of rows in a set.
    """
    groups = np.zeros(len(classified.labels), dtype=bool) if kinds is None else kinds
    names, set_of = np.unique(classified.sets, return_inverse=True)
    data_sets = [name.partition("/")[0] for name in names]
    importance = np.empty(len(groups))
    for number, data_set in enumerate(data_sets):
        listed = np.unique(groups[set_of == number])
        for kind in listed:
            rows = (set_of == number) & (groups == kind)
            importance[rows] = 1 / (math.sqrt(data_sets.count(data_set)) * len(listed) * rows.sum())
    importance /= importance.mean()
    return importance


def part(classified: Classified, rows: NDArray[np.bool_]) -> Classified:
    """Return the chosen rows with their pairs; `rows` is True for a row that is kept."""
    counts = np.diff(classified.starts, append=len(classified.answered))
    pairs = np.repeat(rows, counts)
    starts = np.cumsum(counts[rows]) - counts[rows]
    columns = {name: values[pairs] for name, values in classified.columns.items()}
    ids, sets = (
        [name for name, chosen in zip(listed, rows, strict=True) if chosen]
        for listed in (classified.question_ids, classified.sets)
    )
    return Classified(starts, classified.answered[pairs], columns, classified.labels[rows], ids, sets)
