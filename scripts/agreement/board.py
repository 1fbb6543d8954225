"""The board: several data sets in one table, with one or more columns for each."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from ..files.rows import Row
from ..labeled_data.judged_answers import read_answers
from ..labeled_data.rows import DataSelection, LabeledRow, first_questions, hold_out
from .baselines import BOARD_BASELINES
from .benchmark import Benchmark

# The most questions to read of the largest sets.
_LIMITS = {"evouna": 100, "diver_qa": 60}

SPLITS = {"evouna": "test", "diver_qa": None, "efficientqa": "dev", "semeval2013": "test", "saf": "test"}
"""The data sets with the split that statistics are reported on; None for the whole set."""

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

PARTS = ("board", "traps", "values")
"""The data sets that `--data board` stands for: the board itself, and our own sets by kind."""

JUDGED = "verdicts"
"""The folder in `data_dir` with the sets of `_UNSEEN`. The board lacks their columns without it."""

# Sets of judged answers that nothing is trained on or fitted to, with the most questions to read of each.
_UNSEEN = {"kqa_statements": 100, "summhay_insights": 100, "truthfulqa_human": 150, "truthfulqa_multi_human": 100}
_LANGUAGES = {"en": "English", "es": "Spanish", "ca": "Catalan", "eu": "Basque", "gl": "Galician"}
# Matchers may be trained on the other half of these questions.
_HALF = {"summhay_insights"}


def board(readers: Mapping[str, Callable[[DataSelection], Benchmark]], selection: DataSelection) -> Benchmark:
    """Read the part of each data set that statistics are reported on, which matchers are not trained on.

    With the folder `JUDGED`, the board has more columns, and a second mean over sets that matchers are not trained on.
    SummHay is divided: matchers may be trained on the other half of its questions. A limit is the number of random
    answers of each column.
    """
    if selection.split or selection.systems:
        raise ValueError("the board has its own splits and all systems. Leave out --split and --systems.")
    found = {
        name: readers[name](replace(selection, split=split, limit=_LIMITS.get(name))) for name, split in SPLITS.items()
    }
    rows = [_row(name, row) for name, data in found.items() for row in data.rows]
    columns = [column for of_set in _COLUMNS.values() for column in of_set.values()]
    judged = list(_judged_rows(selection))
    unseen = list(dict.fromkeys(column for row in judged for column in row.groups))
    return Benchmark(
        name="board",
        rows=_random_rows(rows + judged, selection.limit),
        groups=columns + unseen,
        statistics=["mcc", "auc", "calibration_error", "accuracy", "recall", "specificity"],
        dropped={name: reasons for data in found.values() for name, reasons in data.dropped.items()},
        baselines=BOARD_BASELINES,
        means={"mean": columns} | ({"mean of unseen sets": ["DIVER-QA", *unseen]} if unseen else {}),
    )


def _row(name: str, row: LabeledRow) -> LabeledRow:
    columns = frozenset(column for group, column in _COLUMNS[name].items() if group in row.groups)
    return replace(row, question_id=f"{name}/{row.question_id}", groups=columns)


def _judged_rows(selection: DataSelection) -> Iterator[LabeledRow]:
    """Yield the rows of the sets of `_UNSEEN`; none without their folder."""
    folder = selection.data_dir / JUDGED if selection.data_dir else None
    if folder is None or not folder.is_dir():
        return
    for name, limit in _UNSEEN.items():
        rows = [
            replace(row, groups=frozenset({column}))
            for stored, row in read_answers(folder / f"{name}.jsonl.gz")
            if (column := _column(name, stored))
        ]
        rows = hold_out(rows, 0.5).held_out if name in _HALF else rows
        yield from first_questions(rows, limit, lambda row: (None, row.question_id))


def _random_rows(rows: Sequence[LabeledRow], limit: int | None) -> list[LabeledRow]:
    """Return some random rows of each column, in order; every call returns the same ones. None returns all rows."""
    of_column = defaultdict[frozenset[str], list[int]](list)
    for number, row in enumerate(rows):
        of_column[row.groups].append(number)

    def digest(number: int) -> bytes:
        return sha256(repr((rows[number].question_id, rows[number].answer)).encode()).digest()

    return [rows[number] for its in of_column.values() for number in sorted(sorted(its, key=digest)[:limit])]


def _column(name: str, row: Row) -> str | None:
    """Return the column of a row; None for an answer that is a reference."""
    if name == "truthfulqa_human":
        return "TruthfulQA" if row.get("source") == "model" else None
    if name == "truthfulqa_multi_human":
        return f"TruthfulQA {_LANGUAGES.get(row['language'], row['language'])}"
    return {"kqa_statements": "K-QA", "summhay_insights": "SummHay"}[name]
