"""Scored rows of several systems, joined: the same rows of each, in one order."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..files.columns import Columns, read_columns
from ..files.rows import Row, RowsError
from .joining import Floats, Joined, Names, Places, cluster_column, clusters_of, join, numbers, read_labels, verdicts
from .keys import ID, Key, either, key_names, keys, places, plain, told
from .powered import Estimates, estimate
from .signatures import signature_column

VERDICT = "verdict"


@dataclass(frozen=True)
class Systems:
    """Scored rows of several systems.

    Attributes:
        files: What was read of each, by the system's name; the first is the baseline.
        keys: The columns of the baseline that say which row is which.
        rows: For each system the places of its rows, in the baseline's order, those without a score left out.
        scores: For each system the score of each of these rows.
        verdicts: The same of verdicts, if every file has them.
        clusters: What the rows of a cluster have in common; None if each row stands alone.
        cluster_column: Where that was read.
        unscored: How many rows lack a score, or a verdict, of some system, and are left out.
        lacking: How many of these each system lacks.
    """

    files: dict[str, Columns]
    keys: list[str]
    rows: dict[str, Places]
    scores: dict[str, Floats]
    verdicts: dict[str, Floats] | None
    clusters: list[str] | None
    cluster_column: str | None
    unscored: int
    lacking: dict[str, int]


def read_systems(sources: Sequence[str], names: Names, verdict: str | None, more: Sequence[str]) -> dict[str, Columns]:
    """Read what is needed of each system's rows, by its name: the file's, or its path where names are the same."""
    signature = signature_column(names.score)
    wanted = [
        names.score,
        signature,
        verdict or VERDICT,
        ID,
        *names.identity,
        names.cluster,
        *either("question"),
        *more,
    ]
    own = [_readable(Path(source).stem) for source in sources]
    stems = Counter(own)
    titles = [stem if stems[stem] == 1 else _readable(source) for stem, source in zip(own, sources, strict=True)]
    if len(set(titles)) < len(titles):
        raise RowsError(f"{Counter(titles).most_common(1)[0][0]} was given twice. Give each system once.")
    columns = [name for name in wanted if name is not None]
    return {title: read_columns(source, columns) for title, source in zip(titles, sources, strict=True)}


def _readable(name: str) -> str:
    """Return the name of a file with � for bytes that are not UTF-8, which no output could hold."""
    return os.fsencode(name).decode("utf-8", "replace")


def join_systems(files: dict[str, Columns], names: Names, verdict: str | None) -> Systems:
    """Return the rows of all systems in the order of the first.

    Raises:
        RowsError: nothing identifies rows, the sets differ, or a score or verdict is none.
    """
    baseline, *others = files.values()
    identity = key_names(list(files.values()), names.identity, ("question",))
    first_keys = keys(baseline, identity[0])
    index = places(baseline, first_keys, identity[0])
    rows = [np.arange(len(baseline))]
    for file, columns in zip(others, identity[1:], strict=True):
        rows.append(_aligned(baseline, index, file, columns))
        _require_same_questions(baseline, file, rows[-1])
    judged = verdict or (VERDICT if all(VERDICT in file.present for file in files.values()) else None)
    scores = [
        numbers(file, names.score, "name another column with --column score=NAME")[at]
        for file, at in zip(files.values(), rows, strict=True)
    ]
    marks = [_verdicts(file, judged)[at] for file, at in zip(files.values(), rows, strict=True)] if judged else []
    lacking = [np.isnan(of_one).any(axis=0) for of_one in zip(scores, *([marks] if judged else []), strict=True)]
    there = np.flatnonzero(~np.any(lacking, axis=0))
    if not len(there):
        raise RowsError(f"{baseline.source}: no row has a score from every system. Score the same rows with each.")
    return Systems(
        files=files,
        keys=identity[0],
        rows={name: at[there] for name, at in zip(files, rows, strict=True)},
        scores={name: values[there] for name, values in zip(files, scores, strict=True)},
        verdicts={name: values[there] for name, values in zip(files, marks, strict=True)} if judged else None,
        clusters=clusters_of(baseline, names, there),
        cluster_column=cluster_column(baseline, names),
        unscored=len(baseline) - len(there),
        lacking={name: int(gone.sum()) for name, gone in zip(files, lacking, strict=True)},
    )


def _aligned(baseline: Columns, index: dict[Key, int], file: Columns, columns: Sequence[str]) -> Places:
    """Return the places of a file's rows in the order of the baseline's."""
    found = keys(file, columns)
    own = places(file, found, columns)
    extra = [row for row, key in enumerate(found) if key not in index]
    lacking = [key for key in index if key not in own]
    cure = "compare the same rows: score the ones that are missing, or drop the others"
    if extra:
        raise RowsError(
            f"{file.place(extra[0])}: {told(columns, found[extra[0]])} is no row of {baseline.source} ({len(extra):,} "
            f"such rows, and {len(lacking):,} of {baseline.source} are not here); {cure}"
        )
    if lacking:
        raise RowsError(
            f"{file.source} lacks {len(lacking):,} rows of {baseline.source}, the first of them in "
            f"{baseline.place(index[lacking[0]])}: {told(columns, lacking[0])}; {cure}"
        )
    return np.fromiter((own[key] for key in index), np.intp, len(index))


def _require_same_questions(baseline: Columns, file: Columns, rows: Places) -> None:
    """Raise RowsError if rows of one id are of two questions, as when ids are only the numbers of lines."""
    names = baseline.first_of(either("question")), file.first_of(either("question"))
    if names[0] is None or names[1] is None:
        return
    asked, others = baseline.values[names[0]], file.values[names[1]]
    for first, row in enumerate(rows.tolist()):
        if asked[first] != others[row] and plain(asked[first]) != plain(others[row]):
            raise RowsError(
                f"{file.place(row)}: the question is {plain(others[row])[:60]!r}, but that of the same row in "
                f"{baseline.place(first)} is {plain(asked[first])[:60]!r}. Name the columns that identify a row with "
                "--column id=NAME."
            )


def _verdicts(file: Columns, name: str) -> Floats:
    marks = verdicts(file, name)
    wrong = ~np.isnan(marks) & ~np.isin(marks, (0, 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowsError(f"{file.place(row)}: the column {name!r} is {file.values[name][row]!r}; expected true or false")
    return marks


def join_labels(systems: Systems, labels: Sequence[str], names: Names) -> list[Joined]:
    """Return the rows of each system with the labels of its answers, from a file for each, in their order."""
    if len(labels) != len(systems.files):
        times = "once" if len(labels) == 1 else f"{len(labels)} times"
        raise ValueError(
            f"--labels was given {times}. Give one label file for each system, in order: {', '.join(systems.files)}."
        )
    names = replace(names, cluster=systems.cluster_column or systems.keys[0])
    files = zip(systems.files.values(), labels, strict=True)
    return [join(file, read_labels(source, names), names) for file, source in files]


def powered_differences(systems: Systems, joined: Sequence[Joined], confidence: float) -> Estimates:
    """Return the accuracy of each system by the labels of some of its rows, and its difference from the baseline's."""
    baseline, *others = systems.files
    return estimate(
        np.concatenate([one.scores for one in joined]),
        np.concatenate([one.labels for one in joined]),
        weights=np.concatenate([_weights(one) for one in joined]),
        clusters=[cluster for one in joined for cluster in one.clusters or ()],
        groups=[name for name, one in zip(systems.files, joined, strict=True) for _ in one.scores],
        differences=[(other, baseline) for other in others],
        confidence=confidence,
    )


def _weights(joined: Joined) -> Floats:
    """Return weights with which the labels of a system stand for all of its rows, however many others' do."""
    weights = np.ones_like(joined.scores) if joined.weights is None else joined.weights
    factor: float = len(weights) / (weights[~np.isnan(joined.labels)].sum() or 1)
    return factor * weights


def changed_rows(systems: Systems) -> Iterator[Row]:
    """Yield the rows whose verdict changed, or else whose score did, the greatest changes of a system first."""
    baseline, *others = systems.files
    for system in others:
        change = systems.scores[system] - systems.scores[baseline]
        turned = change if systems.verdicts is None else systems.verdicts[system] - systems.verdicts[baseline]
        rows = np.flatnonzero(turned)
        yield from _changed(systems, baseline, system, rows[np.argsort(-np.abs(change[rows]), kind="stable")], turned)


def _changed(systems: Systems, baseline: str, system: str, rows: Places, turned: Floats) -> Iterator[Row]:
    before, after = systems.files[baseline], systems.files[system]
    asked = dict.fromkeys([*systems.keys, *either("question"), *either("reference")])
    columns = [(name, before.values[name]) for name in asked if name in before.values]
    answers, replies = (_column(file, "prediction") for file in (before, after))
    for row in rows.tolist():
        at, now = int(systems.rows[baseline][row]), int(systems.rows[system][row])
        yield {
            **{name: column[at] for name, column in columns},
            "baseline": baseline,
            "system": system,
            "change": "win" if turned[row] > 0 else "loss",
            "prediction_before": answers and answers[at],
            "prediction": replies and replies[now],
            "score_before": float(systems.scores[baseline][row]),
            "score": float(systems.scores[system][row]),
        }


def _column(file: Columns, name: str) -> list[Any] | None:
    column = file.first_of(either(name))
    return None if column is None else file.values[column]
