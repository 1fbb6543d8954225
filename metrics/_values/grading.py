"""Read references as answer keys, and overlook misspellings, for metrics with the embedded matcher."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.scorer import Scored
from .answer_keys import read_key
from .scorer import ComparesValues
from .spelling import corrected


class ReadsAnswerKeys(ComparesValues):
    """Adds to a scorer with scores and verdicts what people do who grade with an answer key."""

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks."""
        if not self.embedded or options.references_are == "all":  # required parts come back here one by one
            return super().score(columns, options)
        keys = list(map(read_key, columns["references"]))
        answers = [
            corrected(answer, key.accepted, question)
            for answer, key, question in zip(columns["predictions"], keys, columns["questions"], strict=True)
        ]
        read = {**columns, "predictions": answers, "references": [key.accepted for key in keys]}
        scored = super().score(read, options)
        best = [key.sources[form] for key, form in zip(keys, scored.scores.best_reference, strict=True)]
        wrong = np.array([key.rejects(answer) for key, answer in zip(keys, answers, strict=True)], dtype=bool)
        scores = replace(
            scored.scores,
            score=np.where(wrong, 0.0, scored.scores.score),
            verdict=np.where(wrong, False, scored.scores.verdict),
            best_reference=np.array(best),
        )
        return replace(scored, scores=scores)
