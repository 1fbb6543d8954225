"""Scored rows and the labels of some of them, joined: what `estimate` takes."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from .keys import ID, either, key_names, keys, places, plain, told
from .signatures import signature_column

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

LABELS = ("label", "correct")
WEIGHT = "weight"
_TEXTS = ("question", "prediction")
_WORDS = dict.fromkeys(("true", "yes", "right", "correct"), 1.0) | dict.fromkeys(
    ("false", "no", "wrong", "incorrect"), 0.0
)
_NOT_LABELLED = ("", "skip")
_MOST = sys.float_info.max


@dataclass(frozen=True)
class Names:
    """Columns, as the user names them; None and () for those that are found by their usual names.

    Attributes:
        score: Scores, of the scored rows.
        identity: What identifies a row.
        label: Labels.
        weight: One over the probability with which a row was drawn, of the labels' file.
        cluster: What rows that belong together have in common.
        group: What groups are made by.
    """

    score: str = "score"
    identity: Sequence[str] = ()
    label: str | None = None
    weight: str | None = None
    cluster: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class Joined:
    """Rows with a score, as `powered.estimate` takes them, and what became of the others.

    Attributes:
        rows: Their places in the file.
        unscored: How many rows have no score, and are left out.
        unlabelled: How many rows of the labels' file have no label.
        columns: What was read from which column.
    """

    rows: Places
    scores: Floats
    labels: Floats
    weights: Floats | None
    clusters: list[str] | None
    groups: list[str] | None
    unscored: int
    unlabelled: int
    columns: dict[str, str]


def read_scored(source: str, names: Names) -> Columns:
    """Read what is needed of the scored rows."""
    wanted = [names.score, signature_column(names.score), ID, *names.identity, names.cluster, names.group]
    return read_columns(source, _all(wanted))


def read_labels(source: str, names: Names) -> Columns:
    """Read what is needed of the labels."""
    wanted = [names.label, *LABELS, names.weight, WEIGHT, ID, *names.identity]
    return read_columns(source, _all(wanted))


def _all(names: Sequence[str | None]) -> list[str]:
    texts = [name for text in _TEXTS for name in either(text)]
    return list(dict.fromkeys(name for name in (*names, *texts) if name is not None))


def join(scored: Columns, labelled: Columns, names: Names) -> Joined:
    """Return the rows with a score, and the labels of those that have one.

    Raises:
        RowsError: nothing identifies rows, a label is of no scored row or two are of one, or a label, score or weight
            is not what it should be.
    """
    scores = probabilities(scored, names.score)
    label = names.label or labelled.first_of(LABELS) or LABELS[0]
    weight = names.weight or labelled.first_of([WEIGHT])
    cluster = cluster_column(scored, names)
    marks = verdicts(labelled, label)
    rows = _rows(scored, labelled, names.identity, np.flatnonzero(~np.isnan(marks)))
    there = np.flatnonzero(~np.isnan(scores))
    columns = {"scores": names.score, "labels": label, "weights": weight, "clusters": cluster, "groups": names.group}
    return Joined(
        rows=there,
        scores=scores[there],
        labels=_spread(marks, rows, len(scored))[there],
        weights=None if weight is None else _spread(_weights(labelled, weight, marks), rows, len(scored))[there],
        clusters=clusters_of(scored, names, there),
        groups=None if names.group is None else texts_of(scored, names.group, there),
        unscored=len(scored) - len(there),
        unlabelled=int(np.isnan(marks).sum()),
        columns={kind: name for kind, name in columns.items() if name is not None},
    )


def probabilities(file: Columns, name: str) -> Floats:
    """Return a column of scores from 0 to 1, or of verdicts as True and False, NaN where a row has none.

    Raises:
        RowsError: a value is anything else.
    """
    return numbers(file, name, "name a column with such values, such as the verdict, with --column score=NAME", 0, 1)


def numbers(file: Columns, name: str, cure: str, low: float = -_MOST, high: float = _MOST) -> Floats:
    """Return a column of numbers, NaN where a row has none; raises RowsError for anything else, and for NaN itself."""
    values = file.named(name)
    missing = np.array([value is None or value == "" for value in values], dtype=bool)
    found = np.array([_number(value) for value in values])
    wrong = ~((found >= low) & (found <= high)) & ~missing
    if wrong.any():
        row = int(wrong.argmax())
        least = f" from {low:g}" if low > -_MOST else ""
        most = f" to {high:g}" if high < _MOST else " on" * (low > -_MOST)
        raise RowsError(
            f"{file.place(row)}: the column {name!r} is {file.values[name][row]!r}; expected a number{least}{most}: "
            f"{cure}"
        )
    return np.where(missing, np.nan, found)


def _number(value: Any) -> float:
    """Return a number, of True and False as text 1 and 0; NaN for what is none."""
    try:
        return float(value) if isinstance(value, (int, float, str)) else math.nan
    except OverflowError:
        return math.nan
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(value.strip().lower(), math.nan)


def verdicts(file: Columns, name: str) -> Floats:
    """Return a column of verdicts as 1, 0 and what is between, NaN for rows that have none (yet)."""
    marks = np.full(len(file), np.nan)
    for row, value in enumerate(file.named(name)):
        if isinstance(value, bool):
            marks[row] = value
            continue
        word = plain(value).lower()
        if word in _NOT_LABELLED:
            continue
        marks[row] = _WORDS[word] if word in _WORDS else _number(word)
        if not 0 <= marks[row] <= 1:
            raise RowsError(
                f"{file.place(row)}: the column {name!r} is {value!r}; expected 1 or 0, true or false, right or "
                "wrong, a number between, or nothing for no label"
            )
    return marks


def _weights(labelled: Columns, name: str, marks: Floats) -> Floats:
    weights = numbers(labelled, name, "one over the probability with which the row was drawn", 0)
    wrong = ~np.isnan(marks) & ~(weights > 0)
    if wrong.any():
        raise RowsError(
            f"{labelled.place(int(wrong.argmax()))}: a label without a weight in the column {name!r}; give each one "
            "over the probability with which its row was drawn"
        )
    return weights


def _spread(values: Floats, rows: Mapping[int, int], count: int) -> Floats:
    """Return the values of the labels' rows at the scored rows that they are of, NaN elsewhere."""
    spread = np.full(count, np.nan)
    spread[list(rows.values())] = values[list(rows)]
    return spread


def _rows(scored: Columns, labelled: Columns, identity: Sequence[str], chosen: Places) -> dict[int, int]:
    """Return, by the labels' rows, the scored rows that they are of."""
    of_scored, of_labelled = key_names([scored, labelled], identity, _TEXTS)
    index = places(scored, keys(scored, of_scored), of_scored)
    label_keys = keys(labelled, of_labelled)
    places(labelled, label_keys, of_labelled)
    rows = {}
    for row in chosen.tolist():
        key = label_keys[row]
        if key not in index:
            raise RowsError(
                f"{labelled.place(row)}: {told(of_labelled, key)} is no row of {scored.source}; labels must be of "
                "scored rows: score all rows that labels were drawn from, or drop this one"
            )
        rows[row] = index[key]
    _require_same_answers(scored, labelled, rows)
    return rows


def _require_same_answers(scored: Columns, labelled: Columns, rows: Mapping[int, int]) -> None:
    """Raise RowsError if a label is of another answer than the one that was scored under its id."""
    names = [file.first_of(either("prediction")) for file in (scored, labelled)]
    if None in names:
        return
    answers, judged = (file.values[str(name)] for file, name in zip((scored, labelled), names, strict=True))
    for row, at in rows.items():
        if plain(judged[row]) != plain(answers[at]):
            raise RowsError(
                f"{labelled.place(row)}: the label is of the answer {plain(judged[row])[:60]!r}, but the one in "
                f"{scored.place(at)} is {plain(answers[at])[:60]!r}. Label the answers that were scored."
            )


def cluster_column(file: Columns, names: Names) -> str | None:
    """Return the column that tells which rows belong together: by default that of questions, if there is one."""
    return names.cluster or file.first_of(either("question"))


def clusters_of(file: Columns, names: Names, rows: Places) -> list[str] | None:
    """Return what rows that belong together have in common, None if nothing does.

    A row without a question, where these are taken by default, stands alone.
    """
    column = cluster_column(file, names)
    if column is None or names.cluster is not None:
        return None if column is None else texts_of(file, column, rows)
    values = file.named(column)
    return [plain(values[row]) or f"\0{row}" for row in rows.tolist()]


def texts_of(file: Columns, name: str, rows: Places) -> list[str]:
    """Return the texts of a column at some rows; raises RowsError where there is none."""
    values = file.named(name)
    column = [plain(values[row]) for row in rows.tolist()]
    if "" in column:
        raise RowsError(f"{file.place(int(rows[column.index('')]))}: there is nothing in the column {name!r}")
    return column
