"""Answers that people have labelled, in one form whatever data set they come from."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from .baselines import SHORT_ANSWER_BASELINES, Baseline
from .comparison import Ints


@dataclass(frozen=True)
class Selection:
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
class LabelledRow:
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


@dataclass(frozen=True)
class LabelledData:
    """The labelled answers that figures are computed on.

    Attributes:
        name: Name of the data set.
        rows: The answers.
        groups: The groups, each of which has a table, in the order in which they are shown.
        overview: Those groups that pool systems.
        kinds: Groups of the correct answers and one kind of the wrong ones: whether metrics tell these apart.
        figures: Names of the figures that papers report for this data set.
        headline: The figure that plots show.
        dropped: For each set of questions, how many rows are left out for which reason.
        baselines: What stands beside the metrics.
        rated: Whether labels are ratings or preferences, rather than 1 for correct and 0 for incorrect.
        each_reference: Whether metrics are also run with each reference by itself, for the maximum and the mean.
        holdout: Gold answers against other gold answers, beside the answers of systems, if they are to be compared.
        board: Whether the groups are data sets that stand side by side, with their mean.
    """

    name: str
    rows: list[LabelledRow]
    groups: list[str]
    overview: list[str]
    figures: list[str]
    headline: str
    kinds: Sequence[str] = ()
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)
    baselines: Sequence[Baseline] = SHORT_ANSWER_BASELINES
    rated: bool = False
    each_reference: bool = False
    holdout: "LabelledData | None" = None
    board: bool = False

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"{self.name}: no labelled answer is left; take more systems, questions or splits")

    @property
    def compared(self) -> bool:
        """Whether people compared two answers in each row."""
        return self.rows[0].other is not None

    def distinct(self) -> tuple[list[LabelledRow], list[Ints]]:
        """Return the answers that differ for a metric, and for each of `rows` the place of its answer among them.

        An answer that is rated on several aspects has several rows, but is scored once. Where people compared answers,
        the places of the other ones follow.
        """
        sides = [self.rows]
        if self.compared:
            sides.append([replace(row, answer=row.other or "") for row in self.rows])
        known: dict[tuple[object, ...], LabelledRow] = {}
        for row in itertools.chain(*sides):
            known.setdefault(row.content, replace(row, other=None))
        numbers = {content: number for number, content in enumerate(known)}
        return list(known.values()), [np.array([numbers[row.content] for row in side]) for side in sides]

    def members(self, group: str) -> list[int]:
        """Return the numbers of the rows of a group."""
        return [number for number, row in enumerate(self.rows) if group in row.groups]
