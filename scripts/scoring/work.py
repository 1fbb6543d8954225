"""What becomes of rows, and of those that go to the standard output where they go."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from ..files.bad_rows import bad_line
from ..files.rows import Record
from ..files.writing import print_rows
from .row_scorer import BadRow, ScoredChunk


@dataclass(frozen=True)
class Progress:
    """What became of rows.

    Attributes:
        records: Rows that were read, good or bad.
        scored: Those that have scores.
        sums: Column of the metric → sum and count.
        signatures: Those of all chunks; more than one if the chunks differ in what the scores depend on.
    """

    records: int = 0
    scored: int = 0
    sums: Mapping[str, Sequence[float]] = field(default_factory=dict)
    signatures: Sequence[str] = ()

    @classmethod
    def of(cls, records: Sequence[Record], chunk: ScoredChunk) -> "Progress":
        """Return what became of the rows of a chunk."""
        return cls(len(records), len(chunk.rows), chunk.sums, [chunk.signature] if chunk.signature else [])

    @property
    def bad(self) -> int:
        """Rows that could not be scored."""
        return self.records - self.scored

    def and_then(self, other: "Progress") -> "Progress":
        """Return both together."""
        sums = {
            name: [a + b for a, b in zip(self.sums.get(name, (0, 0)), other.sums.get(name, (0, 0)), strict=True)]
            for name in dict.fromkeys([*self.sums, *other.sums])
        }
        signatures = tuple(dict.fromkeys([*self.signatures, *other.signatures]))
        return Progress(self.records + other.records, self.scored + other.scored, sums, signatures)


def digest(records: Iterable[Record]) -> str:
    """Return a hash of records."""
    whole = hashlib.sha256()
    for record in records:
        whole.update(hashlib.sha256(repr(record).encode("utf-8", "backslashreplace")).digest())
    return whole.hexdigest()


class Output(Protocol):
    """Where scored rows go."""

    @property
    def progress(self) -> Progress:
        """What became of the rows so far."""

    def append(self, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Take what became of the next rows."""

    def finish(self) -> None:
        """Complete the output."""


class StandardOutput:
    """Scored rows as JSONL, and bad rows in their file, each chunk as soon as it is scored.

    Args:
        stream: The standard output.
        errors: The file of bad rows; None if they are not set aside.
    """

    def __init__(self, stream: BinaryIO, errors: Path | None) -> None:
        self._stream, self._errors, self.progress = stream, errors, Progress()

    def append(self, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Write the rows."""
        if self._errors is not None:
            with self._errors.open("ab" if self.progress.records else "wb") as file:
                file.write(bad_lines(chunk.bad))
        print_rows(chunk.rows, self._stream)
        self.progress = self.progress.and_then(Progress.of(records, chunk))

    def finish(self) -> None:
        """Do nothing: all is written."""


def bad_lines(bad: Iterable[BadRow]) -> bytes:
    """Return bad rows as they stand in their file."""
    return b"".join(bad_line(one.number, one.error, one.input) for one in bad)
