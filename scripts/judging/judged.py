"""Answers that people have judged, in one form whatever data set they come from."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Selection:
    """Which part of a data set is used, and where its files are.

    Attributes:
        data_dir: Folder with the source files, or with a folder for each data set; None downloads them into the
            cache of `datasets`.
        systems: Systems whose answers are used; empty for all.
        limit: Use the first so many questions of each set only.
        split: Name of a split; None for all questions.
        split_file: File that lists the questions of each split; None for `split.json` among the source files.
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
class JudgedRow:
    """One answer with what people made of it.

    Attributes:
        question_id: The same for all answers to a question.
        label: 1 for correct and 0 for incorrect, or a rating.
        groups: The groups of the data set's tables that the row belongs to.
        synthetic_answers: Each reference put as a sentence, or none.
    """

    question_id: str
    question: str
    references: list[str]
    answer: str
    label: float
    groups: frozenset[str]
    synthetic_answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgedData:
    """The judged answers that figures are computed on.

    Attributes:
        name: Name of the data set.
        rows: The answers.
        groups: The groups, each of which has a table, in the order in which they are shown.
        overview: Those groups that pool systems.
        figures: Names of the figures that papers report for this data set.
        headline: The figure that plots show.
        dropped: For each set of questions, how many rows are left out for which reason.
    """

    name: str
    rows: list[JudgedRow]
    groups: list[str]
    overview: list[str]
    figures: list[str]
    headline: str
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"{self.name}: no judged answer is left; take more systems, questions or splits")

    def members(self, group: str) -> list[int]:
        """Return the numbers of the rows of a group."""
        return [number for number, row in enumerate(self.rows) if group in row.groups]
