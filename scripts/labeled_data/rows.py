"""A labeled answer, in the same form for all data sets, and the choice of the answers to read."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class DataSelection:
    """Which part of a data set to read, and from where."""

    # Folder with the files, or with a folder for each data set; None downloads them into the cache of `datasets`.
    data_dir: Path | None = None
    systems: tuple[str, ...] = ()  # systems whose answers to read; empty for all
    limit: int | None = None  # read only this number of questions of each set
    split: str | None = None  # name of a split; None for all questions

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit is {self.limit}; expected at least 1 question")
        if self.data_dir is not None and not self.data_dir.is_dir():
            raise FileNotFoundError(f"there is no folder {self.data_dir}")

    def folder(self, data: str) -> Path | None:
        """Return the folder with a data set's files: the folder with its name in `data_dir`, or `data_dir` itself."""
        if self.data_dir is None:
            return None
        return self.data_dir / data if (self.data_dir / data).is_dir() else self.data_dir

    def choose_systems(self, known: Iterable[str]) -> list[str]:
        """Return the selected systems in the data set's order; ValueError if there is no such system."""
        known = list(known)
        for system in self.systems:
            if system not in known:
                raise ValueError(f"there is no system {system!r}; expected some of {', '.join(known)}")
        return [system for system in known if system in (self.systems or known)]


@dataclass(frozen=True)
class LabeledRow:
    """One answer with people's label."""

    question_id: str  # the same for all answers to a question
    question: str
    references: list[str]
    answer: str
    # 1 for correct and 0 for incorrect, or a rating, or how strongly people prefer the answer to the other.
    label: float
    groups: frozenset[str]  # the groups in the data set's tables that the row belongs to
    synthetic_answers: tuple[str, ...] = ()  # each reference as a sentence; may be empty
    reference_weights: tuple[float, ...] = ()  # the quality of each reference; may be empty
    language: str = "en"  # language of the texts, as an ISO 639-1 code
    other: str | None = None  # another answer to the question, if people compared the two
    system: str = ""  # the system that gave the answer; "" if unknown

    @property
    def content(self) -> tuple[object, ...]:
        """Everything that a metric reads: rows with the same content have the same scores."""
        texts = self.question, self.answer, tuple(self.references), self.synthetic_answers
        return *texts, self.reference_weights, self.language


CORRECT, INCORRECT = "correct", "incorrect"
"""The verdicts that metrics are compared with, apart from SemEval-2013's `contradictory`, which is wrong, too."""


class PublishedAnswer(NamedTuple):
    """One answer with the verdict that the authors of its data set published."""

    part: str  # the part of the data set that has its own figures, such as `Beetle` or `German`
    verdict: str  # `correct`, `contradictory`, `incorrect`, or a verdict in between, such as `partially correct`
    row: LabeledRow


def first_questions(
    rows: Iterable[_Row], limit: int | None, key: Callable[[_Row], tuple[object, object]]
) -> Iterator[_Row]:
    """Yield the rows of the first questions of each source; None as the limit yields all rows.

    `key` returns the source of a row's question, and what identifies the question within its source.
    """
    questions: dict[object, dict[object, int]] = defaultdict(dict)
    for row in rows:
        source, question = key(row)
        seen = questions[source]
        number = seen.setdefault(question, len(seen))
        if limit is None or number < limit:
            yield row


class HeldOut(NamedTuple):
    """The rows of a set that are not held out, and those that are."""

    kept: list[LabeledRow]
    held_out: list[LabeledRow]


def hold_out(rows: Sequence[LabeledRow], share: float) -> HeldOut:
    """Hold out the share of questions whose identifiers have the lowest SHA-256, independent of all other rows."""
    names = sorted({row.question_id for row in rows}, key=lambda name: hashlib.sha256(name.encode()).digest())
    chosen = frozenset(names[: round(share * len(names))])
    return HeldOut(
        [row for row in rows if row.question_id not in chosen], [row for row in rows if row.question_id in chosen]
    )
