"""The labeled data that matchers can be trained on: training parts of data sets, written answers, and users' files.

Rows that other commands report figures on are never read here: DIVER-QA, EVOUNA's `test`, EfficientQA's `dev`, and the
`test` parts of the other data sets.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluate_qa.metrics._shared.messages import pluralize

from ..agreement.data_sets import DATA, evouna
from ..files.rows import RowsError, file_format, read_rows
from ..labeled_data.files import labeled_rows
from ..labeled_data.rows import DataSelection, LabeledRow, hold_out
from ..labeled_data.sets import SETS

GENERATED = {name: Path(__file__).with_name(name) for name in ("written", "natural", "polarity", "everyday")}
"""Folders with answers that a language model wrote for training; each file is a set, each line a question.

In `written`, neither words in common nor length reveal which answers are right. `natural` holds answers as different
people and models would give them. `polarity` holds answers in other words with their opposites: yes and no without
these words, and phrases. `everyday` holds answers as new users try a metric, half of them near misses.
"""
KNOWN = ("evouna", *SETS, "traps", *GENERATED)
"""Names of the data sets."""

# Share of a set's questions that is held out, and fewest questions in a user's file.
_SHARE = 0.2
_FEWEST = 10


@dataclass(frozen=True)
class LabeledSet:
    """Labeled answers of one origin, divided by question."""

    name: str  # such as `evouna`, `saf/German`, or the name of a user's file
    train: list[LabeledRow]
    dev: list[LabeledRow]  # for choosing the epoch and fitting the final layers
    test: list[LabeledRow]  # held out for testing the result; only a user's file has them
    generated: bool = False  # True if a language model wrote the answers

    @property
    def data_set(self) -> str:
        """Name of the data set that the set belongs to: `saf` for `saf/German`."""
        return self.name.partition("/")[0]


def read_sets(data: Iterable[str], data_dir: Path | None = None) -> list[LabeledSet]:
    """Read sets by their names in `KNOWN`, or users' files.

    `data_dir` has the source files, or a folder for each data set; None downloads them. Raise OSError if a file is
    missing, and ValueError if there is no such set, it is given twice, or a row has the wrong form.
    """
    sets = [found for name in data for found in _read(name, DataSelection(data_dir=data_dir))]
    names = [found.name for found in sets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"two of the data sets are named {twice!r}; leave one out, or rename a file")
    return sets


def sample(rows: Sequence[LabeledRow], count: int | None) -> list[LabeledRow]:
    """Return the `count` rows whose texts have the lowest SHA-256, in their order; None returns all rows."""
    if count is None or count >= len(rows):
        return list(rows)
    digests = [
        hashlib.sha256(f"{row.question}\0{row.answer}\0{number}".encode()).digest() for number, row in enumerate(rows)
    ]
    chosen = sorted(sorted(range(len(rows)), key=digests.__getitem__)[:count])
    return [rows[number] for number in chosen]


def _read(name: str, selection: DataSelection) -> list[LabeledSet]:
    if name == "evouna":
        train, dev = (evouna(replace(selection, split=split)).rows for split in ("train", "dev"))
        return [LabeledSet(name, train, dev, [])]
    if name == "traps":
        return [_known(name, DATA["traps"](DataSelection(split="train")).rows)]
    if name in GENERATED:
        return [replace(_known(f"{name}/{path.stem}", _generated(path)), generated=True) for path in _files(name)]
    if name in SETS:
        data = DATA[name](replace(selection, split="train"))
        parts = [group for group in data.groups if group != "all"]
        rows_of = {f"{name}/{part}": [data.rows[number] for number in data.members(part)] for part in parts}
        return [_known(part, rows) for part, rows in (rows_of or {name: data.rows}).items()]
    if Path(name).suffix:
        return [_own(Path(name))]
    raise ValueError(
        f"there is no data set {name!r}; expected a file that ends in .jsonl, .csv or .parquet, or one of "
        f"{', '.join(KNOWN)}"
    )


def _files(name: str) -> list[Path]:
    files = sorted(GENERATED[name].glob("*.jsonl"))
    if not files:
        raise FileNotFoundError(
            f"the data set {name!r} is in the repository, but not in the installed package; clone the repository and "
            "install it with `pip install -e .`, or leave the data set out"
        )
    return files


def _generated(path: Path) -> list[LabeledRow]:
    """Read lines with a question, its references, and lists of right and of wrong answers."""
    language = "de" if path.stem.endswith("german") else "en"
    return [
        LabeledRow(
            line["question"], line["question"], line["references"], answer, label, frozenset(), language=language
        )
        for _, line in read_rows(path)
        for label, answers in ((1.0, line["right"]), (0.0, line["wrong"]))
        for answer in answers
    ]


def _known(name: str, rows: Sequence[LabeledRow]) -> LabeledSet:
    train, dev = hold_out(rows, _SHARE)
    return LabeledSet(name, train, dev, [])


def _own(path: Path) -> LabeledSet:
    file_format(path)
    rows, _ = labeled_rows(path)
    questions, right = len({row.question_id for row in rows}), sum(bool(row.label) for row in rows)
    if questions < _FEWEST or right in (0, len(rows)):
        raise RowsError(
            f"{path} has {right} correct and {pluralize(len(rows) - right, 'incorrect answer')} to "
            f"{pluralize(questions, 'question')}; training needs both kinds, and at least {_FEWEST} questions, because "
            "some are held out; label more rows"
        )
    rest, test = hold_out(rows, _SHARE)
    train, dev = hold_out(rest, _SHARE / (1 - _SHARE))
    return LabeledSet(path.stem, train, dev, test)
