"""How far an answer's words alone predict its verdict, without the question and the reference.

A language model that writes training answers has habits: wrong answers give reasons ("because", "so that"), and right
ones are plain ("just", "isn't"). A matcher must not learn these habits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...labeled_data.rows import LabeledRow

_FOLDS = 5
# Fewest answers that contain a word, bigram or trigram.
_FEWEST = 8
# Inverse of the penalty of the logistic regression.
_STRENGTH = 0.05
# Highest ratio between the frequencies of two answers.
_HIGHEST = 5.0


def chances(answers: Sequence[str], verdicts: Sequence[bool], question_ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the probability of each answer's verdict given only its words, in (0, 1), for equally frequent verdicts.

    It is predicted by a logistic regression on word n-grams (1 to 3), fitted on answers to other questions (five
    folds). With too few answers or questions, all probabilities are a half.
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
    """Return sampling weights that make right and wrong answers use the same words.

    They are the inverse of `chances`, at most five times the lowest weight: sampling answers x in proportion to
    1 / P(verdict | x) gives both verdicts the same distribution of words.
    """
    inverse = 1 / chances(
        [row.answer for row in rows], [bool(row.label) for row in rows], [row.question_id for row in rows]
    )
    return np.asarray(np.minimum(inverse / inverse.min(initial=2.0), _HIGHEST), dtype=np.float64)
