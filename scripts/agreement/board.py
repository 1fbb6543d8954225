"""The board: labeled answers of several data sets side by side, a column each."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..labeled_data.rows import DataSelection, LabeledRow
from .baselines import BOARD_BASELINES
from .benchmark import Benchmark

# Unless a limit is given for all sets, those whose many answers, or references, take most of the time are cut.
_LIMITS = {"evouna": 100, "diver_qa": 60}

_SPLITS = {"evouna": "test", "efficientqa": "dev", "semeval2013": "test", "saf": "test"}

# Data set -> its groups -> the board's columns.
_COLUMNS = {
    "evouna": {"all": "EVOUNA"},
    "diver_qa": {"all": "DIVER-QA"},
    "efficientqa": {"all": "EfficientQA"},
    "semeval2013": {
        f"{part}/unseen {what}": f"{part} unseen {what}"
        for part in ("Beetle", "SciEntsBank")
        for what in ("answers", "questions")
    },
    "saf": {"English": "SAF English", "German": "SAF German"},
}


def board(readers: Mapping[str, Callable[[DataSelection], Benchmark]], selection: DataSelection) -> Benchmark:
    """Read what is reported of every data set, never what is trained on.

    Args:
        readers: The data sets' readers by name.
        selection: Where the files are, and how many questions of each set are used.
    """
    if selection.split or selection.systems:
        raise ValueError("the board has its own splits and all systems. Leave out --split and --systems.")
    found = {name: readers[name](_selected(name, selection)) for name in _COLUMNS}
    rows = [_row(name, row) for name, data in found.items() for row in data.rows]
    columns = [column for of_set in _COLUMNS.values() for column in of_set.values()]
    return Benchmark(
        name="board",
        rows=rows,
        groups=columns,
        overview=columns,
        kinds=[_column_of_kind(kind) for data in found.values() for kind in data.kinds],
        figures=["mcc", "auc", "accuracy", "recall", "specificity"],
        headline="mcc",
        dropped={name: reasons for data in found.values() for name, reasons in data.dropped.items()},
        baselines=BOARD_BASELINES,
        board=True,
    )


def _selected(name: str, selection: DataSelection) -> DataSelection:
    return replace(selection, split=_SPLITS.get(name), limit=selection.limit or _LIMITS.get(name))


def _row(name: str, row: LabeledRow) -> LabeledRow:
    columns = {column for group, column in _COLUMNS[name].items() if group in row.groups}
    kinds = {_column_of_kind(group) for group in row.groups if ": " in group}
    return replace(row, question_id=f"{name}/{row.question_id}", groups=frozenset(columns | kinds))


def _column_of_kind(kind: str) -> str:
    return kind.replace("/", " ")
