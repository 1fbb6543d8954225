"""The data sets that metrics are compared on: from their source files to labelled answers in groups."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from evaluate_qa.datasets_scripts.diver_qa import rows as diver_qa_rows
from evaluate_qa.datasets_scripts.evouna import rows as evouna_rows

from .. import sample
from ..files.rows import Row
from ..hub_folder import builder
from ..labelled_sets.release import no_download
from ..labelled_sets.sets import SETS
from .board import board
from .labelled import LabelledData, LabelledRow, Selection
from .morqa import gold_holdout, morqa
from .own_rows import NEAR_NAMES, own_rows, traps
from .ragchecker import ragchecker
from .verdicts import verdicts


def evouna(selection: Selection) -> LabelledData:
    """Read EVOUNA: figures by set and system. Rows that its paper's tables do not count are dropped and counted."""
    systems = selection.chosen(evouna_rows.SYSTEMS)
    rows, dropped = [], {}
    for name in ("NQ", "TQ"):
        chosen = [row for row in _evouna_questions(selection, name.lower()) if row["system"] in systems]
        dropped[name] = Counter(_why_unusable(row) for row in chosen if not row["usable"])
        rows += [_evouna_row(name, row) for row in chosen if row["usable"]]
    by_system = [f"{name}/{system}" for name in ("NQ", "TQ") for system in systems]
    return LabelledData(
        name="evouna",
        rows=rows,
        groups=_present(rows, ["all", "NQ", "TQ", *by_system]),
        overview=_present(rows, ["all", "NQ", "TQ"]),
        figures=["accuracy", "f1", "macro_f1", "precision", "recall", "pearson", "kendall"],
        headline="pearson",
        dropped=dropped,
    )


def diver_qa(selection: Selection) -> LabelledData:
    """Read DIVER-QA: figures of all, by source of the question and by model. All of its rows are labelled."""
    if selection.split is not None:
        raise ValueError("diver_qa has no splits, it is for reporting only; leave out --split")
    models = selection.chosen(diver_qa_rows.MODELS)
    rows = [
        _diver_qa_row(number, row)
        for number, row in _numbered(_diver_qa_rows(selection))
        if row["model"] in models and (selection.limit is None or number < selection.limit)
    ]
    sources = [f"source {source}" for source in diver_qa_rows.QUESTION_SOURCES]
    return LabelledData(
        name="diver_qa",
        rows=rows,
        groups=_present(rows, ["all", *sources, *(f"model {model}" for model in models)]),
        overview=_present(rows, ["all", *sources]),
        figures=["accuracy", "f1", "mcc"],
        headline="mcc",
    )


_ON_BOARD: dict[str, Callable[[Selection], LabelledData]] = {
    "evouna": evouna,
    "diver_qa": diver_qa,
    **{name: partial(verdicts, name) for name in SETS},
}

DATA: Mapping[str, Callable[[Selection], LabelledData]] = MappingProxyType(
    {
        **_ON_BOARD,
        "board": partial(board, _ON_BOARD),
        "morqa": morqa,
        "ragchecker": ragchecker,
        "sample": partial(own_rows, sample()),
        "near_names": partial(own_rows, NEAR_NAMES),
        "traps": traps,
    }
)
"""The readers by the name of the data set."""

HOLDOUTS: Mapping[str, Callable[[Selection], LabelledData]] = MappingProxyType({"morqa": gold_holdout})
"""Readers of gold answers beside systems' answers, for data sets with several gold answers to a question."""


def _evouna_questions(selection: Selection, config: str) -> list[Row]:
    folder = selection.folder("evouna")
    rows: Iterable[Row] = evouna_rows.read_rows(folder, config) if folder else _downloaded("evouna", config)
    if selection.split is not None:
        rows = evouna_rows.select(rows, _evouna_split(selection, selection.split, config))
    rows = list(rows)
    first = sorted({row["question_id"] for row in rows})[: selection.limit]
    return list(evouna_rows.select(rows, frozenset(first)))


def _evouna_split(selection: Selection, split: str, config: str) -> frozenset[int]:
    """Return the questions of a split: by the file that was given, the one among the source files, or our own."""
    folder = selection.folder("evouna")
    beside = folder / evouna_rows.SPLIT_FILE.name if folder else None
    default = beside if beside and beside.is_file() else evouna_rows.SPLIT_FILE
    return evouna_rows.read_split(selection.split_file or default, config, split)


def _why_unusable(row: Row) -> str:
    reasons = {
        "improper": row["improper"],
        "unlabelled": row["judgement"] is None,
        "unanswered": row["answer"] is None,
        "without a reference": not row["references"],
    }
    return next(reason for reason, holds in reasons.items() if holds)


def _evouna_row(name: str, row: Row) -> LabelledRow:
    return _labelled(row, f"{name}/{row['question_id']}", {name, f"{name}/{row['system']}"})


def _diver_qa_rows(selection: Selection) -> Iterable[Row]:
    folder = selection.folder("diver_qa")
    return diver_qa_rows.read_rows(folder) if folder else _downloaded("diver_qa", "default")


def _numbered(rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Yield each row with the number of its question among those of its source, from 0."""
    seen: dict[str, dict[str, int]] = {}
    for row in rows:
        questions = seen.setdefault(row["source"], {})
        yield questions.setdefault(row["question"], len(questions)), row


def _diver_qa_row(number: int, row: Row) -> LabelledRow:
    return _labelled(row, f"{row['source']}/{number}", {f"source {row['source']}", f"model {row['model']}"})


def _labelled(row: Row, question_id: str, groups: set[str]) -> LabelledRow:
    return LabelledRow(
        question_id=question_id,
        question=row["question"],
        references=row["references"],
        answer=row["answer"],
        label=float(row["judgement"]),
        groups=frozenset({"all", *groups}),
    )


def _downloaded(name: str, config: str) -> Iterable[Row]:
    """Return the rows of a data set that its builder downloads, once, into the cache of `datasets`."""
    data = builder(name)(config_name=config)
    try:
        data.download_and_prepare()
    except OSError as error:
        raise no_download(name, error) from error
    rows: Iterable[Row] = data.as_dataset(split="test")
    return rows


def _present(rows: Iterable[LabelledRow], groups: Iterable[str]) -> list[str]:
    found = frozenset[str]().union(*(row.groups for row in rows))
    return [group for group in groups if group in found]
