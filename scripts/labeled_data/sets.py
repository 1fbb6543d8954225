"""The published data sets by name."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluate_qa.datasets_scripts._shared.sources import Source

from . import efficientqa, student_answers
from .published import PublishedAnswer, UsableAnswers, usable
from .rows import first_questions
from .student_answers import SAF, SAF_FOLDERS, SEMEVAL2013, SEMEVAL2013_FOLDERS


@dataclass(frozen=True)
class PublishedSet:
    """A data set: its files, the names of its splits, and the function that yields the answers of a split."""

    source: Source
    splits: Sequence[str]
    answers: Callable[[Source, Path | None, str], Iterator[PublishedAnswer]]


SETS: dict[str, PublishedSet] = {
    "efficientqa": PublishedSet(efficientqa.SOURCE, efficientqa.SPLITS, efficientqa.read),
    "semeval2013": PublishedSet(
        SEMEVAL2013, [*SEMEVAL2013_FOLDERS], partial(student_answers.read, SEMEVAL2013_FOLDERS)
    ),
    "saf": PublishedSet(SAF, [*SAF_FOLDERS], partial(student_answers.read, SAF_FOLDERS)),
}
"""The data sets by name. Figures are reported on the last split, which is never trained on."""


def read(name: str, folder: Path | None, split: str | None = None, limit: int | None = None) -> UsableAnswers:
    """Read the usable answers of a split.

    Args:
        name: A key of `SETS`.
        folder: Folder with the files; None downloads them.
        split: Name of a split; None for the one that figures are reported on.
        limit: Read only this number of questions of each part, and of each of its tests.

    Raises:
        OSError: the files are missing or could not be downloaded.
        ValueError: there is no such split, or a file has the wrong format.
    """
    found = SETS[name]
    if split is not None and split not in found.splits:
        raise ValueError(f"{name} has no split {split!r}; expected {' or '.join(found.splits)}")
    answers = found.answers(found.source, folder, split or found.splits[-1])
    return usable(first_questions(answers, limit, lambda one: (one.row.groups, one.row.question_id)))
