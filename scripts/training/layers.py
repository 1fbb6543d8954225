"""The final logistic layers: fitted on the development questions, which the encoder was not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agreement.labelled import LabelledRow
from ..metrics._shared.arithmetic import Indices, first_best, sigmoid
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
    """

    starts: Indices
    answered: NDArray[np.bool_]
    columns: Columns
    labels: NDArray[np.bool_]
    question_ids: Sequence[str]


def classify(classifier: PairClassifier, task: str, rows: Sequence[LabelledRow]) -> Classified:
    """Run the classifier over labelled answers, as its metric does."""
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
    )


def fit_layers(classified: Classified, task: str) -> dict[str, dict[str, float]]:
    """Return the weights of each of the task's layers."""
    return {name: _fit(classified, (OWN[task], *columns)) for name, columns in LAYERS[task].items()}


def held_out_accuracy(classified: Classified, task: str) -> dict[str, float]:
    """Return each layer's accuracy on questions that it was not fitted on: five folds of questions."""
    names = sorted(set(classified.question_ids))
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    folds = np.array([fold_of[name] for name in classified.question_ids])
    found = {}
    for layer, columns in LAYERS[task].items():
        right = 0
        for fold in range(_FOLDS):
            weights = _fit(_part(classified, folds != fold), (OWN[task], *columns))
            held_out = _part(classified, folds == fold)
            right += int((_verdicts(held_out, weights) == held_out.labels).sum())
        found[layer] = right / len(folds)
    return found


def _fit(classified: Classified, names: Sequence[str]) -> dict[str, float]:
    return fit_weights(classified.columns, names, classified.starts, classified.answered, classified.labels, _STRENGTH)


def _verdicts(classified: Classified, weights: Mapping[str, float]) -> Any:
    score = np.where(classified.answered, probability(classified.columns, weights), 0.0)
    return score[first_best(score, classified.starts)] > 0.5  # noqa: PLR2004


def _part(classified: Classified, rows: NDArray[np.bool_]) -> Classified:
    """Return the chosen rows with their pairs."""
    counts = np.diff(classified.starts, append=len(classified.answered))
    pairs = np.repeat(rows, counts)
    starts = np.cumsum(counts[rows]) - counts[rows]
    columns = {name: values[pairs] for name, values in classified.columns.items()}
    ids = [name for name, chosen in zip(classified.question_ids, rows, strict=True) if chosen]
    return Classified(starts, classified.answered[pairs], columns, classified.labels[rows], ids)
