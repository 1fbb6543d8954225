"""Counts of scored and bad rows, and rows that go to the standard output."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ..files.bad_rows import bad_lines
from ..files.rows import Record
from ..files.writing import print_rows
from .row_scorer import ScoredChunk


@dataclass(frozen=True)
class Progress:
    """What became of rows.

    `records` counts the rows read, good or bad. There are several signatures if the chunks' scores depend on different
    settings.
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
        """Number of rows that could not be scored."""
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
        self.progress = self.progress.and_then(Progress.of(records, chunk))
