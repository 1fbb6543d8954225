"""The scores and verdicts of a metric or baseline on labeled answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluate_qa.metrics._shared.progress import followed

from ..labeled_data.rows import LabeledRow
from ..uncertainty.arrays import Bools, Floats, Ints
from .baselines import Baseline


@dataclass(frozen=True)
class Effort:
    """The time and money for scoring: the number of rows without a cached verdict, seconds, and cost if it is known."""

    rows: int
    seconds: float
    cost: float | None


@dataclass(frozen=True)
class RowScores:
    """The scores of one metric.

    Verdicts are True where the metric calls the row correct, and None without verdicts. `scale` is the highest possible
    score, 1 or 100, and `cached` the number of rows whose verdicts the metric had cached.
    """

    name: str
    scores: Floats
    verdicts: Bools | None
    signature: str | None = None
    scale: float = 1.0
    cost: float | None = None
    cached: int = 0
    effort: Effort | None = None

    def placed(self, places: Sequence[Ints]) -> "RowScores":
        """Return the scores of selected rows: row i of the result is row `places[0][i]` here.

        With a second array, row i compares two answers: its score is the difference of their scores, and it has no
        verdict.
        """
        first, *others = places
        verdicts = None if self.verdicts is None or others else self.verdicts[first]
        scores = self.scores[first] - sum(self.scores[other] for other in others)
        return replace(self, scores=scores, verdicts=verdicts)


def score_baseline(baseline: Baseline, rows: Sequence[LabeledRow]) -> RowScores:
    """Score all rows with a baseline."""
    scores = [baseline.score(row.answer, row.references) for row in followed(rows, baseline.name, "row")]
    is_correct = baseline.is_correct
    verdicts = None if is_correct is None else np.array([is_correct(score) for score in scores])
    return RowScores(baseline.name, np.array(scores, dtype=np.float64), verdicts)


def merged(parts: Sequence[RowScores], rows: Sequence[Sequence[int]]) -> RowScores:
    """Merge the scores of parts of the rows; `rows` has the row numbers of each part."""
    order = np.argsort(np.concatenate([np.array(numbers) for numbers in rows]))
    verdicts = [part.verdicts for part in parts if part.verdicts is not None]
    return replace(
        parts[0],
        scores=np.concatenate([part.scores for part in parts])[order],
        verdicts=np.concatenate(verdicts)[order] if len(verdicts) == len(parts) else None,
        signature="; ".join(dict.fromkeys(part.signature for part in parts if part.signature)) or None,
    )


def best_and_mean(pairs: RowScores, lengths: Sequence[int]) -> tuple[RowScores, RowScores]:
    """Reduce the scores of consecutive pairs of answer and reference to the best and the mean of each answer.

    `lengths` has the number of references of each answer, at least 1.
    """
    starts = np.cumsum([0, *lengths[:-1]])
    verdicts = None if pairs.verdicts is None else np.logical_or.reduceat(pairs.verdicts, starts)
    best = replace(pairs, scores=np.maximum.reduceat(pairs.scores, starts), verdicts=verdicts)
    means = np.add.reduceat(pairs.scores, starts) / np.array(lengths)
    return best, replace(pairs, scores=means, verdicts=None)
