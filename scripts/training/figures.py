"""How well scores agree with people on each set: the figures that compare matchers."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arithmetic import Floats

from ..agreement.bootstrap import Bootstrap, estimated, mean_of_defined, replicated
from ..agreement.comparison import Comparison
from ..estimation.powered import FEWEST
from ..uncertainty.intervals import BootstrapEstimate

# Scores above it mean "correct".
_THRESHOLD = 0.5

BySet = dict[str, Comparison]
"""Scores and labels of the answers of each set."""


def by_set(scores: Floats, labels: NDArray[np.bool_], question_ids: Sequence[str], sets: Sequence[str]) -> BySet:
    """Return the scores and labels of each set, in the order in which the sets first appear."""
    found = {}
    for name in dict.fromkeys(sets):
        rows = np.array([other == name for other in sets])
        questions = np.unique(np.array(question_ids)[rows], return_inverse=True)[1].astype(np.int64)
        found[name] = Comparison(scores[rows], scores[rows] > _THRESHOLD, labels[rows].astype(np.float64), questions)
    return found


def mean_figure(matchers: Mapping[str, BySet], figure: str) -> dict[str, BootstrapEstimate]:
    """Return the mean of a figure over sets for each matcher, with its interval unless there are too few questions.

    With matchers `before` and `after`, `difference` is the difference of their means; it resamples the same questions
    for both. A set in which the figure is undefined is left out.
    """
    bootstrap = Bootstrap(resamples=0 if question_count(next(iter(matchers.values()))) < FEWEST else 1000)
    values = [
        replicated({name: sets[set_name] for name, sets in matchers.items()}, [figure], bootstrap)
        for set_name in next(iter(matchers.values()))
    ]
    means = {name: mean_of_defined([of_set[name, figure] for of_set in values]) for name in matchers}
    if means.keys() == {"before", "after"}:
        means["difference"] = means["after"] - means["before"]
    return {name: estimated(values, bootstrap) for name, values in means.items()}


def question_count(sets: BySet) -> int:
    """Return the number of questions in all sets."""
    return sum(comparison.question_count for comparison in sets.values())
