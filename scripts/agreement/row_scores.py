"""What a metric or a baseline says of each labeled answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..labeled_data.rows import LabeledRow
from ..terminal import followed
from .baselines import Baseline
from .comparison import Bools, Floats, Ints


@dataclass(frozen=True)
class RowScores:
    """What one metric says of each row.

    Attributes:
        name: The metric's name in tables.
        scores: Its score of each row.
        verdicts: Whether it calls the row correct; None if it does not say.
        signature: What the scores depend on, where the metric tells.
        scale: The highest score, by which differences are measured: 1 or 100.
    """

    name: str
    scores: Floats
    verdicts: Bools | None
    signature: str | None = None
    scale: float = 1.0

    def placed(self, places: Sequence[Ints]) -> "RowScores":
        """Return the scores of rows of which row i is as row `places[0][i]` here.

        With a second array row i compares two answers: its score is the difference of theirs, without a verdict.
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
    """Put scores of parts of the rows together; `rows` has the numbers of each part's rows."""
    order = np.argsort(np.concatenate([np.array(numbers) for numbers in rows]))
    verdicts = [part.verdicts for part in parts if part.verdicts is not None]
    return replace(
        parts[0],
        scores=np.concatenate([part.scores for part in parts])[order],
        verdicts=np.concatenate(verdicts)[order] if len(verdicts) == len(parts) else None,
        signature="; ".join(dict.fromkeys(part.signature for part in parts if part.signature)) or None,
    )


def best_of_runs(found: RowScores, lengths: Sequence[int]) -> RowScores:
    """Reduce the scores of consecutive pairs of answer and reference to the best of each answer.

    Args:
        found: The scores of all pairs.
        lengths: How many references each answer has, none of them 0.
    """
    starts = _starts(lengths)
    verdicts = None if found.verdicts is None else np.logical_or.reduceat(found.verdicts, starts)
    return replace(found, scores=np.maximum.reduceat(found.scores, starts), verdicts=verdicts)


def mean_of_runs(found: RowScores, lengths: Sequence[int]) -> RowScores:
    """Reduce the scores of consecutive pairs, likewise, to the mean of each answer, which has no verdict."""
    return replace(found, scores=np.add.reduceat(found.scores, _starts(lengths)) / np.array(lengths), verdicts=None)


def _starts(lengths: Sequence[int]) -> Ints:
    return np.cumsum([0, *lengths[:-1]])
