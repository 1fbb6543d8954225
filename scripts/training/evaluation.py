"""How well scores agree with people on each set: the statistics that compare matchers, and how `fit` prints them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arrays import Floats

from ..agreement.bootstrap import Bootstrap, mean_of_defined, percentile_interval, replicate
from ..agreement.comparison import Comparison
from ..estimation.ppi import FEWEST
from ..terminal import new_table
from ..uncertainty.intervals import BootstrapEstimate, mean
from .sources import LabeledSet

if TYPE_CHECKING:
    from rich.table import Table

# Scores above it mean "correct".
_THRESHOLD = 0.5
# Statistic -> its heading in the table.
_COLUMNS = {"mcc": "MCC", "auc": "AUC", "accuracy": "accuracy", "calibration_error": "calibration error"}

BySet = dict[str, Comparison]
"""Scores and labels of the answers of each set."""


def split_by_set(scores: Floats, labels: NDArray[np.bool_], question_ids: Sequence[str], sets: Sequence[str]) -> BySet:
    """Return the scores and labels of each set, in the order in which the sets first appear."""
    found = {}
    for name in dict.fromkeys(sets):
        rows = np.array([other == name for other in sets])
        questions = np.unique(np.array(question_ids)[rows], return_inverse=True)[1].astype(np.int64)
        found[name] = Comparison(scores[rows], scores[rows] > _THRESHOLD, labels[rows].astype(np.float64), questions)
    return found


def mean_statistic(matchers: Mapping[str, BySet], statistic: str) -> dict[str, BootstrapEstimate]:
    """Return the mean of a statistic over sets for each matcher, with its interval unless there are too few questions.

    With matchers `before` and `after`, `difference` is the difference of their means; it resamples the same questions
    for both. A set in which the statistic is undefined is left out.
    """
    first = next(iter(matchers.values()))
    questions = sum(comparison.question_count for comparison in first.values())
    bootstrap = Bootstrap(resamples=0 if questions < FEWEST else 1000)
    values = [
        replicate({name: sets[set_name] for name, sets in matchers.items()}, [statistic], bootstrap)
        for set_name in first
    ]
    means = {name: mean_of_defined([of_set[name, statistic] for of_set in values]) for name in matchers}
    if means.keys() == {"before", "after"}:
        means["difference"] = means["after"] - means["before"]
    return {name: percentile_interval(values, bootstrap) for name, values in means.items()}


def format_estimate(found: BootstrapEstimate) -> str:
    """Return a statistic with its interval, such as `0.512 [0.401, 0.620]`.

    There is no interval for few questions, nor if all resamples have the same statistic.
    """
    if found.value is None:
        return "–"
    if found.low is None or found.high is None or found.low == found.high:
        return f"{found.value:.3f} (no interval)"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def too_few_warnings(sets: Sequence[LabeledSet]) -> list[str]:
    """Return a warning for each user's file that holds out fewer questions than an interval needs."""
    counts = {found.name: len({row.question_id for row in found.test}) for found in sets if found.test}
    return [
        f"{name} holds out {count} questions to test the result, but an interval needs at least {FEWEST}; label "
        f"answers to {5 * FEWEST} questions before you rely on the figures"
        for name, count in counts.items()
        if count < FEWEST
    ]


def table(title: str, matchers: Mapping[str, BySet]) -> "Table":
    """Return a row for each set and matcher, with 95% intervals over questions."""
    grid = new_table(title, ("answers", "correct", *_COLUMNS.values()), ("set", "matcher"))
    for set_name in next(iter(matchers.values())):
        for name, sets in matchers.items():
            found = sets[set_name]
            statistics = {statistic: mean_statistic({"": {set_name: found}}, statistic)[""] for statistic in _COLUMNS}
            # Unlike a bootstrap's, this interval exists for few answers, and for answers that are all judged right.
            accuracy = mean((found.verdicts == (found.labels == 1)).astype(np.float64), found.questions)
            statistics["accuracy"] = BootstrapEstimate(accuracy.value, accuracy.low, accuracy.high)
            cells = f"{len(found.scores):,}", f"{found.labels.mean():.2f}", *map(format_estimate, statistics.values())
            grid.add_row(set_name, name, *cells)
    return grid


def describe_gain(matchers: Mapping[str, BySet]) -> str:
    """Return the mean MCC over sets of each matcher, and the difference, in a line."""
    found = mean_statistic(matchers, "mcc")
    return "mean MCC: " + ", ".join(f"{name} {format_estimate(one)}" for name, one in found.items())
