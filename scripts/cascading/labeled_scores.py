"""Read a metric's scores, human labels and a judge's verdicts and tokens for `evaluate-qa cascade`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..files.column_names import names_of
from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from ..joining.column_roles import ColumnNames
from ..joining.labels import LABELS, cluster_column, clusters_of, label_column, parse_binary_verdicts, parse_numbers
from ..joining.signatures import column_beside
from ..uncertainty.arrays import Bools, Floats, cluster_codes

_VERDICTS = ("judge_verdict", "judge")
_TOKENS = "judge_tokens_in", "judge_tokens_out"


@dataclass(frozen=True)
class LabeledScores:
    """Rows with a score and a person's label; every array has shape (rows,)."""

    scores: Floats  # the metric's scores, from 0 to 1
    labels: Bools  # True where people call the answer correct
    judged: Floats  # the judge's verdicts as 1 and 0, NaN where unknown
    threshold: float = 0.5  # the metric calls answers with at least this score correct
    unlabeled: int = 0  # number of rows of the file without a label
    unscored: int = 0  # number of rows of the file with a label, but without a score
    tokens: tuple[float, float] | None = None  # mean tokens of a request to the judge and of a reply; None if unknown
    columns: Mapping[str, str] = field(default_factory=dict)  # the column that each kind of value was read from
    tested: Bools | None = None  # True for the rows that find the band, one random row of each cluster; None for all


def read_labeled_scores(source: str, names: ColumnNames, threshold: float | None) -> LabeledScores:
    """Read labeled rows; without a threshold, find the one of the metric's verdicts.

    Raise RowsError for an invalid value, or if no threshold gives the verdicts, or no row has both a score and a label.
    """
    verdict = names.verdict or column_beside(names.score, "verdict")
    wanted = [names.score, verdict, names.label, *LABELS, names.judge, *_VERDICTS, *_TOKENS, names.cluster]
    file = read_columns(source, [name for name in (*wanted, *names_of("questions")) if name is not None])
    label = names.label or label_column(file.present)
    judge = names.judge or file.first_of(_VERDICTS)
    labels = parse_binary_verdicts(file, label)
    scores = parse_numbers(file, names.score, "Name the metric's probability with --column score=NAME.", 0, 1)
    threshold = verdict_threshold(file, verdict, scores) if threshold is None else threshold
    if threshold is None:
        raise RowsError(
            f"{source}: no score separates the right and wrong answers in the column {verdict!r}. Give --threshold to "
            "use the scores alone."
        )
    judged = np.full(len(file), np.nan) if judge is None else parse_binary_verdicts(file, judge)
    there = ~np.isnan(labels) & ~np.isnan(scores)
    if not there.any():
        raise RowsError(f"{source}: no row has both a score and a label. Label some of the scored rows.")
    clusters = clusters_of(file, names, np.flatnonzero(there))
    columns = {"score": names.score, "label": label, "judge": judge, "cluster": cluster_column(file, names)}
    return LabeledScores(
        scores=scores[there],
        labels=labels[there] == 1,
        judged=judged[there],
        threshold=threshold,
        unlabeled=int(np.isnan(labels).sum()),
        unscored=int((np.isnan(scores) & ~np.isnan(labels)).sum()),
        tokens=_mean_tokens(file),
        columns={kind: name for kind, name in columns.items() if name is not None},
        tested=None if clusters is None else _one_row_per_cluster(clusters),
    )


def verdict_threshold(file: Columns, verdict: str, scores: Floats) -> float | None:
    """Return the lowest score of a right answer: 0.5 if it gives the verdicts in a column, or a score that does.

    Return 0.5 if the file lacks the column, and None if no threshold gives the verdicts.
    """
    if verdict not in file.present:
        return 0.5
    verdicts = np.where(np.isnan(scores), np.nan, parse_binary_verdicts(file, verdict))
    wrong, right = scores[verdicts == 0].max(initial=0.0), scores[verdicts == 1].min(initial=1.0)
    return None if wrong >= right else 0.5 if wrong < 0.5 <= right else float(wrong + right) / 2  # noqa: PLR2004


def _one_row_per_cluster(clusters: Sequence[str]) -> Bools:
    """Return True for one random row of each cluster; every call returns the same rows."""
    order = np.random.default_rng(0).permutation(len(clusters))
    _, first = np.unique(cluster_codes(clusters, len(clusters))[order], return_index=True)
    chosen = np.zeros(len(clusters), dtype=bool)
    chosen[order[first]] = True
    return chosen


def _mean_tokens(file: Columns) -> tuple[float, float] | None:
    """Return the means of both columns of tokens over the rows with a request."""
    if any(name not in file.present for name in _TOKENS):
        return None
    sent, received = (parse_numbers(file, name, "The column must hold numbers of tokens.", 0) for name in _TOKENS)
    asked = (sent > 0) & ~np.isnan(received)
    return (float(sent[asked].mean()), float(received[asked].mean())) if asked.any() else None
