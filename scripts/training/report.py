"""What `evaluate-qa fit` prints: figures with their intervals, before and after."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..estimation.powered import FEWEST
from ..uncertainty.intervals import BootstrapEstimate, mean
from .figures import BySet, mean_figure
from .sources import LabeledSet

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = {"mcc": "MCC", "auc": "AUC", "accuracy": "accuracy", "calibration_error": "calibration error"}


def with_interval(found: BootstrapEstimate) -> str:
    """Return a figure with its interval, such as `0.512 [0.401, 0.620]`.

    There is no interval for few questions, nor if all resamples have the same figure.
    """
    if found.value is None:
        return "–"
    if found.low is None or found.high is None or found.low == found.high:
        return f"{found.value:.3f} (no interval)"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def too_few(sets: Sequence[LabeledSet]) -> list[str]:
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
    from rich.table import Table

    grid = Table(title=title, title_justify="left")
    for heading in ("set", "matcher", "answers", "correct", *_COLUMNS.values()):
        grid.add_column(heading, justify="left" if heading in ("set", "matcher") else "right")
    for set_name in next(iter(matchers.values())):
        for name, sets in matchers.items():
            found = sets[set_name]
            figures = {figure: mean_figure({"": {set_name: found}}, figure)[""] for figure in _COLUMNS}
            # Unlike a bootstrap's, this interval exists for few answers, and for answers that are all judged right.
            accuracy = mean((found.verdicts == (found.labels == 1)).astype(np.float64), found.questions)
            figures["accuracy"] = BootstrapEstimate(accuracy.value, accuracy.low, accuracy.high)
            cells = f"{len(found.scores):,}", f"{found.labels.mean():.2f}", *map(with_interval, figures.values())
            grid.add_row(set_name, name, *cells)
    return grid


def gain(matchers: Mapping[str, BySet]) -> str:
    """Return the mean MCC over sets of each matcher, and the difference, in a line."""
    found = mean_figure(matchers, "mcc")
    return "mean MCC: " + ", ".join(f"{name} {with_interval(one)}" for name, one in found.items())
