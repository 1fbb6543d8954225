"""EfficientQA, SemEval-2013 and SAF: figures by part, by test and by kind of wrong answer."""

from collections.abc import Iterable, Iterator

from ..labeled_data import sets
from ..labeled_data.published import CONTRADICTORY, CORRECT, INCORRECT, PublishedAnswer
from ..labeled_data.rows import DataSelection, LabeledRow
from .benchmark import Benchmark


def verdicts(name: str, selection: DataSelection) -> Benchmark:
    """Read a split of a data set, a key of `labeled_data.sets.SETS`; by default, the one that figures are reported on.

    If the data set distinguishes contradictory from other incorrect answers, each test has two more groups, with the
    correct answers and one kind of incorrect answers, such as `Beetle/unseen answers: contradictory`.
    """
    if selection.systems:
        raise ValueError(f"{name} does not name systems. Leave out --systems.")
    found = sets.read(name, selection.folder(name), selection.split, selection.limit)
    by_part = len(found.dropped) > 1
    three_way = any(answer.verdict == CONTRADICTORY for answer in found.answers)
    groups_of = [["all", *_groups(answer, by_part, three_way)] for answer in found.answers]
    groups = list(dict.fromkeys(group for of_answer in groups_of for group in of_answer))
    pooled = [group for group in groups if ": " not in group]
    return Benchmark(
        name=name,
        rows=[_row(answer, of_answer) for answer, of_answer in zip(found.answers, groups_of, strict=True)],
        groups=pooled,
        overview=pooled,
        kinds=[group for group in groups if group not in pooled],
        figures=["accuracy", "macro_f1", "recall", "specificity", "mcc", "auc"],
        headline="mcc",
        dropped=found.dropped,
    )


def _row(answer: PublishedAnswer, groups: Iterable[str]) -> LabeledRow:
    return LabeledRow(
        question_id=answer.question_id,
        question=answer.question,
        references=list(answer.references),
        answer=answer.answer,
        label=float(answer.correct),
        groups=frozenset(groups),
        language=answer.language,
    )


def _groups(answer: PublishedAnswer, by_part: bool, three_way: bool) -> Iterator[str]:
    """Yield the groups of an answer: its part's, its test's, and one of correct answers and one kind of wrong ones."""
    test = f"{answer.part}/{answer.test}" if answer.test else answer.part
    yield from (answer.part, test) if by_part else ()
    if three_way:
        kinds = CONTRADICTORY, INCORRECT
        yield from (f"{test}: {kind}" for kind in kinds if answer.verdict in (CORRECT, kind))
