"""Join the scored rows of several systems."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evaluate_qa.metrics._shared.columns import clean
from evaluate_qa.metrics._shared.messages import pluralize

from ..files.column_names import names_of
from ..files.columns import Columns, read_columns
from ..files.rows import RowsError
from ..files.writing import check_different
from ..uncertainty.arrays import Floats
from .column_roles import ColumnNames
from .keys import ID, Key, describe_key, index_rows, key_names, require_same_texts
from .labels import (
    JoinedRows,
    Places,
    cluster_column,
    clusters_of,
    join,
    parse_binary_verdicts,
    parse_numbers,
    read_labels,
)
from .signatures import column_beside

VERDICT = "verdict"


@dataclass(frozen=True)
class JoinedSystems:
    """Scored rows of several systems, without rows that lack the score or verdict of some system."""

    files: dict[str, Columns]  # the columns that were read, by the name of the system; the first system is the baseline
    keys: list[str]  # the columns of the baseline that identify a row
    rows: dict[str, Places]  # for each system, the places of its rows in the baseline's order
    scores: dict[str, Floats]
    verdicts: dict[str, Floats] | None  # for each system, the verdict of each row; None unless every file has verdicts
    clusters: list[str] | None  # the cluster of each row; None if each row stands alone
    cluster_column: str | None
    unscored: int  # number of rows that are left out
    lacking: dict[str, int]  # for each system, the number of its rows without a score or verdict


def read_systems(sources: Sequence[str], names: ColumnNames, more: Sequence[str]) -> dict[str, Columns]:
    """Read the needed columns of each system. Its name is its file's name, or the path if names repeat."""
    stems = [clean(Path(source).stem) for source in sources]  # bytes that are not UTF-8 become �
    times = Counter(stems)
    titles = [stem if times[stem] == 1 else clean(source) for stem, source in zip(stems, sources, strict=True)]
    if len(set(titles)) < len(titles):
        raise RowsError(f"{Counter(titles).most_common(1)[0][0]} was given twice. Give each system once.")
    texts = (*names_of("questions"), *names_of("references"), *more)
    signature = column_beside(names.score, "signature")
    wanted = (names.score, signature, names.verdict or VERDICT, names.cluster, ID, *names.id, *texts)
    columns = [name for name in wanted if name is not None]
    return {title: read_columns(source, columns) for title, source in zip(titles, sources, strict=True)}


def join_systems(files: dict[str, Columns], names: ColumnNames, mixed: bool = False) -> JoinedSystems:
    """Return the rows of all systems in the order of the first system; references may differ if they are `mixed`.

    Raise RowsError if rows cannot be identified, the sets of rows differ, or a score or verdict is invalid.
    """
    baseline, *others = files.values()
    identity = key_names(list(files.values()), names.id, ("questions",) if others else ())
    index = index_rows(baseline, identity[0]) if others or names.id else {}  # one system needs no ids
    rows = [np.arange(len(baseline))]
    for file, columns in zip(others, identity[1:], strict=True):
        rows.append(_align(baseline, index, file, columns))
        pairs = list(zip(rows[-1].tolist(), range(len(baseline)), strict=True))
        fix = "Name the columns that identify a row with --column id=NAME."
        require_same_texts("questions", file, baseline, pairs, fix)
        fix = "Score both systems with the same references, or give --allow-mixed."
        require_same_texts("references", file, baseline, () if mixed else pairs, fix)
    judged = names.verdict or (VERDICT if all(VERDICT in file.present for file in files.values()) else None)
    fix = "Name another column with --column score=NAME."
    placed = list(zip(files.values(), rows, strict=True))
    scores = [parse_numbers(file, names.score, fix)[at] for file, at in placed]
    marks = [parse_binary_verdicts(file, judged)[at] for file, at in placed if judged]
    lacking = [np.isnan(one).any(axis=0) for one in zip(scores, *([marks] if judged else []), strict=True)]
    there = np.flatnonzero(~np.any(lacking, axis=0))
    if not len(there):
        raise RowsError(f"{baseline.source}: no row has a score from every system. Score the same rows with each.")
    return JoinedSystems(
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


def _align(baseline: Columns, index: dict[Key, int], file: Columns, columns: Sequence[str]) -> Places:
    """Return the places of a file's rows in the order of the baseline's rows."""
    own = index_rows(file, columns)
    differing = []
    for one, keys, others in ((file, own, index), (baseline, index, own)):
        if extra := [key for key in keys if key not in others]:
            example = f"{one.place(keys[extra[0]])}: {describe_key(columns, extra[0])}"
            differing.append(f"{pluralize(len(extra), 'row')} only in one of the files, such as {example}")
    if differing:
        listed = "; ".join(differing)
        raise RowsError(f"{file.source} and {baseline.source} differ: {listed}. Score the same rows with both.")
    return np.fromiter((own[key] for key in index), np.intp, len(index))


def join_labels(systems: JoinedSystems, labels: Sequence[str], names: ColumnNames) -> list[JoinedRows]:
    """Return the rows of each system with their labels, from one file of labels for each system."""
    if len(labels) != len(systems.files):
        times = "once" if len(labels) == 1 else f"{len(labels)} times"
        raise ValueError(
            f"--labels was given {times}. Give one label file for each system, in order: {', '.join(systems.files)}."
        )
    names = replace(names, cluster=systems.cluster_column or next(iter(systems.keys), None))
    check_different({f"the labels of {name}": file for name, file in zip(systems.files, labels, strict=True)})
    files = zip(systems.files.values(), labels, strict=True)
    return [join(file, read_labels(source, names), names) for file, source in files]
