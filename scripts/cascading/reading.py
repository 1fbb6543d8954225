"""Read a metric's scores, human labels and a judge's verdicts and tokens for `evaluate-qa cascade`."""

from dataclasses import dataclass

import numpy as np

from ..estimation.arguments import Names
from ..estimation.joining import LABELS, numbers, whole_verdicts
from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from .curve import LabeledScores

_VERDICTS = ("judge_verdict", "judge")
_TOKENS = "judge_tokens_in", "judge_tokens_out"


@dataclass(frozen=True)
class Read:
    """Rows with a score and a label, and the number of dropped rows.

    `unscored` counts only rows with a label. `tokens` are the means per request and per reply; None if unknown.
    """

    rows: LabeledScores
    unlabeled: int
    unscored: int
    tokens: tuple[float, float] | None
    columns: dict[str, str]


def read(source: str, names: Names, threshold: float) -> Read:
    """Read labeled rows; raise RowsError for an invalid value, or if no row has both a score and a label."""
    wanted = [names.score, names.label, *LABELS, names.judge, *_VERDICTS, *_TOKENS]
    file = read_columns(source, [name for name in wanted if name is not None])
    label = names.label or file.first_of(LABELS) or LABELS[0]
    judge = names.judge or file.first_of(_VERDICTS)
    labels = whole_verdicts(file, label)
    scores = numbers(file, names.score, "Name the metric's probability with --column score=NAME.", 0, 1)
    judged = np.full(len(file), np.nan) if judge is None else whole_verdicts(file, judge)
    there = ~np.isnan(labels) & ~np.isnan(scores)
    if not there.any():
        raise RowsError(f"{source}: no row has both a score and a label. Label some of the scored rows.")
    columns = {"score": names.score, "label": label, "judge": judge}
    return Read(
        rows=LabeledScores(scores[there], labels[there] == 1, judged[there], threshold),
        unlabeled=int(np.isnan(labels).sum()),
        unscored=int((np.isnan(scores) & ~np.isnan(labels)).sum()),
        tokens=_mean_tokens(file),
        columns={kind: name for kind, name in columns.items() if name is not None},
    )


def _mean_tokens(file: Columns) -> tuple[float, float] | None:
    """Return the means of both columns of tokens over the rows with a request."""
    if any(name not in file.present for name in _TOKENS):
        return None
    sent, received = (numbers(file, name, "The column must hold numbers of tokens.", 0) for name in _TOKENS)
    asked = (sent > 0) & ~np.isnan(received)
    return (float(sent[asked].mean()), float(received[asked].mean())) if asked.any() else None
