"""Scored blocks of an output, which may be finished in any order, and their joining in that of the input.

The folder `scored.parquet.work` holds up to three files of a block, named by its number: `000012.parquet` with the
scored rows, `000012.bad.jsonl` with those that could not be scored, and `000012.block`, which says what was read, what
became of it, and the hashes of the others. Each appears when it is whole, this last one after the others: a block is
finished if it has them all as they were written, and of any other nothing counts.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import count, takewhile
from pathlib import Path

from ..files.bad_rows import check_bad_rows
from ..files.claiming import PROGRESS
from ..files.rows import Record, RowsError
from ..files.writing import join, replacing, write_part
from .folder import ERRORS, earlier_settings, save_settings
from .row_scorer import ScoredChunk
from .work import Progress, bad_lines, digest


@dataclass(frozen=True)
class Block:
    """A block that is finished.

    Attributes:
        read: Digest of the rows that were read.
        outcome: What became of them.
        hashes: Of the block's files of rows, by their names.
    """

    read: str
    outcome: Progress
    hashes: Mapping[str, str]


class Blocks:
    """Finished blocks of an output file.

    Args:
        folder: Where they are.
        target: The file, which appears at the end.
        errors: The file of bad rows, which appears at the end too; None if they are not set aside.
        settings: What the scores and the numbers of the blocks depend on besides the rows.
        resume: Whether to take up what an earlier run has left.

    Raises:
        RowsError: there is an earlier run's work and it is not to be taken up, or it was made with other settings.
    """

    def __init__(
        self, folder: Path, target: Path, errors: Path | None, settings: Mapping[str, str], resume: bool
    ) -> None:
        self._folder, self._target, self._errors = folder, target, errors
        self._settings = {**settings, ERRORS: str(errors.resolve()) if errors else None}
        self._saved = earlier_settings(folder, self._settings, resume)
        self.finished: dict[int, Block] = {} if self._saved is None else self._whole()

    def add(self, number: int, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Write a block, and what became of its rows."""
        if self._saved != self._settings:
            save_settings(self._folder, self._settings)
            self._saved = self._settings
        files = []
        if chunk.rows:
            files.append(self._scored(number))
            write_part(files[-1], chunk.rows)
        if chunk.bad:
            files.append(self._bad(number))
            with replacing(files[-1]) as path:
                path.write_bytes(bad_lines(chunk.bad))
        block = Block(
            digest(records), Progress.of(records, chunk), {file.name: _hash(file.read_bytes()) for file in files}
        )
        with replacing(self._told(number)) as path:
            text = json.dumps(asdict(block)).encode()
            path.write_bytes(_hash(text).encode() + b"\n" + text)
        self.finished[number] = block

    def append(self, records: Sequence[Record], chunk: ScoredChunk) -> None:
        """Write the next block of a run that takes one after the other."""
        self.add(len(self.finished), records, chunk)

    def unbroken(self) -> list[Block]:
        """Return the first blocks, up to one that is missing; those behind it are forgotten, to be made again."""
        first = [self.finished[number] for number in takewhile(self.finished.__contains__, count())]
        for number in [number for number in self.finished if number >= len(first)]:
            self._told(number).unlink()
            del self.finished[number]
        return first

    @property
    def progress(self) -> Progress:
        """What became of the rows of all finished blocks."""
        return reduce(Progress.and_then, (block.outcome for _, block in sorted(self.finished.items())), Progress())

    def finish(self) -> None:
        """Write the file of bad rows, and the output unless no row was scored; there is no more work then.

        Raises:
            RowsError: a block was damaged meanwhile.
        """
        numbers = sorted(self.finished)
        for number in numbers:
            if not self._is_whole(self.finished[number]):
                raise RowsError(f"{self._scored(number)} was damaged. Use --resume to write it again.")
        if self._errors is not None:
            check_bad_rows(self._errors)
            join([self._bad(number) for number in numbers if self.finished[number].outcome.bad], self._errors)
        if scored := [self._scored(number) for number in numbers if self.finished[number].outcome.scored]:
            join(scored, self._target)
        (self._folder / PROGRESS).unlink(missing_ok=True)

    def _scored(self, number: int) -> Path:
        return self._folder / f"{number:06d}{self._target.suffix.lower()}"

    def _bad(self, number: int) -> Path:
        return self._folder / f"{number:06d}.bad.jsonl"

    def _told(self, number: int) -> Path:
        return self._folder / f"{number:06d}.block"

    def _whole(self) -> dict[int, Block]:
        found = {int(file.stem): _read(file) for file in self._folder.glob("[0-9]*.block")}
        return {number: block for number, block in found.items() if block is not None and self._is_whole(block)}

    def _is_whole(self, block: Block) -> bool:
        files = {self._folder / name: before for name, before in block.hashes.items()}
        return all(file.is_file() and _hash(file.read_bytes()) == before for file, before in files.items())


def _read(file: Path) -> Block | None:
    """Return what a file says of its block; None if it is damaged."""
    before, _, text = file.read_bytes().partition(b"\n")
    if _hash(text).encode() != before:
        return None
    told = json.loads(text)
    return Block(told["read"], Progress(**told["outcome"]), told["hashes"])


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
