"""The final logistic layers: fitted on the development questions, which the encoder was not trained on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arithmetic import Floats, Indices, first_best, sigmoid
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.lexical import OF_LONG, by_length, evidence
from evaluate_qa.metrics._shared.long_texts import MatcherOptions, expand
from evaluate_qa.metrics.nli_lex.options import SIGNALS
from evaluate_qa.metrics.nli_lex.scoring import probability
from evaluate_qa.metrics.nli_lex.weights import fit_weights

from ..labeled_data.rows import LabeledRow
from .learner import FORMATS

# Task -> name of the encoder's own column.
OWN = {"bem": "margin", "nli_lex": "entailment"}
# Task -> the layers that its metric offers, with the words' evidence that each weighs.
LAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "bem": {"recall": ("recall",), "lengths": by_length("margin")},
    "nli_lex": {signal: columns for signal, columns in SIGNALS.items() if signal},
}
NAMES = tuple(dict.fromkeys(name for layers in LAYERS.values() for name in layers))
"""Names of all layers."""
DEFAULTS = {"bem": "lengths", "nli_lex": "lengths"}
"""Task -> the layer that its metric uses by default."""
Layers = dict[str, dict[str, float]]
"""Weights by layer and column."""
# Weight of the ridge penalty; with thousands of rows it only keeps separable data from running away.
_STRENGTH = 0.1
_FOLDS = 5
# Weight of an answer that is word for word a reference: it is right, though there are too few to learn that from.
_SAME = 4.0

Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Classified:
    """What a classifier makes of labelled answers: of every pair its columns, of every row label and question.

    Args:
        starts: Number of the first pair of each row, shape (rows,).
        answered: False for a pair whose answer is blank, shape (pairs,).
        columns: What is known of each pair, by name, each of shape (pairs,).
        labels: Whether people called each row correct, shape (rows,).
        question_ids: Of each row.
        sets: Name of the set that each row is of.
    """

    starts: Indices
    answered: NDArray[np.bool_]
    columns: Columns
    labels: NDArray[np.bool_]
    question_ids: Sequence[str]
    sets: Sequence[str]


def classify(classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabeledRow]]) -> Classified:
    """Run the classifier over labelled answers, as its metric does.

    Args:
        classifier: With the task's head.
        task: A key of `OWN`.
        rows_of: The answers of each set.
    """
    rows = [row for listed in rows_of.values() for row in listed]
    predictions, references = [row.answer for row in rows], [row.references for row in rows]
    inputs = expand([row.question for row in rows], predictions, references, MatcherOptions(), classifier)
    logits = classifier.logits([FORMATS[task](*text) for text in inputs.texts], inputs.tokens, f"fit: {task}")
    margin = inputs.best_window(logits[:, 1] - logits[:, 0])
    own = margin if OWN[task] == "margin" else sigmoid(margin)
    return Classified(
        inputs.row_starts,
        inputs.answered,
        {OWN[task]: own, **evidence(predictions, references)},
        np.array([bool(row.label) for row in rows]),
        [row.question_id for row in rows],
        [name for name, listed in rows_of.items() for _ in listed],
    )


def fit_layers(classified: Classified, task: str, kept: Mapping[str, Mapping[str, float]] | None = None) -> Layers:
    """Return the weights of each of the task's layers; a data set weighs as the root of the number of its sets.

    Args:
        classified: What they are fitted on.
        task: A key of `LAYERS`.
        kept: Layers that are taken as they are.
    """
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


def held_out_scores(
    classified: Classified, task: str, kept: Mapping[str, Mapping[str, float]] | None = None
) -> dict[str, Floats]:
    """Return for each layer every row's score by weights that were fitted on other questions: five folds of them."""
    folds = _folds(classified.question_ids)
    found = {layer: np.empty(len(folds)) for layer in LAYERS[task]}
    for fold in range(_FOLDS):
        layers = fit_layers(_part(classified, folds != fold), task, kept)
        held_out = _part(classified, folds == fold)
        for layer, weights in layers.items():
            found[layer][folds == fold] = row_scores(held_out, weights)
    return found


def row_scores(classified: Classified, weights: Mapping[str, float]) -> Floats:
    """Return each row's score: that of the reference for which it is highest."""
    score = np.where(classified.answered, probability(classified.columns, weights), 0.0)
    return score[first_best(score, classified.starts)] if len(score) else score


def check_folds(rows: Sequence[LabeledRow]) -> None:
    """Raise ValueError where the rows are too few for layers to be fitted on four of five folds of their questions."""
    folds, labels = _folds([row.question_id for row in rows]), np.array([bool(row.label) for row in rows])
    if any(len(set(labels[folds != fold].tolist())) < 2 for fold in range(_FOLDS)):  # noqa: PLR2004
        raise ValueError(
            f"of {len(rows)} answers that epoch and final layers are chosen on {int(labels.sum())} are correct: too "
            "few of one kind, or to too few questions; give more labelled answers, a higher --limit or more --data"
        )


def _folds(question_ids: Sequence[str]) -> Indices:
    """Return the fold of each row; all answers to a question are in one."""
    names = sorted(set(question_ids))
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    return np.array([fold_of[name] for name in question_ids], dtype=np.intp)


def _fit(classified: Classified, names: Sequence[str], importance: Floats) -> dict[str, float]:
    return fit_weights(
        classified.columns, names, classified.starts, classified.answered, classified.labels, _STRENGTH, importance
    )


def _fit_short(classified: Classified, names: Sequence[str]) -> dict[str, float]:
    """Return the layer that is fitted on rows without a long reference, as `_fit_lengths` on those with long ones."""
    rows = np.maximum.reduceat(classified.columns["long"], classified.starts) == 0
    if len(set(classified.labels[rows].tolist())) < 2:  # noqa: PLR2004 - both verdicts
        rows = np.ones_like(rows)
    return _fit(_part(classified, rows), names, _alike(classified, classified.labels)[rows])


def _fit_lengths(classified: Classified, own: str, short: Mapping[str, float]) -> dict[str, float]:
    """Return the layer that weighs like `short` where a reference is short, and else as fitted on long ones alone.

    There each set counts by the share of its rows whose references are all long, and in each set right and wrong
    answers weigh alike: what share is right differs from set to set, and is not to be learned.
    """
    rows = np.minimum.reduceat(classified.columns["long"], classified.starts) > 0
    names = (own, "recall", *OF_LONG)
    differences = dict.fromkeys(("long", *(f"long*{name}" for name in names)), 0.0)
    if len(set(classified.labels[rows].tolist())) == 2:  # noqa: PLR2004 - both verdicts
        importance = _alike(classified, classified.labels)[rows]
        long = _fit(_part(classified, rows), names, importance)
        differences["long"] = long["intercept"] - short["intercept"]
        for name in names:
            differences[f"long*{name}"] = long[name] - short.get(name, 0.0)
    return {**short, "same": _SAME, **differences}


def _alike(classified: Classified, kinds: NDArray[np.bool_] | None = None) -> Floats:
    """Return each row's importance, 1 in the mean.

    A data set weighs as the square root of the number of its sets (`saf/English` and `saf/German`), which share that
    alike, as in a set all kinds of rows do.
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


def _part(classified: Classified, rows: NDArray[np.bool_]) -> Classified:
    """Return the chosen rows with their pairs."""
    counts = np.diff(classified.starts, append=len(classified.answered))
    pairs = np.repeat(rows, counts)
    starts = np.cumsum(counts[rows]) - counts[rows]
    columns = {name: values[pairs] for name, values in classified.columns.items()}
    ids, sets = (
        [name for name, chosen in zip(listed, rows, strict=True) if chosen]
        for listed in (classified.question_ids, classified.sets)
    )
    return Classified(starts, classified.answered[pairs], columns, classified.labels[rows], ids, sets)
