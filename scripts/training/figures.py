"""How well scores agree with people on each set: the figures that compare recipes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arithmetic import Floats

from ..agreement.bootstrap import estimate
from ..agreement.calibration import calibration_error
from ..agreement.comparison import Comparison
from ..uncertainty.resampling import Bootstrap

Figures = dict[str, Any]
"""answers, correct (their share), accuracy, mcc, auc, calibration_error, and mcc_interval if intervals are computed."""

THRESHOLD = 0.5
"""Scores above it mean "correct"."""


def figures(
    scores: Floats, labels: NDArray[np.bool_], question_ids: Sequence[str], bootstrap: Bootstrap | None = None
) -> Figures:
    """Return the figures of one set; `auc` is None if all answers have the same verdict.

    Args:
        scores: Probability of "correct" of each answer.
        labels: True for answers that people called correct.
        question_ids: The question of each answer; intervals resample questions.
        bootstrap: How to resample; None computes no intervals.
    """
    questions = np.unique(question_ids, return_inverse=True)[1].astype(np.int64)
    comparison = Comparison(scores, scores > THRESHOLD, labels.astype(np.float64), questions)
    found = estimate({"": comparison}, ("accuracy", "mcc", "auc"), bootstrap or Bootstrap(resamples=0))[""]
    interval = {"mcc_interval": [found["mcc"].low, found["mcc"].high]} if bootstrap else {}
    return {
        "answers": len(scores),
        "correct": float(labels.mean()),
        **{name: estimate.value for name, estimate in found.items()},
        **interval,
        "calibration_error": calibration_error(comparison),
    }


def by_set(
    scores: Floats, labels: NDArray[np.bool_], question_ids: Sequence[str], sets: Sequence[str]
) -> dict[str, Figures]:
    """Return the figures of each set, in the order in which the sets first appear."""
    found = {}
    for name in dict.fromkeys(sets):
        chosen = np.array([other == name for other in sets])
        ids = [question for question, its in zip(question_ids, chosen, strict=True) if its]
        found[name] = figures(scores[chosen], labels[chosen], ids)
    return found


def mean(found: Mapping[str, Figures] | Iterable[Figures], name: str) -> float | None:
    """Return the mean of a figure over the sets that have it; None if no set does."""
    listed = found.values() if isinstance(found, Mapping) else found
    values = [figures[name] for figures in listed if figures[name] is not None]
    return float(np.mean(values)) if values else None
