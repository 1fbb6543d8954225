"""Copy verdicts from a judge's cache to a file and back, while other processes may use the cache."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evaluate_qa.metrics._shared.progress import followed, progress
from evaluate_qa.metrics.judge.verdicts import FILE, JudgedRow, JudgeName, Record, Verdicts

from ..files.rows import place, read_rows
from ..files.writing import write_rows
from .lines import VerdictDefaults, line, record

_BATCH = 5000
"""Number of verdicts per transaction."""


@dataclass
class Imported:
    """Numbers of imported verdicts: added, in the cache already, and different from the cache, which was kept."""

    new: int = 0
    known: int = 0
    differing: int = 0


def export(folder: Path, target: str) -> int:
    """Write all verdicts of a cache to a file, and return their number."""
    if not (folder / FILE).is_file():
        raise FileNotFoundError(f"{folder} holds no verdicts. Give the cache_dir of a judge.")
    return write_rows(target, map(line, followed(Verdicts(folder), "verdicts: export", "verdict")))


def import_rows(source: str, folder: Path, given: VerdictDefaults) -> Imported:
    """Add the verdicts in a file to a cache. A file may be imported again after an error."""
    done, verdicts = Imported(), Verdicts(folder)
    records = _records(source, given)
    with progress("verdicts: import", None, "verdict") as bar:
        while batch := list(islice(records, _BATCH)):
            _store(batch, verdicts, done)
            bar.update(len(batch))
    return done


def _records(source: str, given: VerdictDefaults) -> Iterator[Record]:
    for number, row in read_rows(source):
        try:
            yield record(row, given)
        except ValueError as error:
            raise ValueError(f"{place(source, number)}: {error}") from None


def _store(records: Iterable[Record], verdicts: Verdicts, done: Imported) -> None:
    """Add and count the records that are not in the cache."""
    by_judge: dict[JudgeName, list[Record]] = {}
    for one in records:
        by_judge.setdefault(one.judge, []).append(one)
    for judge, of_judge in by_judge.items():
        there = verdicts.read(judge, list(dict.fromkeys(one.row for one in of_judge)))
        new: dict[JudgedRow, Record] = {}
        for one in of_judge:
            if (other := there.get(one.row) or new.setdefault(one.row, one)) is one:
                done.new += 1
            elif other.verdict == one.verdict:
                done.known += 1
            else:
                done.differing += 1
        verdicts.write(list(new.values()))
        if len(verdicts.read(judge, list(new))) < len(new):
            raise OSError(f"verdicts cannot be stored in {verdicts.folder / FILE}. Make the file writable.")
