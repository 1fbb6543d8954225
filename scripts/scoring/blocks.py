"""Scored blocks of an output, which may be finished in any order, and their joining in that of the input.

The folder `scored.parquet.work` holds up to three files of a block, named by its number: `000012.parquet` with the
scored rows, `000012.bad.jsonl` with those that could not be scored, and `000012.json`, which says what was read and
what became of it. Each appears when it is whole, this last one after the others: a block that has it is finished, and
of any other nothing counts.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import reduce
from pathlib import Path

from ..files.writing import join, replacing, write_part
from .folder import PROGRESS, claimed, earlier_progress, save_progress
from .row_scorer import ScoredChunk
from .work import Progress, bad_lines


class Blocks:
    """Finished blocks of an output file.

    Args:
        folder: Where they are.
        target: The file, which appears at the end.
        settings: What the scores and the numbers of the blocks depend on besides the rows.
        resume: Whether to take up what an earlier run has left.

    Raises:
        RowsError: there is an earlier run's work and it is not to be taken up, or it was made with other settings.
    """

    def __init__(self, folder: Path, target: Path, settings: Mapping[str, str], resume: bool) -> None:
        self._folder, self._target, self._settings = folder, target, settings
        is_new = earlier_progress(folder, settings, resume) is None
        self.finished: dict[int, Progress] = {} if is_new else self._earlier()

    def add(self, number: int, outcome: Progress, chunk: ScoredChunk) -> None:
        """Write a block; `outcome` says what was read and what became of it."""
        if not self.finished:
            save_progress(self._folder, self._settings, {})
        if chunk.rows:
            write_part(self._scored(number), chunk.rows)
        if chunk.bad:
            with replacing(self._bad(number)) as path:
                path.write_bytes(bad_lines(chunk.bad))
        with replacing(self._folder / f"{number:06d}.json") as path:
            path.write_text(json.dumps(asdict(outcome)))
        self.finished[number] = outcome

    @property
    def progress(self) -> Progress:
        """What became of the rows of all finished blocks."""
        return reduce(Progress.and_then, (self.finished[number] for number in sorted(self.finished)), Progress())

    def write_errors(self, path: Path) -> None:
        """Write the file of bad rows, in their order."""
        with replacing(path) as part, part.open("wb") as file:
            for number, outcome in sorted(self.finished.items()):
                if outcome.bad:
                    with self._bad(number).open("rb") as bad:
                        shutil.copyfileobj(bad, file)

    def finish(self) -> None:
        """Join the blocks and remove them."""
        joined = self._folder / f"joined{self._target.suffix.lower()}"
        join([self._scored(number) for number in sorted(self.finished) if self.finished[number].scored], joined)
        joined.replace(self._target)
        (self._folder / PROGRESS).unlink()

    def _scored(self, number: int) -> Path:
        return self._folder / f"{number:06d}{self._target.suffix.lower()}"

    def _bad(self, number: int) -> Path:
        return self._folder / f"{number:06d}.bad.jsonl"

    def _earlier(self) -> dict[int, Progress]:
        files = self._folder.glob("[0-9]*.json")
        return {int(file.stem): Progress(**json.loads(file.read_text())) for file in files}


@contextmanager
def block_folder(target: Path, settings: Mapping[str, str], resume: bool) -> Iterator[Blocks]:
    """Give the blocks in the folder `<target>.work`, to this run alone.

    Raises:
        RowsError: another run has it, or what `Blocks` raises.
    """
    with claimed(target) as folder:
        yield Blocks(folder, target, settings, resume)
