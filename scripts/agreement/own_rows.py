"""This package's own answers with labels: its sample, and true and near names. Nothing is ever fitted on them."""

from pathlib import Path

from ..files.rows import read_rows
from .labelled import LabelledData, LabelledRow, Selection

NEAR_NAMES = Path(__file__).with_name("near_names.jsonl")
"""Sentences with the reference's name, number or date in another form, or with a near one in its place."""


def own_rows(path: Path, selection: Selection) -> LabelledData:
    """Read rows with `question`, `references`, `prediction`, `correct` and `kind`: figures of all and by kind.

    Args:
        path: A file that `read_rows` reads; the data set is named after it.
        selection: How many questions are used.
    """
    if selection.split is not None or selection.systems:
        raise ValueError(f"{path.stem} has neither splits nor systems; leave out --split and --systems")
    rows = [row for _, row in read_rows(path)]
    questions = list(dict.fromkeys(row["question"] for row in rows))[: selection.limit]
    chosen = [row for row in rows if row["question"] in questions]
    groups = ["all", *dict.fromkeys(f"kind {row['kind']}" for row in chosen)]
    return LabelledData(
        name=path.stem,
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
        figures=["accuracy", "recall", "specificity", "f1", "mcc", "pearson"],
        headline="accuracy",
    )
