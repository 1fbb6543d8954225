"""A labeled answer, in one form for all data sets, and which answers of a data set are read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataSelection:
    """Which part of a data set is used, and where its files are.

    Attributes:
        data_dir: Folder with the source files, or with a folder for each data set; None downloads them into the
            cache of `datasets`.
        systems: Systems whose answers are used; empty for all.
        limit: Use the first so many questions of each set only.
        split: Name of a split; None for all questions.
        split_file: File that lists the questions of each split; None for `split.json` among the source files or,
            where there is none, the one that comes with this package.
    """

    data_dir: Path | None = None
    systems: tuple[str, ...] = ()
    limit: int | None = None
    split: str | None = None
    split_file: Path | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit is {self.limit}; expected at least 1 question")
        if self.data_dir is not None and not self.data_dir.is_dir():
            raise FileNotFoundError(f"there is no folder {self.data_dir}")
        if self.split_file is not None and self.split is None:
            raise ValueError("a split file is of no use without the name of a split, such as --split dev")

    def folder(self, data: str) -> Path | None:
        """Return the folder of a data set's files: the one of its name in `data_dir`, or else `data_dir` itself."""
        if self.data_dir is None:
            return None
        return self.data_dir / data if (self.data_dir / data).is_dir() else self.data_dir

    def chosen(self, known: Iterable[str]) -> list[str]:
        """Return the systems to use, in the data set's order; ValueError if it lacks one that was asked for."""
        known = list(known)
        for system in self.systems:
            if system not in known:
                raise ValueError(f"there is no system {system!r}; expected some of {', '.join(known)}")
        return [system for system in known if system in (self.systems or known)]


@dataclass(frozen=True)
class LabeledRow:
    """One answer with what people said of it.

    Attributes:
        question_id: The same for all answers to a question.
        label: 1 for correct and 0 for incorrect, or a rating, or by how much the answer is preferred to the other.
        groups: The groups of the data set's tables that the row belongs to.
        synthetic_answers: Each reference put as a sentence, or none.
        reference_weights: How good each reference is, or none.
        language: Language of the texts, as an ISO 639-1 code.
        other: Another answer to the question, if people compared the two.
    """

    question_id: str
    question: str
    references: list[str]
    answer: str
    label: float
    groups: frozenset[str]
    synthetic_answers: tuple[str, ...] = ()
    reference_weights: tuple[float, ...] = ()
    language: str = "en"
    other: str | None = None

    @property
    def content(self) -> tuple[object, ...]:
        """All that a metric may look at: rows that are equal in this have the same scores."""
        texts = self.question, self.answer, tuple(self.references), self.synthetic_answers
        return *texts, self.reference_weights, self.language
