"""Read further judged answers from a folder with a file `<set>.jsonl.gz` for each set of `TRAINED` and `REPORTED`."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from evaluate_qa.metrics._shared.words import exact_words

from ...agreement.board import SPLITS
from ...agreement.data_sets import DATA
from ...labeled_data.judged_answers import read_answers
from ...labeled_data.rows import DataSelection, LabeledRow, hold_out
from ...training.sources import LabeledSet, sample

# The share of `summhay_insights` that figures are reported on, and the share of each training set that is held out.
_HALF, _DEV = 0.5, 0.2

KINDS = {
    data_set: kind
    for kind, data_sets in {
        "short factual": ("evouna", "opentriviaqa_wrong", "halueval_qa_small"),
        "open-domain predictions": ("efficientqa",),
        "student answers": ("semeval2013",),
        "course answers": ("saf",),
        "children's explanations": ("mindca",),
        "reading comprehension": ("sas_pairs", "fairytaleqa_two"),
        "worked math": ("gsm_solutions", "stepverify"),
        "covered statements": ("summhay_insights",),
        "medical": ("kqa_statements",),
        "misconceptions": ("truthfulqa_human", "truthfulqa_multi_human"),
    }.items()
    for data_set in data_sets
}
"""Data set to its kind of answers. Other data sets have none: a language model wrote their answers."""

REPORTED = ("kqa_statements", "truthfulqa_human", "truthfulqa_multi_human")
"""Sets of answers that must not be trained on."""
TRAINED = {
    "mindca": 2000,
    "sas_pairs": None,
    "fairytaleqa_two": 2000,
    "gsm_solutions": 1500,
    "stepverify": None,
    "summhay_insights": None,  # half of it
    "opentriviaqa_wrong": 3000,
    "halueval_qa_small": None,
}
"""Sets of answers to train on, with the most rows of each."""


def reported_questions(data_dir: Path | None) -> list[str]:
    """Return the questions of other data sets that figures are reported on. `data_dir` is the one of `read_sets`."""
    selections = {name: DataSelection(data_dir=data_dir, split=split) for name, split in SPLITS.items()}
    return [row.question for name, selection in selections.items() for row in DATA[name](selection).rows]


def read_verdicts(folder: Path, reported: Collection[str]) -> list[LabeledSet]:
    """Read all sets of answers; `test` holds the rows that must not be trained on, `dev` a fifth of the others.

    Answers to `reported`, the questions that figures are reported on elsewhere, are left out.

    Raises:
        OSError, RowsError: a file is missing, or a row is damaged.
    """
    asked, found = {_same(question) for question in reported}, []
    for name in (*TRAINED, *REPORTED):
        answers = (row for _, row in read_answers(folder / f"{name}.jsonl.gz"))
        rows = [row for row in answers if _same(row.question) not in asked and not _named(name, row)]
        rows, test = hold_out(rows, 1.0 if name in REPORTED else _HALF if name == "summhay_insights" else 0.0)
        train, dev = hold_out(rows, _DEV)
        if not any(row.label for row in dev):
            dev = []  # final layers cannot be fitted on wrong answers alone
        found.append(LabeledSet(name, _with_right(sample(train, TRAINED.get(name))), dev, test))
    return found


def _with_right(rows: list[LabeledRow]) -> list[LabeledRow]:
    """Add each reference as a right answer to rows that are all wrong."""
    if any(row.label for row in rows):
        return rows
    right = {row.question_id: replace(row, answer=row.references[0], label=1.0) for row in rows}
    return [*rows, *right.values()]


def _named(name: str, row: LabeledRow) -> bool:
    """Return whether a made-up answer names the person of the reference: a few of HaluEval's are right."""
    return name == "halueval_qa_small" and bool({*exact_words(row.references[0])[-1:]} & {*exact_words(row.answer)})


def _same(question: str) -> str:
    return " ".join(exact_words(question))
