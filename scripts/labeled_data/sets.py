"""The published data sets by name, and the answers that metrics can be compared on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from evaluate_qa.datasets_scripts._shared.sources import Source

from . import efficientqa, student_answers
from .rows import CORRECT, INCORRECT, LabeledRow, PublishedAnswer, first_questions
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


class UsableAnswers(NamedTuple):
    """The answers of a data set that metrics can be compared on, and for each part, the number of others by reason."""

    rows: list[LabeledRow]
    dropped: dict[str, Counter[str]]


def read(name: str, folder: Path | None, split: str | None = None, limit: int | None = None) -> UsableAnswers:
    """Read the usable answers of a split (default: the one that figures are reported on); None downloads the files.

    A limit is the number of questions of each part, and of each of its tests. Raise OSError if files are missing or
    cannot be downloaded, and ValueError if there is no such split, or a file has the wrong format.
    """
    found = SETS[name]
    if split is not None and split not in found.splits:
        raise ValueError(f"{name} has no split {split!r}; expected {' or '.join(found.splits)}")
    answers = found.answers(found.source, folder, split or found.splits[-1])
    return _usable(first_questions(answers, limit, lambda one: (one.row.groups, one.row.question_id)))


def _usable(answers: Iterable[PublishedAnswer]) -> UsableAnswers:
    """Drop and count answers that have a verdict between right and wrong, a blank text, or no reference."""
    found = UsableAnswers([], {})
    for part, verdict, published in answers:
        row = replace(published, references=[text for text in published.references if text.strip()])
        reasons = {
            verdict: verdict not in (CORRECT, "contradictory", INCORRECT),
            "without a question": not row.question.strip(),
            "without a reference": not row.references,
            "blank": not row.answer.strip(),
        }
        dropped = found.dropped.setdefault(part, Counter())
        if reason := next((reason for reason, holds in reasons.items() if holds), None):
            dropped[reason] += 1
        else:
            found.rows.append(row)
    return found
