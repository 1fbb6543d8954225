"""What a matcher may be trained on: data sets' training parts, the traps' part `train`, what is written, and own rows.

What is reported elsewhere is never read here: DIVER-QA, EVOUNA's `test`, EfficientQA's `dev`, the others' `test`.
"""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ..agreement.data_sets import DATA, evouna, traps
from ..files.rows import RowsError, did_you_mean, file_format, read_rows
from ..labeled_data.files import labeled_rows
from ..labeled_data.rows import DataSelection, LabeledRow
from ..labeled_data.sets import SETS

WRITTEN = {name: Path(__file__).with_name(name) for name in ("written", "natural")}
"""Folders with answers that a language model wrote to be learned from: those where neither words nor length tell which
are right, and those as people and models really answer; a file a set, a question a line."""
KNOWN = ("evouna", *SETS, "traps", *WRITTEN)
"""Names of the data sets."""

# Share of a set's questions that is not trained on, and fewest questions of a user's own rows.
_SHARE = 0.2
_FEWEST = 10


class Divided(NamedTuple):
    """A set's rows: those that are not held out, and those that are."""

    kept: list[LabeledRow]
    held_out: list[LabeledRow]


@dataclass(frozen=True)
class LabeledSet:
    """Labelled answers of one origin, divided by question.

    Attributes:
        name: Such as `evouna`, `saf/German`, or the name of a user's file.
        train: What is trained on.
        dev: What epoch and final layers are chosen on.
        test: What is neither trained on nor chosen on; of a user's own rows only.
        seen: Whether the matcher that comes with this version was trained on `train`.
        written: Whether a language model wrote the answers.
    """

    name: str
    train: list[LabeledRow]
    dev: list[LabeledRow]
    test: list[LabeledRow]
    seen: bool = False
    written: bool = False

    @property
    def data_set(self) -> str:
        """Name of the data set that it is a part of: `saf` of `saf/German`."""
        return self.name.partition("/")[0]

    @property
    def left_out(self) -> list[LabeledRow]:
        """What tests a matcher trained without this set: all that the one that is shipped has not seen either."""
        return self.dev if self.seen else [*self.train, *self.dev, *self.test]


def read_sets(data: Iterable[str], data_dir: Path | None = None, limit: int | None = None) -> list[LabeledSet]:
    """Read sets.

    Args:
        data: Names of `KNOWN`, or files with rows of one's own.
        data_dir: Folder with the source files, or with a folder for each data set; None downloads them.
        limit: Use the first so many questions of each part only.

    Raises:
        OSError: the files are not there.
        ValueError: there is no such set, it is given twice, or a row is not what was expected.
    """
    sets = [found for name in data for found in _read(name, DataSelection(data_dir=data_dir, limit=limit))]
    names = [found.name for found in sets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"--data {twice} is given twice, or two files have that name; rename one or leave it out")
    return sets


def without(sets: Sequence[LabeledSet], left_out: Iterable[str]) -> list[LabeledSet]:
    """Return the sets without some, and without the questions of these wherever else they are asked.

    Args:
        sets: As they were read.
        left_out: Names of sets, or of data sets for all of their parts: `saf/German`, `saf`.

    Raises:
        ValueError: there is no such set, or nothing is left.
    """
    names = [found.name for found in sets]
    gone: set[str] = set()
    for name in left_out:
        matching = {found.name for found in sets if name in (found.name, found.data_set)}
        if not matching:
            raise ValueError(f"--leave-out {name}: there is no such set in --data; {did_you_mean(name, names)}")
        gone |= matching
    if len(gone) == len(names):
        raise ValueError("all sets are left out; give more --data")
    asked = {_bare(row.question) for found in sets if found.name in gone for row in _rows(found)}
    return [_unasked(found, asked) for found in sets if found.name not in gone]


def divided(rows: Sequence[LabeledRow], share: float) -> Divided:
    """Hold out a share of the questions: those whose identifiers have the lowest SHA-256, whatever else is there."""
    names = sorted({row.question_id for row in rows}, key=lambda name: hashlib.sha256(name.encode()).digest())
    chosen = frozenset(names[: round(share * len(names))])
    return Divided(
        [row for row in rows if row.question_id not in chosen], [row for row in rows if row.question_id in chosen]
    )


def sample(rows: Sequence[LabeledRow], count: int | None) -> list[LabeledRow]:
    """Return at most so many of the rows, in their order: those whose texts have the lowest SHA-256. None keeps all."""
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
        return [LabeledSet(name, train, dev, [], seen=True)]
    if name == "traps":
        return [_known(name, traps(DataSelection(limit=selection.limit, split="train")).rows)]
    if name in WRITTEN:
        files = sorted(WRITTEN[name].glob("*.jsonl"))
        found = [_known(f"{name}/{path.stem}", _written(path, selection.limit)) for path in files]
        return [replace(one, written=True) for one in found]
    if name in SETS:
        data = DATA[name](replace(selection, split="train"))
        parts = [group for group in data.overview if group != "all"]
        rows_of = {f"{name}/{part}": [data.rows[number] for number in data.members(part)] for part in parts}
        return [_known(part, rows) for part, rows in (rows_of or {name: data.rows}).items()]
    if Path(name).suffix:
        return [_own(Path(name), selection.limit)]
    raise ValueError(
        f"--data {name}: {did_you_mean(name, KNOWN)}, and a file of your own ends in .jsonl, .csv or .parquet"
    )


def _written(path: Path, limit: int | None) -> list[LabeledRow]:
    """Read lines of a question, its references, and lists of right and of wrong answers."""
    language = "de" if path.stem.endswith("german") else "en"
    return [
        LabeledRow(
            line["question"], line["question"], line["references"], answer, label, frozenset(), language=language
        )
        for _, line in itertools.islice(read_rows(path), limit)
        for label, answers in ((1.0, line["right"]), (0.0, line["wrong"]))
        for answer in answers
    ]


def _known(name: str, rows: Sequence[LabeledRow]) -> LabeledSet:
    train, dev = divided(rows, _SHARE)
    return LabeledSet(name, train, dev, [], seen=True)


def _own(path: Path, limit: int | None) -> LabeledSet:
    file_format(path)
    every, _ = labeled_rows(path)
    questions = frozenset(list(dict.fromkeys(row.question_id for row in every))[:limit])
    rows = [row for row in every if row.question_id in questions]
    if len(questions) < _FEWEST or {row.label for row in rows} != {0.0, 1.0}:
        raise RowsError(
            f"{path}: {len(rows)} answers to {len(questions)} questions, {sum(row.label for row in rows):.0f} of them "
            f"correct; expected answers of both kinds, to at least {_FEWEST} questions, some of which are held out"
        )
    rest, test = divided(rows, _SHARE)
    train, dev = divided(rest, _SHARE / (1 - _SHARE))
    return LabeledSet(path.stem, train, dev, test)


def _rows(found: LabeledSet) -> list[LabeledRow]:
    return [*found.train, *found.dev, *found.test]


def _unasked(found: LabeledSet, asked: set[str]) -> LabeledSet:
    train, dev, test = (
        [row for row in rows if _bare(row.question) not in asked] for rows in (found.train, found.dev, found.test)
    )
    return replace(found, train=train, dev=dev, test=test)


def _bare(question: str) -> str:
    """Return the words of a question, so that case and punctuation do not hide that it is the same."""
    return " ".join("".join(c if c.isalnum() else " " for c in question.lower()).split())
