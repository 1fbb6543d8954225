"""What `evaluate-qa cascade` reads: a metric's scores, human labels, a judge's verdicts and tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..estimation.arguments import RoleColumns as Names
from ..estimation.joining import LABELS, numbers, verdicts
from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from .curve import LabeledScores

VERDICTS = ("judge_verdict", "judge")
TOKENS = ("tokens_in", "tokens_out")


@dataclass(frozen=True)
class Read:
    """Labelled rows, and what became of the others.

    Attributes:
        rows: Those with a score and a label.
        unlabelled: How many have no label.
        unscored: How many have a label, but no score.
        tokens: Mean tokens of a request and of a reply, over the rows that tell; None if none does.
        columns: What was read from which column.
    """

    rows: LabeledScores
    unlabelled: int
    unscored: int
    tokens: tuple[float, float] | None
    columns: dict[str, str]


def read(source: str, names: Names, threshold: float) -> Read:
    """Read labelled rows.

    Args:
        source: The file.
        names: Its columns.
        threshold: Score from which the metric calls an answer correct.

    Raises:
        RowsError: a column is missing, or a value is not what it should be; or no row has a score and a label.
    """
    of_judge = [f"judge_{name}" for name in TOKENS]
    wanted = [names.score, names.label, *LABELS, names.judge, *VERDICTS, *of_judge, *TOKENS]
    file = read_columns(source, [name for name in wanted if name is not None])
    label = names.label or file.first_of(LABELS) or LABELS[0]
    judge = names.judge or file.first_of(VERDICTS)
    labels = _whole(file, label)
    scores = numbers(file, names.score, "name the metric's probability with --column score=NAME", 0, 1)
    judged = np.full(len(file), np.nan) if judge is None else _whole(file, judge)
    there = ~np.isnan(labels) & ~np.isnan(scores)
    if not there.any():
        raise RowsError(f"{source}: no row has both a score and a label. Label some of the scored rows.")
    columns = {"score": names.score, "label": label, "judge": judge}
    return Read(
        rows=LabeledScores(scores[there], labels[there] == 1, judged[there], threshold),
        unlabelled=int(np.isnan(labels).sum()),
        unscored=int((np.isnan(scores) & ~np.isnan(labels)).sum()),
        tokens=_mean_tokens(file, of_judge) or _mean_tokens(file, TOKENS),
        columns={kind: name for kind, name in columns.items() if name is not None},
    )


def _whole(file: Columns, name: str) -> Any:
    """Return verdicts, of people or of the model: 1, 0 or NaN."""
    found = verdicts(file, name)
    between = (found > 0) & (found < 1)
    if between.any():
        row = int(between.argmax())
        raise RowsError(
            f"{file.place(row)}: the column {name!r} is {file.values[name][row]!r}; expected a verdict: 1 or 0, true "
            "or false, right or wrong, or nothing"
        )
    return found


def _mean_tokens(file: Columns, names: Sequence[str]) -> tuple[float, float] | None:
    """Return the means of two columns over the rows that were asked about, whose requests have tokens."""
    if any(name not in file.present for name in names):
        return None
    sent, received = (numbers(file, name, "how many tokens there were", 0) for name in names)
    told = (sent > 0) & ~np.isnan(received)
    return (float(sent[told].mean()), float(received[told].mean())) if told.any() else None
