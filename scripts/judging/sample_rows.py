"""The sample data as judged answers: short, negated, numeric and other kinds, each a group of the tables."""

from pathlib import Path

from .. import sample
from ..files.rows import read_rows
from .judged import JudgedData, JudgedRow, Selection


def sample_data(selection: Selection) -> JudgedData:
    """Read the sample: figures of all and by kind of answer. It is small, and hard on purpose."""
    if selection.split is not None or selection.systems:
        raise ValueError("sample has neither splits nor systems; leave out --split and --systems")
    return judged(sample(), selection.limit)


def judged(path: Path, limit: int | None = None) -> JudgedData:
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
    return JudgedData(
        name=path.stem,
        rows=[
            JudgedRow(
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
