"""The final logistic layers, fitted on dev questions, which the encoder was not trained on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arrays import Floats, Indices, first_best
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.lexical import LONG_FEATURES, features_by_length
from evaluate_qa.metrics._shared.logistic import sigmoid
from evaluate_qa.metrics._shared.matcher_features import PairInputs, prepare_pairs
from evaluate_qa.metrics._shared.matcher_options import MatcherOptions
from evaluate_qa.metrics.nli_lex.options import SIGNALS
from evaluate_qa.metrics.nli_lex.scoring import probability
from evaluate_qa.metrics.nli_lex.weights import fit_weights

from ..labeled_data.rows import LabeledRow
from .learner import FORMATS

# Task to the name of the encoder's own feature.
OWN = {"bem": "margin", "nli_lex": "entailment"}
# Task to the layers of its metric, each with the lexical features that it weighs.
LAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "bem": {"recall": ("recall",), "lengths": features_by_length("margin")},
    "nli_lex": {signal: features for signal, features in SIGNALS.items() if signal},
}
NAMES = tuple(dict.fromkeys(name for layers in LAYERS.values() for name in layers))
"""Names of all layers."""
DEFAULT = "lengths"
"""The default layer of both metrics."""
Layers = dict[str, dict[str, float]]
"""Weights by layer and feature."""
_FOLDS = 5
# Weight of an answer that equals a reference: such answers are right, but too rare to learn the weight from.
_SAME = 4.0

Features = dict[str, Floats]


@dataclass(frozen=True)
class LabeledOutputs:
    """The classifier's output for labeled answers, by pair of answer and reference, with the labels of the rows."""

    starts: Indices  # index of the first pair of each row, shape (rows,)
    answered: NDArray[np.bool_]  # False for a pair with a blank answer, shape (pairs,)
    features: Features  # the values of each pair, by name, each of shape (pairs,)
    labels: NDArray[np.bool_]  # True for rows that people called correct, shape (rows,)
    question_ids: Sequence[str]  # the question of each row
    sets: Sequence[str]  # the set of each row


@dataclass(frozen=True)
class LabeledInputs:
    """Labeled answers as a matcher's inputs, with the name of each row's set."""

    inputs: PairInputs
    rows: Sequence[LabeledRow]
    sets: Sequence[str]

    @classmethod
    def of(cls, classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabeledRow]]) -> "LabeledInputs":
        """Prepare the answers of each set for the head of a task, a key of `OWN`, as its metric does."""
        rows = [row for listed in rows_of.values() for row in listed]
        columns = [row.answer for row in rows], [row.references for row in rows], [row.question for row in rows]
        inputs = prepare_pairs(*columns, MatcherOptions(), classifier, FORMATS[task])
        return cls(inputs, rows, [name for name, listed in rows_of.items() for _ in listed])

    def outputs(self, margins: Floats, task: str) -> LabeledOutputs:
        """Return the output for the margin of each input."""
        margin = self.inputs.windows.best(margins)
        own = margin if OWN[task] == "margin" else sigmoid(margin)
        return LabeledOutputs(
            self.inputs.starts,
            self.inputs.answered,
            {OWN[task]: own, **self.inputs.word_features},
            np.array([bool(row.label) for row in self.rows]),
            [row.question_id for row in self.rows],
            self.sets,
        )


def classify(classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabeledRow]]) -> LabeledOutputs:
    """Run the classifier on labeled answers, as its metric does."""
    labeled = LabeledInputs.of(classifier, task, rows_of)
    logits = classifier.logits(labeled.inputs.texts, labeled.inputs.windows.tokens, f"fit: {task}")
    return labeled.outputs(logits[:, 1] - logits[:, 0], task)


def fit_layers(outputs: LabeledOutputs, task: str, kept: Mapping[str, Mapping[str, float]] | None = None) -> Layers:
    """Return the weights of the task's layers; a data set counts as the square root of the number of its sets."""
    layers: Layers = {}
    for name, features in LAYERS[task].items():
        if kept and name in kept:
            layers[name] = dict(kept[name])
        elif name == "lengths":
            layers[name] = _fit_lengths(outputs, OWN[task], layers["recall"])
        elif name == "recall":
            layers[name] = _fit_short(outputs, (OWN[task], *features))
        else:
            layers[name] = _fit(outputs, (OWN[task], *features), _sample_weights(outputs))
    return layers


def held_out_scores(
    outputs: LabeledOutputs, task: str, kept: Mapping[str, Mapping[str, float]] | None = None
) -> Floats:
    """Return the cross-validated score of every row by the default layer, over five folds of the questions."""
    folds = _folds(outputs.question_ids)
    found = np.empty(len(folds))
    for fold in range(_FOLDS):
        layers = fit_layers(select_rows(outputs, folds != fold), task, kept)
        found[folds == fold] = row_scores(select_rows(outputs, folds == fold), layers[DEFAULT])
    return found


def row_scores(outputs: LabeledOutputs, weights: Mapping[str, float]) -> Floats:
    """Return the score of each row: the highest one over its references."""
    score = np.where(outputs.answered, probability(outputs.features, weights), 0.0)
    return score[first_best(score, outputs.starts)] if len(score) else score


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


def _fit(outputs: LabeledOutputs, names: Sequence[str], importance: Floats) -> dict[str, float]:
    return fit_weights(outputs.features, names, outputs.starts, outputs.answered, outputs.labels, importance=importance)


def _fit_short(outputs: LabeledOutputs, names: Sequence[str]) -> dict[str, float]:
    """Return the layer that is fitted on rows without a long reference; `_fit_lengths` handles the other rows."""
    rows = np.maximum.reduceat(outputs.features["long"], outputs.starts) == 0
    if len(set(outputs.labels[rows].tolist())) < 2:  # noqa: PLR2004 - both verdicts
        rows = np.ones_like(rows)
    return _fit(select_rows(outputs, rows), names, _sample_weights(outputs, outputs.labels)[rows])


def _fit_lengths(outputs: LabeledOutputs, own: str, short: Mapping[str, float]) -> dict[str, float]:
    """Return the layer that equals `short` for short references and is fitted separately on long ones.

    Each set counts by its share of rows with only long references. In each set, right and wrong answers have the same
    weight: the share of right answers differs from set to set, and the layer must not learn it.
    """
    rows = np.minimum.reduceat(outputs.features["long"], outputs.starts) > 0
    names = (own, "recall", *LONG_FEATURES)
    differences = dict.fromkeys(("long", *(f"long*{name}" for name in names)), 0.0)
    if len(set(outputs.labels[rows].tolist())) == 2:  # noqa: PLR2004 - both verdicts
        importance = _sample_weights(outputs, outputs.labels)[rows]
        long = _fit(select_rows(outputs, rows), names, importance)
        differences["long"] = long["intercept"] - short["intercept"]
        for name in names:
            differences[f"long*{name}"] = long[name] - short.get(name, 0.0)
    return {**short, "same": _SAME, **differences}


def _sample_weights(outputs: LabeledOutputs, kinds: NDArray[np.bool_] | None = None) -> Floats:
    """Return the sample weight of each row; the mean is 1.

    A data set counts as the square root of the number of its sets (`saf/English` and `saf/German`). Its sets share that
    weight equally, and so do all kinds of rows in a set.
    """
    groups = np.zeros(len(outputs.labels), dtype=bool) if kinds is None else kinds
    names, set_of = np.unique(outputs.sets, return_inverse=True)
    data_sets = [name.partition("/")[0] for name in names]
    importance = np.empty(len(groups))
    for number, data_set in enumerate(data_sets):
        listed = np.unique(groups[set_of == number])
        for kind in listed:
            rows = (set_of == number) & (groups == kind)
            importance[rows] = 1 / (math.sqrt(data_sets.count(data_set)) * len(listed) * rows.sum())
    importance /= importance.mean()
    return importance


def select_rows(outputs: LabeledOutputs, rows: NDArray[np.bool_]) -> LabeledOutputs:
    """Return the chosen rows with their pairs; `rows` is True for a row that is kept."""
    counts = np.diff(outputs.starts, append=len(outputs.answered))
    pairs = np.repeat(rows, counts)
    starts = np.cumsum(counts[rows]) - counts[rows]
    features = {name: values[pairs] for name, values in outputs.features.items()}
    ids, sets = (
        [name for name, chosen in zip(listed, rows, strict=True) if chosen]
        for listed in (outputs.question_ids, outputs.sets)
    )
    return LabeledOutputs(starts, outputs.answered[pairs], features, outputs.labels[rows], ids, sets)
