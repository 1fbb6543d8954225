"""Answers with labels in files: a user's own, and this package's: its sample, near names, and a battery of traps.

Nothing is ever fitted on this package's, but for the traps' part `train`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..files.rows import read_rows
from .labelled import LabelledData, LabelledRow, Selection
from .labelled_files import labelled_rows

NEAR_NAMES = Path(__file__).with_name("near_names.jsonl")
"""Sentences with the reference's name, number or date in another form, or with a near one in its place."""
TRAPS = Path(__file__).with_name("traps.jsonl")
"""Ten kinds of traps, half of them right answers in the dress of a trap.

What is of the part `test` shares no question, and no four words in a row of an answer, with the part `train`.
"""
_PARTS = ("train", "test")


def own_rows(path: Path, selection: Selection) -> LabelledData:
    """Read a file of labelled answers (`labelled_files`): figures of all, and by `kind` if it has that column.

    Args:
        path: The file; the data set is named after it. Rows without a label are left out and counted.
        selection: How many questions are used.
    """
    if selection.split is not None or selection.systems:
        raise ValueError(f"{path.stem} has neither splits nor systems; leave out --split and --systems")
    figures = ["accuracy", "recall", "specificity", "f1", "mcc", "pearson"]
    rows, unlabelled = labelled_rows(path)
    data = _by_kind(path.stem, rows, selection.limit, figures)
    return replace(data, dropped={path.stem: Counter({"without a label": unlabelled})} if unlabelled else {})


def traps(selection: Selection) -> LabelledData:
    """Read one part of the traps: false accepts and false rejects, of all and by kind.

    Args:
        selection: Its split is `test`, which is meant for reporting alone and the default, or `train`.
    """
    part = selection.split or "test"
    if part not in _PARTS or selection.split_file is not None or selection.systems:
        raise ValueError(
            "traps has the splits train and test, in its own file, and no systems; leave out --split-file and "
            f"--systems, and give --split train or test (its default), not {part!r}"
        )
    parts = [row["part"] for _, row in read_rows(TRAPS)]
    rows = [row for row, its in zip(labelled_rows(TRAPS)[0], parts, strict=True) if its == part]
    return _by_kind("traps", rows, selection.limit, ["accuracy", "false_accept_rate", "false_reject_rate", "mcc"])


def _by_kind(name: str, rows: Sequence[LabelledRow], limit: int | None, figures: list[str]) -> LabelledData:
    questions = frozenset(list(dict.fromkeys(row.question_id for row in rows))[:limit])
    chosen = [row for row in rows if row.question_id in questions]
    kinds = dict.fromkeys(group for row in chosen for group in row.groups if group != "all")
    groups = ["all", *kinds]
    return LabelledData(name, chosen, groups=groups, overview=groups, figures=figures, headline="accuracy")
