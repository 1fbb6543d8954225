"""A logistic layer over the judge's score and its matcher's: calibrated probabilities, fitted to people's labels.

p = σ(intercept + w_judge · logit(judge) + w_first · logit(matcher)), with scores clipped to [0.01, 0.99]. Without a
matcher, w_first is missing (Platt 1999, "Probabilistic Outputs for Support Vector Machines"). The matcher's weight and
score are named after the option `first`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.arrays import Floats
from .._shared.logistic import sigmoid
from .._shared.messages import pluralize
from .scoring import MATCHER_LABELS, RowOutcome

Weights = Mapping[str, float]

_CLIP = 0.01
_FOLDS = 5
# Inverse of the ridge penalty; it only matters for a few labels or separable ones.
_STRENGTH = 10.0
# Minimum number of questions: each fold then tests at least ten.
_QUESTIONS = 50
# Minimum number of questions with answers of each label, so that each fold learns from both.
_FEWEST = 2 * _FOLDS


def calibrate(outcome: RowOutcome, matcher_score: float | None, weights: Weights) -> RowOutcome:
    """Return the outcome with its calibrated probability as score; unchanged if a score is missing.

    The label stays unless the verdict changes.
    """
    verdict = outcome.verdict
    if verdict is None or not outcome.asked or ("first" in weights and matcher_score is None):
        return outcome
    scores = {"judge": verdict.score, "first": matcher_score}
    z = weights["intercept"] + sum(w * _logit(scores[name]) for name, w in weights.items() if name in scores)
    score = float(sigmoid(np.asarray(z)))
    correct = score >= 0.5  # noqa: PLR2004
    label = verdict.label if correct == verdict.correct else MATCHER_LABELS[correct]
    return replace(outcome, verdict=replace(verdict, score=score, correct=correct, label=label))


def fit_weights(columns: Mapping[str, Sequence[float]], labels: Sequence[bool], questions: Sequence[str]) -> Weights:
    """Return the weights of a logistic regression of the labels on the logits of the scores.

    With five folds of questions, the mean log-loss on held-out rows must be lower with weights than without them.
    Scores are from 0 to 1, by name: `judge`, and `first` for the matcher.

    Raises:
        ImportError: scikit-learn is missing.
        ValueError: There are too few questions, all labels are equal, or nothing is gained.
    """
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import log_loss
        from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    except ImportError as error:
        raise ImportError("judge: fit needs scikit-learn: pip install scikit-learn") from error
    check_labeled(labels, questions)
    matrix = np.column_stack([_logit(scores) for scores in columns.values()])
    learner, target = LogisticRegression(C=_STRENGTH), np.array(labels)
    held_out = cross_val_predict(
        learner, matrix, target, groups=questions, cv=StratifiedGroupKFold(_FOLDS), method="predict_proba"
    )[:, 1]
    before, after = log_loss(target, np.clip(columns["judge"], _CLIP, 1 - _CLIP)), log_loss(target, held_out)
    if after >= before:
        raise ValueError(
            f"judge: weights do not help: the log-loss on held-out rows is {after:.3f}, with the judge's own scores "
            f"{before:.3f}; use the judge without weights, or label more answers"
        )
    learner.fit(matrix, target)
    return {**dict(zip(columns, learner.coef_[0].tolist(), strict=True)), "intercept": float(learner.intercept_[0])}


def check_labeled(labels: Sequence[bool], questions: Sequence[str]) -> None:
    """Raise ValueError unless there are enough questions, and enough of them with answers of each label."""
    pairs = {*zip(questions, labels, strict=True)}
    right = sum(label for _, label in pairs)
    if len({*questions}) < _QUESTIONS or min(right, len(pairs) - right) < _FEWEST:
        raise ValueError(
            f"judge: fit got {pluralize(len(labels), 'judged answer')} to {pluralize(len({*questions}), 'question')}, "
            f"{sum(labels)} of them correct; expected answers to at least {_QUESTIONS} questions, with correct answers "
            f"to {_FEWEST} of them and incorrect answers to {_FEWEST}"
        )


def _logit(scores: Any) -> Floats:
    clipped = np.clip(np.asarray(scores, dtype=np.float64), _CLIP, 1 - _CLIP)
    logits: Floats = np.log(clipped / (1 - clipped))
    return logits
