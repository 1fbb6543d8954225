"""The board: several data sets in one table, with one or more columns for each."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..labeled_data.rows import DataSelection, LabeledRow
from .baselines import BOARD_BASELINES
from .benchmark import Benchmark

# The largest sets are cut unless a limit is given.
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
    """Read the part of each data set that figures are reported on, which matchers are not trained on.

    Args:
        readers: Reader of each data set by name.
        selection: Folder of the files, and the number of questions to read of each set.
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
        figures=["mcc", "auc", "calibration_error", "accuracy", "recall", "specificity"],
        headline="mcc",
        dropped={name: reasons for data in found.values() for name, reasons in data.dropped.items()},
        baselines=BOARD_BASELINES,
        board=True,
    )


def _selected(name: str, selection: DataSelection) -> DataSelection:
    return replace(selection, split=_SPLITS.get(name), limit=selection.limit or _LIMITS.get(name))


def _row(name: str, row: LabeledRow) -> LabeledRow:
    columns = frozenset(column for group, column in _COLUMNS[name].items() if group in row.groups)
    return replace(row, question_id=f"{name}/{row.question_id}", groups=columns)
