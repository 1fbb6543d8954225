"""Where scored rows go: to the standard output, or to parts in a folder beside the output, which a killed run leaves.

The folder `scored.parquet.work` holds the parts, and in `progress.json` how far they reach and how they were made. A
part counts from the moment at which the progress that mentions it takes the place of the one before.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from ..files.rows import Record, Row, RowsError
from ..files.writing import join, json_line, print_rows, write_part
from .folder import PROGRESS, claimed, earlier_progress, save_progress
from .row_scorer import BadRow, ScoredChunk


@dataclass(frozen=True)
class Progress:
    """How far a run has come.

    Attributes:
        records: Rows that were read, good or bad.
        digest: Of what was read.
        parts: Files of scored rows.
        scored: Rows in them.
        errors_size: Bytes of the file of bad rows.
        sums: Column of the metric → sum and count.
        signatures: Those of all chunks; more than one if the chunks differ in what the scores depend on.
    """

    records: int = 0
    digest: str = ""
    parts: int = 0
    scored: int = 0
    errors_size: int = 0
    sums: Mapping[str, Sequence[float]] = field(default_factory=dict)
    signatures: Sequence[str] = ()

    @property
    def bad(self) -> int:
        """Rows that could not be scored."""
        return self.records - self.scored

    def after(self, records: Sequence[Record], chunk: ScoredChunk, errors_size: int) -> "Progress":
        """Return the progress after one more chunk."""
        return self.and_then(
            Progress(
                len(records),
                digest(records, self.digest),
                int(bool(chunk.rows)),
                len(chunk.rows),
                errors_size - self.errors_size,
                chunk.sums,
                [chunk.signature] if chunk.signature else [],
            )
        )

    def and_then(self, other: "Progress") -> "Progress":
        """Return both together; the digest is that of the later one."""
        sums = {
            name: [a + b for a, b in zip(self.sums.get(name, (0, 0)), other.sums.get(name, (0, 0)), strict=True)]
            for name in dict.fromkeys([*self.sums, *other.sums])
        }
        return Progress(
            self.records + other.records,
            other.digest,
            self.parts + other.parts,
            self.scored + other.scored,
            self.errors_size + other.errors_size,
            sums,
            tuple(dict.fromkeys([*self.signatures, *other.signatures])),
        )


def digest(records: Iterable[Record], before: str = "") -> str:
    """Return a hash of the records and all before them; however they are divided, it is the same."""
    for record in records:
        text = f"{before}{record!r}"
        before = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return before


class Output(Protocol):
    """Where scored rows go."""

    progress: Progress

    def add(self, rows: Sequence[Row], progress: Progress) -> None:
        """Take the rows of a chunk; `progress` is then reached."""

    def finish(self) -> None:
        """Complete the output."""


class StandardOutput:
    """Scored rows as JSONL, each chunk as soon as it is scored.

    Args:
        stream: The standard output.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.progress = stream, Progress()

    def add(self, rows: Sequence[Row], progress: Progress) -> None:
        """Print the rows."""
        print_rows(rows, self._stream)
        self.progress = progress

    def finish(self) -> None:
        """Do nothing: all rows are printed."""


class WorkFolder:
    """Parts of an output file.

    Args:
        folder: Where the parts are.
        target: The file, which appears at the end.
        settings: What the scores depend on besides the rows.
        resume: Whether to take up what an earlier run has left.

    Raises:
        RowsError: there is an earlier run's work and it is not to be taken up, or it was made with other settings.
    """

    def __init__(self, folder: Path, target: Path, settings: Mapping[str, str], resume: bool) -> None:
        self._folder, self._target, self._settings = folder, target, settings
        earlier = earlier_progress(folder, settings, resume)
        self.progress = Progress(**earlier) if earlier else Progress()

    def add(self, rows: Sequence[Row], progress: Progress) -> None:
        """Write the rows as a part."""
        if rows:
            write_part(self._part(self.progress.parts), rows)
        save_progress(self._folder, self._settings, asdict(progress))
        self.progress = progress

    def finish(self) -> None:
        """Join the parts and remove them."""
        joined = self._folder / f"joined{self._target.suffix.lower()}"
        join([self._part(number) for number in range(self.progress.parts)], joined)
        joined.replace(self._target)
        (self._folder / PROGRESS).unlink()

    def _part(self, number: int) -> Path:
        return self._folder / f"{number:06d}{self._target.suffix.lower()}"


@contextmanager
def work_folder(target: Path, settings: Mapping[str, str], resume: bool) -> Iterator[WorkFolder]:
    """Give the parts in the folder `<target>.work`, to this run alone.

    Raises:
        RowsError: another run has it, or what `WorkFolder` raises.
    """
    with claimed(target) as folder:
        yield WorkFolder(folder, target, settings, resume)


class ErrorsFile:
    """The file of bad rows, as JSONL: `row` (its number), `error` and `input`.

    Args:
        path: The file; None if bad rows are not set aside.
        size: How many bytes of it an earlier run has finished.

    Raises:
        RowsError: the file is not the one of the earlier run.
    """

    def __init__(self, path: Path | None, size: int = 0) -> None:
        self._path, self.size = path, size
        if path is not None:
            with path.open("ab") as file:
                if file.tell() < size:
                    raise RowsError(f"{path} is not the file of bad rows of the run to go on with; name that file")
                file.truncate(size)

    def add(self, bad: Sequence[BadRow]) -> None:
        """Write bad rows, at once."""
        if self._path is not None and bad:
            with self._path.open("ab") as file:
                file.write(bad_lines(bad))
                self.size = file.tell()


def bad_lines(bad: Iterable[BadRow]) -> bytes:
    """Return bad rows as they stand in the file of bad rows."""
    lines = [{"row": one.number, "error": one.error, "input": one.input} for one in bad]
    return b"".join(json_line(line, default=repr) for line in lines)
