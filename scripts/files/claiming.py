"""The folder beside an output for unfinished work, which one run at a time has: `scored.parquet.work`."""

import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .rows import RowsError
from .writing import work_place

if TYPE_CHECKING:
    from filelock import BaseFileLock

PROGRESS = "progress.json"
"""The file that says that there is work in the folder."""

CACHE = "cache"
"""A folder in it for what may be made anew."""

# By its lock a folder is known as ours. It is the first file in it and the last that is removed.
_LOCK = "evaluate-qa.lock"
_OURS = re.compile(rf"\d{{6,}}(\.bad)?\.\w+|\..+\.part|{PROGRESS}")

_PATIENCE = 0.2
"""Seconds in which a run that has just ended removes its folder."""


@contextmanager
def claimed(target: Path, patience: float = _PATIENCE) -> Iterator[Path]:
    """Give the folder `<target>.work`, to this run alone; it stays as long as there is work in it.

    Args:
        target: The output.
        patience: Seconds to wait for another run that has the folder.

    Raises:
        RowsError: another run has it, or it is a folder of somebody else's.
    """
    folder = work_place(target)
    lock = _locked(target, folder, patience)
    try:
        _clear_unless_needed(folder)  # of a run that was killed when it did so
        yield folder
    finally:
        if _clear_unless_needed(folder):
            with suppress(OSError):  # on Windows a file that is open stays; there filelock removes it
                (folder / _LOCK).unlink()
        lock.release()
        with suppress(OSError):  # there is work in it, or a file of the user's, or another run has it already
            folder.rmdir()


def claimed_too(file: Path | None) -> AbstractContextManager[object]:
    """Keep other runs from another file that is written; None is no file."""
    return nullcontext() if file is None else claimed(file)


def _locked(target: Path, folder: Path, patience: float) -> "BaseFileLock":
    import filelock

    lock = filelock.FileLock(folder / _LOCK)
    while not lock.is_locked:
        with suppress(FileExistsError):  # it is no folder
            folder.mkdir(exist_ok=True)
        # The run that had the folder may remove it meanwhile, and the lock, as filelock sees, which then locks nothing.
        with suppress(FileNotFoundError, FileExistsError):
            if not _is_ours(folder):
                raise RowsError(f"{folder} is needed for the work on {target}, but another program made it. Rename it.")
            try:
                lock.acquire(timeout=patience, poll_interval=_PATIENCE / 10)
            except filelock.Timeout:
                raise RowsError(f"{target}: another run is writing it. Wait for that run, or stop it.") from None
    return lock


def _is_ours(folder: Path) -> bool:
    try:  # another run may make the lock, or remove it with all that is ours, meanwhile
        names = {path.name for path in folder.iterdir()}
        return not names or _LOCK in names or (folder / _LOCK).exists()
    except OSError:
        return not folder.is_symlink() and not folder.is_file()


def _clear_unless_needed(folder: Path) -> bool:
    """Remove what runs leave in the folder, and nothing else, unless there is work in it; return whether it is done."""
    if (folder / PROGRESS).is_file():
        return False
    shutil.rmtree(folder / CACHE, ignore_errors=True)
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name):
            path.unlink()
    return True
