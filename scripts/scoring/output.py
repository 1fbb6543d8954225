"""Write scored rows: to the standard output, or as chunks in a folder from which a stopped run continues.

The folder `scored.parquet.work` holds up to three files per chunk: the scored rows (`000012.parquet`), the bad rows
(`000012.bad.jsonl`), and a summary (`000012.block`) with hashes of the rows that were read and of the other two files.
The summary is written last, so a chunk is finished if it has a summary and the files match their hashes.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import BinaryIO

from ..files.rows import Record, RowsError
from ..files.work_folder import finish_work, read_settings, save_settings
from ..files.writing import check_writable, join_parts, json_line, print_rows, write_file, write_part
from .chunk_scorer import BadRow, Chunk, Progress, ScoredChunk

# The setting that names the file of bad rows. A resumed run may begin to collect them.
_ERRORS = "--errors"

_BEGINNING_OF_BAD_ROWS = re.compile(rb'\{"row": \d+, "error": "|\s*$')


def check_bad_rows(path: Path) -> None:
    """Raise RowsError unless bad rows can be written there. Only a file of bad rows may be replaced."""
    check_writable(path)
    if path.is_file():
        with path.open("rb") as file:
            beginning = file.read(100)
        if not _BEGINNING_OF_BAD_ROWS.match(beginning):
            raise RowsError(f"{path} exists and does not hold bad rows. Name another file, or remove it.")


def _bad_lines(bad: Iterable[BadRow]) -> bytes:
    """Return the lines of the file of bad rows, as JSONL: `row` (its number), `error` and `input` (the row)."""
    rows = ({"row": one.number, "error": one.error, "input": one.input} for one in bad)
    return b"".join(json_line(row, default=repr) for row in rows)


def hash_records(records: Iterable[Record]) -> str:
    """Return a hash of records."""
    whole = hashlib.sha256()
    for record in records:
        whole.update(hashlib.sha256(repr(record).encode("utf-8", "backslashreplace")).digest())
    return whole.hexdigest()


@dataclass(frozen=True)
class SavedChunk:
    """The summary of a finished chunk. The file `000012.block` has the same fields."""

    read: str  # a hash of the rows that were read
    outcome: Progress
    hashes: Mapping[str, str]  # the hash of each file of the chunk


class StandardOutput:
    """Print scored rows as JSONL and write bad rows to their file, if there is one, chunk by chunk."""

    def __init__(self, stream: BinaryIO, errors: Path | None) -> None:
        self._stream, self._errors, self.progress = stream, errors, Progress()
        self.finished: dict[int, SavedChunk] = {}  # always empty: a pipe cannot be resumed

    def add(self, chunk: Chunk, scored: ScoredChunk) -> None:
        """Write the rows of the next chunk."""
        if self._errors is not None:
            with self._errors.open("ab" if chunk.number else "wb") as file:
                file.write(_bad_lines(scored.bad))
        print_rows(scored.rows, self._stream)
        self.progress = self.progress.and_then(scored.progress)


class SavedChunks:
    """Finished chunks of an output file.

    Args:
        folder: The folder that holds the chunks.
        target: The output file, which `finish` writes.
        errors: The file of bad rows, which `finish` writes too; None if a bad row stops the run.
        settings: Everything besides the rows that determines the scores and the chunks.
        resume: Continue the work of a stopped run.
    """

    def __init__(
        self, folder: Path, target: Path, errors: Path | None, settings: Mapping[str, str], resume: bool
    ) -> None:
        self._folder, self._target, self._errors = folder, target, errors
        self._settings = {**settings, _ERRORS: str(errors.resolve()) if errors else None}
        self._saved_settings = read_settings(folder, self._settings, resume, may_be_added=[_ERRORS])
        self.finished: dict[int, SavedChunk] = {} if self._saved_settings is None else self._read_finished()

    def add(self, chunk: Chunk, scored: ScoredChunk) -> None:
        """Save a chunk."""
        files = []
        if scored.rows:
            files.append(self._rows_file(chunk.number))
            write_part(files[-1], scored.rows)
        if scored.bad:
            files.append(self._bad_rows_file(chunk.number))
            write_file(files[-1], _bad_lines(scored.bad))
        hashes = {file.name: _hash(file.read_bytes()) for file in files}
        if self._saved_settings != self._settings:
            save_settings(self._folder, self._settings)
            self._saved_settings = self._settings
        saved = SavedChunk(hash_records(chunk.records), scored.progress, hashes)
        text = json.dumps(asdict(saved)).encode()
        write_file(self._folder / f"{chunk.number:06d}.block", _hash(text).encode() + b"\n" + text)
        self.finished[chunk.number] = saved

    @property
    def progress(self) -> Progress:
        """The progress of all finished chunks."""
        return reduce(Progress.and_then, (saved.outcome for _, saved in sorted(self.finished.items())), Progress())

    def finish(self) -> None:
        """Write bad rows and, if any row was scored, the output; mark the work as done unless rows have no score."""
        chunks = sorted(self.finished.items())
        if self._errors is not None:
            join_parts([self._bad_rows_file(number) for number, saved in chunks if saved.outcome.bad], self._errors)
        if files := [self._rows_file(number) for number, saved in chunks if saved.outcome.scored]:
            join_parts(files, self._target)
        if not self.progress.unscored:
            finish_work(self._folder)

    def _rows_file(self, number: int) -> Path:
        return self._folder / f"{number:06d}{self._target.suffix.lower()}"

    def _bad_rows_file(self, number: int) -> Path:
        return self._folder / f"{number:06d}.bad.jsonl"

    def _read_finished(self) -> dict[int, SavedChunk]:
        found = {int(file.stem): _read_summary(file) for file in self._folder.glob("[0-9]*.block")}
        whole = {number: saved for number, saved in found.items() if saved is not None and self._is_whole(saved)}
        # Rows without a score are tried again; a cache has the verdicts on the other rows of their chunk.
        return {number: saved for number, saved in whole.items() if not saved.outcome.unscored}

    def _is_whole(self, saved: SavedChunk) -> bool:
        files = {self._folder / name: expected for name, expected in saved.hashes.items()}
        return all(file.is_file() and _hash(file.read_bytes()) == expected for file, expected in files.items())


def _read_summary(file: Path) -> SavedChunk | None:
    """Read the summary of a chunk; return None if it is damaged."""
    expected, _, text = file.read_bytes().partition(b"\n")
    if _hash(text).encode() != expected:
        return None
    found = json.loads(text)
    return SavedChunk(found["read"], Progress(**found["outcome"]), found["hashes"])


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
