"""The sample data as labelled answers: short, negated, numeric and other kinds, each a group of the tables."""

from pathlib import Path

from .. import sample
from ..files.rows import read_rows
from .labelled import LabelledData, LabelledRow, Selection


def sample_data(selection: Selection) -> LabelledData:
    """Read the sample: figures of all and by kind of answer. It is small, and hard on purpose."""
    if selection.split is not None or selection.systems:
        raise ValueError("sample has neither splits nor systems; leave out --split and --systems")
    return labelled(sample(), selection.limit)


def labelled(path: Path, limit: int | None = None) -> LabelledData:
    """Read rows with `question`, `references`, `prediction`, `correct` and `kind`.

    Args:
        path: A file that `read_rows` reads.
        limit: Use the first so many questions.
    """
    rows = [row for _, row in read_rows(path)]
    questions = list(dict.fromkeys(row["question"] for row in rows))[:limit]
    number = {question: i for i, question in enumerate(questions)}
    chosen = [row for row in rows if row["question"] in number]
    kinds = [f"kind {kind}" for kind in dict.fromkeys(row["kind"] for row in chosen)]
    return LabelledData(
        name=path.stem,
        rows=[
            LabelledRow(
                question_id=str(number[row["question"]]),
                question=row["question"],
                references=row["references"],
                answer=row["prediction"],
                label=float(row["correct"]),
                groups=frozenset({"all", f"kind {row['kind']}"}),
            )
            for row in chosen
        ],
        groups=["all", *kinds],
        overview=["all", *kinds],
        figures=["accuracy", "f1", "mcc", "pearson"],
        headline="accuracy",
    )
