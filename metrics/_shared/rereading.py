"""Read answers near the threshold again in float32, where the model runs in int8."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .scorer import Scored, Scorer


class RereadsInt8(Scorer):
    """Makes verdicts in int8 nearly equal to those in float32, for a scorer with scores, verdicts and a threshold."""

    # Scores this close to the threshold are computed again: 4% on the board, where 3 of 15,725 verdicts then changed.
    int8_margin: ClassVar[float] = 0.03

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks; in int8, rows near the threshold get their scores in float32."""
        scored = super().score(columns, options)
        if self.model.options.dtype != "int8":
            return scored
        near = np.flatnonzero(np.abs(scored.scores.score - options.threshold) < self.int8_margin)
        if len(near) == 0:
            return scored
        rows = {name: [values[row] for row in near] for name, values in columns.items()}
        again = Scorer.score(self._in_float32, rows, options)
        return replace(scored, scores=_with_rows(scored.scores, near.tolist(), again.scores))

    @cached_property
    def _in_float32(self) -> Scorer:
        return type(self)(self.config_name, **{**vars(self.load_options), "dtype": "float32"})


def _with_rows(scores: Any, rows: list[int], others: Any) -> Any:
    """Return the scores, a dataclass of columns, with those rows replaced by all rows of other scores."""
    changed = deepcopy(scores)
    for name, column in vars(changed).items():
        if column is not None:
            for row, value in zip(rows, getattr(others, name), strict=True):
                column[row] = value
    return changed
