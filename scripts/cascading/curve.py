"""Agreement and cost of a cascade: a metric that asks a judge about scores in a band."""

from dataclasses import dataclass

import numpy as np

from evaluate_qa.metrics.judge.scoring import needs_judge

from .labeled_scores import LabeledScores

_STEPS = 50


@dataclass(frozen=True)
class Point:
    """The result of the band low ≤ score < high in which the judge is asked; a band up to 1 includes the score 1."""

    low: float
    high: float
    asked: float  # share of the rows in the band
    # Share of rows on which the cascade agrees with people; None if no verdict of the judge is known in the band. Known
    # verdicts stand for the unknown ones.
    agreement: float | None
    decided: float | None  # agreement of the metric outside the band; None if no row is outside
    cost: float | None  # cost of 1,000 rows; None without prices


def point(rows: LabeledScores, low: float, high: float, row_cost: float | None = None) -> Point:
    """Return the result of a band: agreement = (1 − asked) · decided + asked · the judge's agreement in the band.

    `row_cost` is the mean cost of a request to the judge.
    """
    within = np.array(needs_judge(rows.scores.tolist(), (low, high)))
    asked = float(within.mean())
    metric_right = (rows.scores >= rows.threshold) == rows.labels
    decided = float(metric_right[~within].mean()) if asked < 1 else None
    known = within & ~np.isnan(rows.judged)
    judge_right = (rows.judged[known] == 1) == rows.labels[known]
    agreement = decided if not asked else None
    if len(judge_right):
        agreement = (1 - asked) * (decided or 0.0) + asked * float(judge_right.mean())
    return Point(low, high, asked, agreement, decided, None if row_cost is None else 1000 * asked * row_cost)


def curve(rows: LabeledScores, row_cost: float | None = None) -> list[Point]:
    """Return the results of bands from the metric alone to the judge alone, without repetitions.

    The band widens around the threshold t: for w from 0 to 1 it is from t · (1 − w) to t + (1 − t) · w.
    """
    t = rows.threshold
    points: list[Point] = []
    for w in np.linspace(0, 1, _STEPS + 1).tolist():
        found = point(rows, t * (1 - w), t + (1 - t) * w, row_cost)
        if not points or found.asked != points[-1].asked:
            points.append(found)
    return points
