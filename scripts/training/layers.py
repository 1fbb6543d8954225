"""The final logistic layers: fitted on the development questions, which the encoder was not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..agreement.labelled import LabelledRow
from ..metrics._shared.arithmetic import Floats, Indices, first_best, sigmoid
from ..metrics._shared.lexical import EVIDENCE, evidence
from ..metrics._shared.pairs import PairClassifier
from ..metrics.nli_lex.expansion import LengthOptions, expand
from ..metrics.nli_lex.options import SIGNALS
from ..metrics.nli_lex.scoring import probability
from ..metrics.nli_lex.weights import fit_weights
from .heads import FORMATS

# Task -> name of the encoder's own column.
OWN = {"bem": "margin", "nli_lex": "entailment"}
# Task -> the layers that its metric offers, with the words' evidence that each weighs.
LAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "bem": {"features": EVIDENCE},
    "nli_lex": {signal: columns for signal, columns in SIGNALS.items() if signal},
}
DEFAULTS = {"bem": "features", "nli_lex": "recall"}
"""Task -> the layer that its metric uses by default."""
# Weight of the ridge penalty; with thousands of rows it only keeps separable data from running away.
_STRENGTH = 0.1
_FOLDS = 5

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


def classify(classifier: PairClassifier, task: str, rows_of: Mapping[str, Sequence[LabelledRow]]) -> Classified:
    """Run the classifier over labelled answers, as its metric does.

    Args:
        classifier: With the task's head.
        task: A key of `OWN`.
        rows_of: The answers of each set.
    """
    rows = [row for listed in rows_of.values() for row in listed]
    predictions, references = [row.answer for row in rows], [row.references for row in rows]
    inputs = expand([row.question for row in rows], predictions, references, LengthOptions(), classifier)
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


def fit_layers(classified: Classified, task: str) -> dict[str, dict[str, float]]:
    """Return the weights of each of the task's layers; all sets together weigh as much as any other."""
    return {name: _fit(classified, (OWN[task], *columns)) for name, columns in LAYERS[task].items()}


def held_out_scores(classified: Classified, task: str) -> dict[str, Floats]:
    """Return for each layer every row's score by weights that were fitted on other questions: five folds of them."""
    folds = _folds(classified.question_ids)
    found = {}
    for layer, columns in LAYERS[task].items():
        found[layer] = np.empty(len(folds))
        for fold in range(_FOLDS):
            weights = _fit(_part(classified, folds != fold), (OWN[task], *columns))
            found[layer][folds == fold] = row_scores(_part(classified, folds == fold), weights)
    return found


def row_scores(classified: Classified, weights: Mapping[str, float]) -> Floats:
    """Return each row's score: that of the reference for which it is highest."""
    score = np.where(classified.answered, probability(classified.columns, weights), 0.0)
    return score[first_best(score, classified.starts)] if len(score) else score


def check_folds(rows: Sequence[LabelledRow]) -> None:
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


def _fit(classified: Classified, names: Sequence[str]) -> dict[str, float]:
    listed, set_of, sizes = np.unique(classified.sets, return_inverse=True, return_counts=True)
    alike = len(classified.labels) / (len(listed) * sizes[set_of])
    return fit_weights(
        classified.columns, names, classified.starts, classified.answered, classified.labels, _STRENGTH, alike
    )


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
