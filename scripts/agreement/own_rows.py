"""This package's own answers with labels: its sample, true and near names, and a battery of traps.

Nothing is ever fitted on them, but for the traps' part `train`.
"""

from collections.abc import Sequence
from pathlib import Path

from ..files.rows import Row, read_rows
from .labelled import LabelledData, LabelledRow, Selection

NEAR_NAMES = Path(__file__).with_name("near_names.jsonl")
"""Sentences with the reference's name, number or date in another form, or with a near one in its place."""
TRAPS = Path(__file__).with_name("traps.jsonl")
"""Ten kinds of traps, half of them right answers in the dress of a trap.

What is of the part `test` shares no question, and no four words in a row of an answer, with the part `train`.
"""
_PARTS = ("train", "test")


def own_rows(path: Path, selection: Selection) -> LabelledData:
    """Read rows with `question`, `references`, `prediction`, `correct` and `kind`: figures of all and by kind.

    Args:
        path: A file that `read_rows` reads; the data set is named after it.
        selection: How many questions are used.
    """
    if selection.split is not None or selection.systems:
        raise ValueError(f"{path.stem} has neither splits nor systems; leave out --split and --systems")
    figures = ["accuracy", "recall", "specificity", "f1", "mcc", "pearson"]
    return _by_kind(path.stem, [row for _, row in read_rows(path)], selection.limit, figures)


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
    rows = [row for _, row in read_rows(TRAPS) if row["part"] == part]
    return _by_kind("traps", rows, selection.limit, ["accuracy", "false_accept_rate", "false_reject_rate", "mcc"])


def _by_kind(name: str, rows: Sequence[Row], limit: int | None, figures: list[str]) -> LabelledData:
    questions = list(dict.fromkeys(row["question"] for row in rows))[:limit]
    chosen = [row for row in rows if row["question"] in questions]
    groups = ["all", *dict.fromkeys(f"kind {row['kind']}" for row in chosen)]
    return LabelledData(
        name=name,
        rows=[
            LabelledRow(
                question_id=row["question"],
                question=row["question"],
                references=row["references"],
                answer=row["prediction"],
                label=float(row["correct"]),
                groups=frozenset({"all", f"kind {row['kind']}"}),
            )
            for row in chosen
        ],
        groups=groups,
        overview=groups,
        figures=figures,
        headline="accuracy",
    )
