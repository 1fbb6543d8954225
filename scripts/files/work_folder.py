"""The folder for unfinished work next to an output, `scored.parquet.work`, which only one run at a time may use."""

import json
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .rows import RowsError
from .writing import work_folder_path, write_file

if TYPE_CHECKING:
    from filelock import BaseFileLock

CACHE = "cache"
"""A subfolder for data that can be computed again."""

# The file with the settings of the work. The folder holds work if this file exists.
_SETTINGS = "progress.json"

# The lock marks the folder as ours. It is created first and removed last.
_LOCK = "evaluate-qa.lock"
_OURS = re.compile(rf"\d{{6,}}(\.bad)?\.\w+|\..+\.part|{_SETTINGS}")

_PATIENCE = 0.2
"""Seconds that a run which has just ended may need to remove its folder."""


@contextmanager
def lock_work_folder(target: Path, patience: float = _PATIENCE) -> Iterator[Path]:
    """Yield the folder `<target>.work`, locked for this run; keep it afterwards if it holds work.

    Raise RowsError if another run keeps the lock for `patience` seconds, or another program made the folder.
    """
    folder = work_folder_path(target)
    lock = _acquire_lock(target, folder, patience)
    try:
        _clear_unless_needed(folder)  # a run may have been killed while it cleared the folder
        yield folder
    finally:
        if _clear_unless_needed(folder):
            with suppress(OSError):  # Windows cannot remove an open file; there, filelock removes it
                (folder / _LOCK).unlink()
        lock.release()
        with suppress(OSError):  # the folder holds work or a user's file, or another run has locked it
            folder.rmdir()


def holds_work(folder: Path) -> bool:
    """Return whether a work folder holds the work of a run, from `save_settings` to `finish_work`."""
    return (folder / _SETTINGS).is_file()


def finish_work(folder: Path) -> None:
    """Mark the work in a folder as done; its files are removed together with the lock."""
    (folder / _SETTINGS).unlink(missing_ok=True)


def start_over(folder: Path) -> None:
    """Remove the work of a stopped run."""
    finish_work(folder)
    _clear_unless_needed(folder)


def read_settings(
    folder: Path, settings: Mapping[str, Any], resume: bool, may_be_added: Collection[str] = ()
) -> dict[str, Any] | None:
    """Return the settings that `save_settings` saved; None if the folder holds no work.

    Raise RowsError for work that is not to be resumed, or was made with other settings than `settings`. A resumed run
    may set those in `may_be_added` that were None.
    """
    if not holds_work(folder):
        return None
    if not resume:
        raise RowsError(
            f"{folder} holds the work of a stopped run. Continue it with --resume, or start over with --overwrite."
        )
    file = folder / _SETTINGS
    try:
        saved: dict[str, Any] = dict(json.loads(file.read_bytes()))
    except (ValueError, TypeError) as error:
        raise RowsError(f"{file} is damaged ({error}). Restore it, or delete it to start over.") from None
    for name, value in settings.items():
        before = saved.get(name)
        if before != value and (before is not None or name not in may_be_added):
            raise RowsError(
                f"{folder} was made with {name} {before}, but this run has {name} {value}. Use the earlier value, or "
                f"delete {file} to start over."
            )
    return saved


def save_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Save the settings of the work in a folder; from now on, the folder holds work."""
    write_file(folder / _SETTINGS, json.dumps(settings, indent=1).encode())


def _acquire_lock(target: Path, folder: Path, patience: float) -> "BaseFileLock":
    import filelock

    lock = filelock.FileLock(folder / _LOCK)
    while not lock.is_locked:
        with suppress(FileExistsError):  # a file has this name
            folder.mkdir(exist_ok=True)
        # Another run may remove the folder and the lock in between; filelock notices that.
        with suppress(FileNotFoundError, FileExistsError):
            if not _is_ours(folder):
                raise RowsError(f"{folder} is needed for the work on {target}, but another program made it. Rename it.")
            try:
                lock.acquire(timeout=patience, poll_interval=_PATIENCE / 10)
            except filelock.Timeout:
                raise RowsError(f"{target}: another run is writing it. Wait for that run, or stop it.") from None
    return lock


def _is_ours(folder: Path) -> bool:
    try:  # another run may create or remove the lock in between
        names = {path.name for path in folder.iterdir()}
        return not names or _LOCK in names or (folder / _LOCK).exists()
    except OSError:
        return not folder.is_symlink() and not folder.is_file()


def _clear_unless_needed(folder: Path) -> bool:
    """Remove the files of runs from the folder unless it holds work; return True if they were removed."""
    if holds_work(folder):
        return False
    shutil.rmtree(folder / CACHE, ignore_errors=True)
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name):
            path.unlink()
    return True
