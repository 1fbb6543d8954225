"""The final logistic layers: fitted on the development questions, which the encoder was not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..judging.judged import JudgedRow
from ..metrics._shared.inference import run
from ..metrics._shared.lexical import EVIDENCE, evidence
from ..metrics._shared.pairs import PairClassifier
from ..metrics.nli_lex.expansion import Inputs, LengthOptions, expand
from ..metrics.nli_lex.fitting import fit_weights
from ..metrics.nli_lex.scoring import SIGNALS, probability
from .heads import FORMATS

# Task -> name of the encoder's own column.
OWN = {"bem": "margin", "nli_lex": "entailment"}
# Task -> the layers that its metric offers, with the words' evidence that each weighs.
LAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {"bem": {"features": EVIDENCE}, "nli_lex": SIGNALS}
# Weight of the ridge penalty; with thousands of rows it only keeps separable data from running away.
_STRENGTH = 0.1
_FOLDS = 5

Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Judged:
    """What a classifier makes of judged answers: the columns of every pair, and the rows' labels and questions."""

    inputs: Inputs
    columns: Columns
    labels: NDArray[np.bool_]
    question_ids: Sequence[str]


def judge(classifier: PairClassifier, task: str, rows: Sequence[JudgedRow]) -> Judged:
    """Run the classifier over judged answers, as its metric does."""
    predictions, references = [row.answer for row in rows], [row.references for row in rows]
    inputs = expand([row.question for row in rows], predictions, references, LengthOptions(), classifier)
    logits = classifier.logits([FORMATS[task](*text) for text in inputs.texts], run, f"fit: {task}")
    margin = inputs.best_window(logits[:, 1] - logits[:, 0])
    own = margin if OWN[task] == "margin" else np.exp(-np.logaddexp(0, -margin))
    return Judged(
        inputs,
        {OWN[task]: own, **evidence(predictions, references)},
        np.array([bool(row.label) for row in rows]),
        [row.question_id for row in rows],
    )


def fit_layers(judged: Judged, task: str) -> dict[str, dict[str, float]]:
    """Return the weights of each of the task's layers."""
    return {name: _fit(judged, (OWN[task], *columns)) for name, columns in LAYERS[task].items()}


def held_out_accuracy(judged: Judged, task: str) -> dict[str, float]:
    """Return each layer's accuracy on questions that it was not fitted on: five folds of questions."""
    names = sorted(set(judged.question_ids))
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    folds = np.array([fold_of[name] for name in judged.question_ids])
    found = {}
    for layer, columns in LAYERS[task].items():
        right = 0
        for fold in range(_FOLDS):
            weights = _fit(_part(judged, folds != fold), (OWN[task], *columns))
            right += int((_verdicts(_part(judged, folds == fold), weights) == judged.labels[folds == fold]).sum())
        found[layer] = right / len(folds)
    return found


def _fit(judged: Judged, names: Sequence[str]) -> dict[str, float]:
    return fit_weights(judged.columns, names, judged.inputs, judged.labels, _STRENGTH)


def _verdicts(judged: Judged, weights: Mapping[str, float]) -> Any:
    score = np.where(judged.inputs.answered, probability(judged.columns, weights), 0.0)
    return score[judged.inputs.best_reference(score)] > 0.5  # noqa: PLR2004


def _part(judged: Judged, rows: NDArray[np.bool_]) -> Judged:
    """Return the chosen rows with their pairs."""
    counts = np.diff(judged.inputs.row_starts, append=len(judged.inputs.pair_starts))
    pairs = np.repeat(rows, counts)
    kept = counts[rows]
    inputs = Inputs(
        texts=(),
        pair_starts=np.arange(kept.sum()),
        row_starts=np.cumsum(kept) - kept,
        answered=judged.inputs.answered[pairs],
    )
    columns = {name: values[pairs] for name, values in judged.columns.items()}
    ids = [name for name, chosen in zip(judged.question_ids, rows, strict=True) if chosen]
    return Judged(inputs, columns, judged.labels[rows], ids)
