"""Data sets on which metrics are compared with people, read into benchmarks."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluate_qa.datasets_scripts.diver_qa import rows as diver_qa_rows
from evaluate_qa.datasets_scripts.evouna import rows as evouna_rows

from .. import sample_path
from ..files.rows import Row, RowsError, read_rows
from ..labeled_data import sets
from ..labeled_data.files import NEAR_NAMES, TRAPS, VALUES, labeled_rows
from ..labeled_data.rows import DataSelection, LabeledRow, first_questions
from ..publishing.dataset import builder
from .benchmark import Benchmark
from .board import board
from .morqa import morqa
from .ragchecker import ragchecker


def evouna(selection: DataSelection) -> Benchmark:
    """Read EVOUNA: statistics by set and system. Rows that its paper's tables omit are dropped and counted."""
    systems = selection.choose_systems(evouna_rows.SYSTEMS)
    rows, dropped = [], {}
    for name in ("NQ", "TQ"):
        chosen = [row for row in _evouna_questions(selection, name.lower()) if row["system"] in systems]
        dropped[name] = Counter(_why_unusable(row) for row in chosen if not row["usable"])
        rows += [
            _labeled_row(row, f"{name}/{row['question_id']}", {name, f"{name}/{row['system']}"})
            for row in chosen
            if row["usable"]
        ]
    by_system = [f"{name}/{system}" for name in ("NQ", "TQ") for system in systems]
    return Benchmark(
        name="evouna",
        rows=rows,
        groups=_present_groups(rows, ["all", "NQ", "TQ", *by_system]),
        statistics=["accuracy", "f1", "macro_f1", "precision", "recall", "pearson", "kendall"],
        dropped=dropped,
    )


def diver_qa(selection: DataSelection) -> Benchmark:
    """Read DIVER-QA: statistics of all answers, by source of the question and by model. All rows are labeled."""
    if selection.split is not None:
        raise ValueError("diver_qa has no splits. Leave out --split.")
    models = selection.choose_systems(diver_qa_rows.MODELS)
    folder = selection.folder("diver_qa")
    found = diver_qa_rows.read_rows(folder) if folder else _download("diver_qa", "default")
    rows = [
        _labeled_row(row, f"{row['source']}/{row['question']}", {f"source {row['source']}", f"model {row['model']}"})
        for row in first_questions(found, selection.limit, lambda row: (row["source"], row["question"]))
        if row["model"] in models
    ]
    sources = [f"source {source}" for source in diver_qa_rows.QUESTION_SOURCES]
    return Benchmark(
        name="diver_qa",
        rows=rows,
        groups=_present_groups(rows, ["all", *sources, *(f"model {model}" for model in models)]),
        statistics=["accuracy", "f1", "mcc"],
    )


def published_set(name: str, selection: DataSelection) -> Benchmark:
    """Read a split of a data set in `labeled_data.sets.SETS`; by default, the split that statistics are reported on."""
    if selection.systems:
        raise ValueError(f"{name} does not name systems. Leave out --systems.")
    rows, dropped = sets.read(name, selection.folder(name), selection.split, selection.limit)
    parts = {group for row in rows for group in row.groups} - {"all"}
    return Benchmark(
        name=name,
        rows=rows,
        groups=["all", *sorted(parts)],
        statistics=["accuracy", "macro_f1", "recall", "specificity", "mcc", "auc"],
        dropped=dropped,
    )


def own_file(path: Path, selection: DataSelection) -> Benchmark:
    """Read a file of labeled answers: statistics of all answers, and by `kind` if the file has that column.

    The data set has the file's name. Rows without a label are dropped and counted.
    """
    if selection.split is not None or selection.systems:
        raise ValueError(f"{path.stem} has neither splits nor systems. Leave out --split and --systems.")
    statistics = ["accuracy", "recall", "specificity", "f1", "mcc", "pearson"]
    rows, unlabeled = labeled_rows(path)
    if not rows:
        raise RowsError(f"{path}: no row has a label. Label some rows with 1 or 0, or with right or wrong.")
    data = _by_kind(path.stem, rows, selection.limit, statistics)
    return replace(data, dropped={path.stem: Counter({"without a label": unlabeled})} if unlabeled else {})


def in_parts(path: Path, selection: DataSelection) -> Benchmark:
    """Read the split `test` (default) or the other split of the traps or values: errors of all answers and by kind.

    The limit applies to each kind.
    """
    name, stored = path.stem, [row for _, row in read_rows(path)]
    part, other = selection.split or "test", next(row["part"] for row in stored if row["part"] != "test")
    if part not in (other, "test") or selection.systems:
        raise ValueError(
            f"{name} has the splits {other} and test, and no systems; --split is {part!r}. Leave out --systems, and "
            f"give --split {other} or test (the default)."
        )
    of_part = (row for row in stored if row["part"] == part)
    first = first_questions(of_part, selection.limit, lambda row: (row["kind"], row["question"]))
    chosen = {row["id"] for row in first}
    rows = [row for row, its in zip(labeled_rows(path)[0], stored, strict=True) if its["id"] in chosen]
    statistics = ["accuracy", "false_accept_rate", "false_reject_rate", "mcc", "auc", "calibration_error"]
    return replace(_by_kind(name, rows, None, statistics), shown=True)


_ON_BOARD: dict[str, Callable[[DataSelection], Benchmark]] = {
    "evouna": evouna,
    "diver_qa": diver_qa,
    **{name: partial(published_set, name) for name in sets.SETS},
}

DATA: Mapping[str, Callable[[DataSelection], Benchmark]] = {
    **_ON_BOARD,
    "board": partial(board, _ON_BOARD),
    "morqa": morqa,
    "ragchecker": ragchecker,
    "sample": partial(own_file, sample_path()),
    "near_names": partial(own_file, NEAR_NAMES),
    "traps": partial(in_parts, TRAPS),
    "values": partial(in_parts, VALUES),
}
"""Reader of each data set by name."""


def _evouna_questions(selection: DataSelection, config: str) -> list[Row]:
    folder = selection.folder("evouna")
    rows = list(evouna_rows.read_rows(folder, config) if folder else _download("evouna", config))
    if selection.split is not None:
        file = evouna_rows.SPLIT_FILE  # our own, unless there is one among the source files
        if folder and (folder / file.name).is_file():
            file = folder / file.name
        rows = list(evouna_rows.select(rows, evouna_rows.read_split(file, config, selection.split)))
    first = sorted({row["question_id"] for row in rows})[: selection.limit]
    return list(evouna_rows.select(rows, frozenset(first)))


def _why_unusable(row: Row) -> str:
    reasons = {
        "improper": row["improper"],
        "unlabeled": row["judgement"] is None,
        "unanswered": row["answer"] is None,
        "without a reference": not row["references"],
    }
    return next(reason for reason, holds in reasons.items() if holds)


def _labeled_row(row: Row, question_id: str, groups: set[str]) -> LabeledRow:
    return LabeledRow(
        question_id=question_id,
        question=row["question"],
        references=row["references"],
        answer=row["answer"],
        label=float(row["judgement"]),
        groups=frozenset({"all", *groups}),
    )


def _download(name: str, config: str) -> Iterable[Row]:
    """Return the rows of a data set, which its builder downloads into the cache of `datasets`."""
    data = builder(name)(config_name=config)
    data.download_and_prepare()
    rows: Iterable[Row] = data.as_dataset(split="test")
    return rows


def _by_kind(name: str, rows: Sequence[LabeledRow], limit: int | None, statistics: list[str]) -> Benchmark:
    chosen = list(first_questions(rows, limit, lambda row: (None, row.question_id)))
    kinds = dict.fromkeys(group for row in chosen for group in row.groups if group != "all")
    return Benchmark(name, chosen, groups=["all", *kinds], statistics=statistics)


def _present_groups(rows: Iterable[LabeledRow], groups: Iterable[str]) -> list[str]:
    found = frozenset[str]().union(*(row.groups for row in rows))
    return [group for group in groups if group in found]
