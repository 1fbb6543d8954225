"""EfficientQA, SemEval-2013 and SAF as benchmarks, with figures by part and by test."""

from ..labeled_data import sets
from ..labeled_data.published import PublishedAnswer
from ..labeled_data.rows import DataSelection, LabeledRow
from .benchmark import Benchmark


def verdicts(name: str, selection: DataSelection) -> Benchmark:
    """Read a split of a data set in `labeled_data.sets.SETS`; by default, the split that figures are reported on."""
    if selection.systems:
        raise ValueError(f"{name} does not name systems. Leave out --systems.")
    found = sets.read(name, selection.folder(name), selection.split, selection.limit)
    groups = [_groups(answer) if len(found.dropped) > 1 else ["all"] for answer in found.answers]
    return Benchmark(
        name=name,
        rows=[_row(answer, of_answer) for answer, of_answer in zip(found.answers, groups, strict=True)],
        groups=list(dict.fromkeys(group for of_answer in groups for group in of_answer)),
        figures=["accuracy", "macro_f1", "recall", "specificity", "mcc", "auc"],
        dropped=found.dropped,
    )


def _groups(answer: PublishedAnswer) -> list[str]:
    return ["all", answer.part, f"{answer.part}/{answer.test}" if answer.test else answer.part]


def _row(answer: PublishedAnswer, groups: list[str]) -> LabeledRow:
    return LabeledRow(
        question_id=answer.question_id,
        question=answer.question,
        references=list(answer.references),
        answer=answer.answer,
        label=float(answer.correct),
        groups=frozenset(groups),
        language=answer.language,
    )
