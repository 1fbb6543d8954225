"""How much an answer's own words tell of its verdict, with neither question nor reference at hand.

A language model that writes answers to be learned from has habits: it says why where it is wrong ("because", "so that")
and talks plainly where it is right ("just", "isn't"). What learns from such answers must not learn these.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..labeled_data.rows import LabeledRow

_FOLDS = 5
# Words, pairs and threes of words that stand in at least so many answers are looked at.
_FEWEST = 8
# Strength of the logistic regression: the inverse of its penalty.
_STRENGTH = 0.05
# No answer is drawn more often than so many times another.
_HIGHEST = 5.0


def chances(answers: Sequence[str], verdicts: Sequence[bool], question_ids: Sequence[str]) -> NDArray[np.float64]:
    """Return each answer's chance of its own verdict by its words alone, of (0, 1), were both verdicts as frequent.

    A logistic regression on words, pairs and threes of words tells it, fitted on answers to other questions (five
    folds). Where there are too few answers or questions for that, all are a half.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict

    labels = np.asarray(verdicts, dtype=bool)
    if len(set(question_ids)) < _FOLDS or min(labels.sum(), (~labels).sum()) < _FOLDS * _FEWEST:
        return np.full(len(labels), 0.5)
    words = CountVectorizer(ngram_range=(1, 3), binary=True, min_df=_FEWEST).fit_transform(answers)
    model = LogisticRegression(C=_STRENGTH, class_weight="balanced", max_iter=500)
    right = cross_val_predict(model, words, labels, groups=question_ids, cv=GroupKFold(_FOLDS), method="predict_proba")[
        :, 1
    ]
    return np.asarray(np.where(labels, right, 1 - right), dtype=np.float64)


def evening_weights(rows: Sequence[LabeledRow]) -> NDArray[np.float64]:
    """Return how often each answer is to be drawn, so that what is drawn right and wrong is worded alike.

    It is the inverse of `chances`, at most five times the lowest: who draws right and wrong answers x in proportion to
    1 / P(verdict | x) draws both from the same words.
    """
    inverse = 1 / chances(
        [row.answer for row in rows], [bool(row.label) for row in rows], [row.question_id for row in rows]
    )
    return np.asarray(np.minimum(inverse / inverse.min(initial=2.0), _HIGHEST), dtype=np.float64)
