"""Join scored rows with the labels of some of them."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.messages import pluralize

from ..files.column_names import first_present, names_of
from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from ..uncertainty.arrays import Bools, Floats
from .column_roles import ColumnNames
from .keys import ID, describe_key, index_rows, key_names, normalize_spaces, require_same_texts
from .signatures import column_beside

Places = NDArray[np.intp]

LABELS = ("label", "correct")
WEIGHT = "weight"
_TEXTS = ("questions", "predictions")
_WORDS = dict.fromkeys(("true", "yes", "right", "correct"), 1.0) | dict.fromkeys(
    ("false", "no", "wrong", "incorrect"), 0.0
)
_UNLABELED = ("", "skip")


@dataclass(frozen=True)
class JoinedRows:
    """Rows with a score, and the labels of some of them."""

    rows: Places  # their places in the file
    scores: Floats
    labels: Floats  # NaN for rows without a label
    # 1 / probability that the row was drawn, for rows with a label; None if there are no weights.
    weights: Floats | None
    clusters: list[str] | None  # None if each row stands alone
    groups: list[str] | None  # None if there are no groups
    unscored: int  # number of rows without a score, which are left out
    unlabeled: int  # number of rows in the file of labels that have no label
    columns: dict[str, str]  # the column that each kind of value was read from


def read_scored(source: str, names: ColumnNames) -> Columns:
    """Read the needed columns of the scored rows."""
    return _read(source, [names.score, column_beside(names.score, "signature"), names.cluster, names.group, *names.id])


def read_labels(source: str, names: ColumnNames) -> Columns:
    """Read the needed columns of the labels."""
    return _read(source, [names.label, *LABELS, names.weight, WEIGHT, *names.id])


def _read(source: str, names: Sequence[str | None]) -> Columns:
    texts = [name for column in _TEXTS for name in names_of(column)]
    return read_columns(source, [name for name in dict.fromkeys((*names, ID, *texts)) if name is not None])


def join(scored: Columns, labeled: Columns, names: ColumnNames) -> JoinedRows:
    """Return the rows with a score, and the labels of those that have one.

    Raise RowsError if rows cannot be identified, a label belongs to no scored row, two labels belong to one row, or a
    label, score or weight is invalid.
    """
    scores = parse_probabilities(scored, names.score)
    label = names.label or label_column(labeled.present)
    weight = names.weight or labeled.first_of([WEIGHT])
    marks = parse_verdicts(labeled, label)
    known = np.flatnonzero(~np.isnan(marks))
    at = _find_scored_rows(scored, labeled, names.id, known)
    there = np.flatnonzero(~np.isnan(scores))
    columns = {"scores": names.score, "labels": label, "weights": weight, "clusters": cluster_column(scored, names)}
    columns["groups"] = names.group

    def at_scored_rows(values: Floats) -> Floats:
        every = np.full(len(scored), np.nan)
        every[at] = values[known]
        return every[there]

    return JoinedRows(
        rows=there,
        scores=scores[there],
        labels=at_scored_rows(marks),
        weights=None if weight is None else at_scored_rows(_weights(labeled, weight, ~np.isnan(marks))),
        clusters=clusters_of(scored, names, there),
        groups=None if names.group is None else groups_of(scored, names.group, there),
        unscored=len(scored) - len(there),
        unlabeled=len(marks) - len(known),
        columns={kind: name for kind, name in columns.items() if name is not None},
    )


def label_column(present: Collection[str]) -> str:
    """Return the column of people's labels, by default `label`."""
    return first_present(LABELS, present) or LABELS[0]


def parse_probabilities(file: Columns, name: str) -> Floats:
    """Return a column of scores from 0 to 1, or of verdicts as True and False; NaN where it is empty."""
    fix = "Name a column with such values, such as the verdict, with --column score=NAME."
    return parse_numbers(file, name, fix, 0, 1)


def parse_numbers(file: Columns, name: str, fix: str, low: float = -math.inf, high: float = math.inf) -> Floats:
    """Return a column of finite numbers; NaN where it is empty. Raise RowsError for any other value, also for NaN."""
    values = file.named(name)
    missing = np.array([value is None or value == "" for value in values], dtype=bool)
    found = np.array([_number(value) for value in values])
    limits = f" from {low:g} to {high:g}" if low > -math.inf else ""
    right = np.isfinite(found) & (found >= low) & (found <= high)
    file.require(name, right | missing, f"a number{limits}. {fix}")
    return np.where(missing, np.nan, found)


def _number(value: Any) -> float:
    """Return a number; 1 and 0 for True and False as text, and NaN for anything else."""
    try:
        return float(value) if isinstance(value, (int, float, str)) else math.nan
    except OverflowError:
        return math.nan
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(value.strip().lower(), math.nan)


def parse_verdicts(file: Columns, name: str) -> Floats:
    """Return a column of verdicts or labels from 0 to 1; NaN for rows without one. Raise RowsError for other values."""
    values = file.named(name, " Use --column label=NAME to read another column." if name == LABELS[0] else "")
    marks = np.array(list(map(parse_label, values)), dtype=np.float64)
    right = (marks >= 0) & (marks <= 1) | ~np.array(list(map(is_labeled, values)), dtype=bool)
    file.require(name, right, "1 or 0, true or false, right or wrong, a number between 0 and 1, or skip or nothing")
    return marks


def parse_binary_verdicts(file: Columns, name: str) -> Floats:
    """Return a column of verdicts as 1, 0 or NaN; raise RowsError for other values."""
    marks = parse_verdicts(file, name)
    is_whole = np.isnan(marks) | np.isin(marks, (0, 1))
    file.require(name, is_whole, "a verdict: 1 or 0, true or false, right or wrong, or nothing")
    return marks


def is_labeled(value: Any) -> bool:
    """Return False for no label: an empty cell or the word skip."""
    return normalize_spaces(value).lower() not in _UNLABELED


def parse_label(value: Any) -> float:
    """Return a label or verdict as a number, 1 for right; NaN for no label and for other values."""
    word = normalize_spaces(value).lower()
    return _WORDS[word] if word in _WORDS else _number(word)


def _weights(labeled: Columns, name: str, is_labeled: Bools) -> Floats:
    fix = "1 / probability that the row was drawn"
    weights = parse_numbers(labeled, name, fix)
    labeled.require(name, (weights > 0) | ~is_labeled, f"a number above 0: {fix}")
    return weights


def _find_scored_rows(scored: Columns, labeled: Columns, identity: Sequence[str], known: Places) -> list[int]:
    """Return the scored row that each labeled row belongs to."""
    of_scored, of_labeled = key_names([scored, labeled], identity, _TEXTS)
    index = index_rows(scored, of_scored)
    label_keys = list(index_rows(labeled, of_labeled))
    for row in known.tolist():
        if label_keys[row] not in index:
            raise RowsError(
                f"{labeled.place(row)}: {describe_key(of_labeled, label_keys[row])} is not in {scored.source}. Score "
                "all rows that labels were drawn from, or drop this row."
            )
    at = [index[label_keys[row]] for row in known.tolist()]
    pairs = zip(known.tolist(), at, strict=True)
    require_same_texts("predictions", labeled, scored, pairs, "Label the answers that were scored.")
    return at


def cluster_column(file: Columns, names: ColumnNames) -> str | None:
    """Return the column that groups related rows; by default the column of questions, if there is one."""
    return names.cluster or file.first_of(names_of("questions"))


def clusters_of(file: Columns, names: ColumnNames, rows: Places) -> list[str] | None:
    """Return the cluster of each row, an own one if the column is empty; None if there is no column for it."""
    column = cluster_column(file, names)
    if column is None:
        return None
    values = file.named(column)
    return [normalize_spaces(values[row]) or f"\0{row}" for row in rows.tolist()]


def cluster_notes(column: str | None, clusters: int | None, rows: int) -> Iterator[str]:
    """Yield a note if fewer clusters than rows have been counted; None if rows stand alone."""
    if clusters is not None and clusters < rows:
        yield f"Rows with the same {column} are treated as one group ({pluralize(clusters, 'group')})."


def groups_of(file: Columns, name: str, rows: Places) -> list[str]:
    """Return the values of a column at some rows as text; rows without a value are the group `(none)`."""
    values = file.named(name)
    return [normalize_spaces(values[row]) or "(none)" for row in rows.tolist()]
