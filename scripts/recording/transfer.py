"""From the cache to a file of verdicts, and back. Other processes may use the cache meanwhile."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evaluate_qa.metrics._shared.progress import progress
from evaluate_qa.metrics.judge.verdicts import FILE, JudgedRow, JudgeName, Record, Verdicts

from ..files.bad_rows import bad_line
from ..files.rows import Broken, place, read_records
from ..files.rows import Row as Line
from ..files.writing import write_rows
from .lines import VerdictDefaults, line, record

_BATCH = 5000
"""Verdicts kept in one transaction."""


@dataclass
class Imported:
    """How many verdicts were imported.

    Attributes:
        new: Those that were not there.
        known: Those that were there alike.
        differing: Those that are there otherwise, and stay.
        bad: Rows that hold none.
    """

    new: int = 0
    known: int = 0
    differing: int = 0
    bad: int = 0


def export(folder: Path, target: str) -> int:
    """Write all verdicts of a cache to a file, and return their number."""
    if not (folder / FILE).is_file():
        raise FileNotFoundError(f"{folder} holds no verdicts. Give the cache_dir of a judge.")

    def lines() -> Iterator[Line]:
        with progress("verdicts: export", None, "verdict") as bar:
            for found in Verdicts(folder):
                yield line(found)
                bar.update()

    return write_rows(target, lines())


def import_rows(
    source: str, folder: Path, given: VerdictDefaults, set_aside: Callable[[bytes], object] | None
) -> Imported:
    """Keep the verdicts that a file holds.

    Args:
        source: A JSONL file, or `-`.
        folder: The cache; made when missing.
        given: What is said of all rows.
        set_aside: Takes the line of a bad row; None stops at the first one.

    Raises:
        ValueError: a row is bad; the message names it. To import the file again, once it is mended, does no harm.
        OSError: verdicts could not be kept.
    """
    done, verdicts = Imported(), Verdicts(folder)
    records = _records(source, given, set_aside, done)
    with progress("verdicts: import", None, "verdict") as bar:
        while batch := list(islice(records, _BATCH)):
            _keep(batch, verdicts, done)
            bar.update(len(batch))
    return done


def _records(
    source: str, given: VerdictDefaults, set_aside: Callable[[bytes], object] | None, done: Imported
) -> Iterator[Record]:
    for number, found in read_records(source):
        try:
            if isinstance(found, Broken):
                raise ValueError(found.message)
            yield _record(source, number, found, given)
        except ValueError as error:
            if set_aside is None:
                raise
            set_aside(bad_line(number, str(error), found.text if isinstance(found, Broken) else found))
            done.bad += 1


def _record(source: str, number: int, found: Line, given: VerdictDefaults) -> Record:
    try:
        return record(found, given)
    except ValueError as error:
        raise ValueError(f"{place(source, number)}: {error}") from None


def _keep(records: Iterable[Record], verdicts: Verdicts, done: Imported) -> None:
    """Write records that are not there yet, and count."""
    by_judge: dict[JudgeName, list[Record]] = {}
    for one in records:
        by_judge.setdefault(one.judge, []).append(one)
    for judge, theirs in by_judge.items():
        there = verdicts.read(judge, list(dict.fromkeys(one.row for one in theirs)))
        new: dict[JudgedRow, Record] = {}
        for one in theirs:
            if (other := there.get(one.row) or new.setdefault(one.row, one)) is one:
                done.new += 1
            elif other.verdict == one.verdict:
                done.known += 1
            else:
                done.differing += 1
        verdicts.write(list(new.values()))
        if len(verdicts.read(judge, list(new))) < len(new):
            raise OSError(f"verdicts cannot be kept in {verdicts.folder / FILE}. Make the file writable.")
