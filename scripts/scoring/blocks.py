"""Write scored rows: to the standard output, or as blocks in a folder from which a stopped run continues.

The folder `scored.parquet.work` holds up to three files per block: the scored rows (`000012.parquet`), the bad rows
(`000012.bad.jsonl`), and a summary (`000012.block`) with hashes of the rows that were read and of the other two files.
The summary is written last, so a block is finished if it has a summary and the files match their hashes.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import BinaryIO

from ..files.rows import Record, RowsError
from ..files.work_folder import finish_work, read_settings, save_settings
from ..files.writing import check_place, join, json_line, print_rows, write_file, write_part
from .row_scorer import BadRow, Progress, ScoredChunk

# The setting that names the file of bad rows. A resumed run may begin to collect them.
_ERRORS = "--errors"

_BEGINNING_OF_BAD_ROWS = re.compile(rb'\{"row": \d+, "error": "|\s*$')


def bad_lines(bad: Iterable[BadRow]) -> bytes:
    """Return the lines of the file of bad rows, as JSONL: `row` (its number), `error` and `input` (the row)."""
    rows = ({"row": one.number, "error": one.error, "input": one.input} for one in bad)
    return b"".join(json_line(row, default=repr) for row in rows)


def check_bad_rows(path: Path) -> None:
    """Raise RowsError unless bad rows can be written there. Only a file of bad rows may be replaced."""
    check_place(path)
    if path.is_file():
        with path.open("rb") as file:
            beginning = file.read(100)
        if not _BEGINNING_OF_BAD_ROWS.match(beginning):
            raise RowsError(f"{path} exists and does not hold bad rows. Name another file, or remove it.")


def digest(records: Iterable[Record]) -> str:
    """Return a hash of records."""
    whole = hashlib.sha256()
    for record in records:
        whole.update(hashlib.sha256(repr(record).encode("utf-8", "backslashreplace")).digest())
    return whole.hexdigest()


class StandardOutput:
    """Print scored rows as JSONL and write bad rows to their file, if there is one, chunk by chunk."""

    def __init__(self, stream: BinaryIO, errors: Path | None) -> None:
        self._stream, self._errors, self.progress = stream, errors, Progress()

    def add(self, number: int, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Write the rows of the next block."""
        if self._errors is not None:
            with self._errors.open("ab" if number else "wb") as file:
                file.write(bad_lines(chunk.bad))
        print_rows(chunk.rows, self._stream)
        self.progress = self.progress.and_then(chunk.progress)


@dataclass(frozen=True)
class Block:
    """A finished block: the digest of the rows that were read, the progress that it made, and the hash of each file."""

    read: str
    outcome: Progress
    hashes: Mapping[str, str]


class Blocks:
    """Finished blocks of an output file.

    Args:
        folder: The folder that holds the blocks.
        target: The output file, which `finish` writes.
        errors: The file of bad rows, which `finish` writes too; None if a bad row stops the run.
        settings: Everything besides the rows that determines the scores and the blocks.
        resume: Continue the work of a stopped run.
    """

    def __init__(
        self, folder: Path, target: Path, errors: Path | None, settings: Mapping[str, str], resume: bool
    ) -> None:
        self._folder, self._target, self._errors = folder, target, errors
        self._settings = {**settings, _ERRORS: str(errors.resolve()) if errors else None}
        self._saved = read_settings(folder, self._settings, resume, may_be_added=[_ERRORS])
        self.finished: dict[int, Block] = {} if self._saved is None else self._read_finished()

    def add(self, number: int, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Save a block."""
        files = []
        if chunk.rows:
            files.append(self._scored(number))
            write_part(files[-1], chunk.rows)
        if chunk.bad:
            files.append(self._bad(number))
            write_file(files[-1], bad_lines(chunk.bad))
        hashes = {file.name: _hash(file.read_bytes()) for file in files}
        if self._saved != self._settings:
            save_settings(self._folder, self._settings)
            self._saved = self._settings
        block = Block(digest(records), chunk.progress, hashes)
        text = json.dumps(asdict(block)).encode()
        write_file(self._folder / f"{number:06d}.block", _hash(text).encode() + b"\n" + text)
        self.finished[number] = block

    @property
    def progress(self) -> Progress:
        """The progress of all finished blocks."""
        return reduce(Progress.and_then, (block.outcome for _, block in sorted(self.finished.items())), Progress())

    def finish(self) -> None:
        """Write bad rows and, if any row was scored, the output, and mark the work as done."""
        blocks = sorted(self.finished.items())
        if self._errors is not None:
            join([self._bad(number) for number, block in blocks if block.outcome.bad], self._errors)
        if scored := [self._scored(number) for number, block in blocks if block.outcome.scored]:
            join(scored, self._target)
        finish_work(self._folder)

    def _scored(self, number: int) -> Path:
        return self._folder / f"{number:06d}{self._target.suffix.lower()}"

    def _bad(self, number: int) -> Path:
        return self._folder / f"{number:06d}.bad.jsonl"

    def _read_finished(self) -> dict[int, Block]:
        found = {int(file.stem): _read(file) for file in self._folder.glob("[0-9]*.block")}
        return {number: block for number, block in found.items() if block is not None and self._is_whole(block)}

    def _is_whole(self, block: Block) -> bool:
        files = {self._folder / name: expected for name, expected in block.hashes.items()}
        return all(file.is_file() and _hash(file.read_bytes()) == expected for file, expected in files.items())


def _read(file: Path) -> Block | None:
    """Read the summary of a block; return None if it is damaged."""
    expected, _, text = file.read_bytes().partition(b"\n")
    if _hash(text).encode() != expected:
        return None
    saved = json.loads(text)
    return Block(saved["read"], Progress(**saved["outcome"]), saved["hashes"])


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
