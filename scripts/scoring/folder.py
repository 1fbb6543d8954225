"""The folder beside an output that a stopped run leaves: who may write in it, and what its work was made with."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..files.rows import RowsError
from ..files.writing import replacing

PROGRESS = "progress.json"


def work_place(target: Path) -> Path:
    """Return the folder for the work on an output."""
    return target.with_name(f"{target.name}.work")


@contextmanager
def claimed(target: Path) -> Iterator[Path]:
    """Give the folder `<target>.work`, to this run alone; it stays as long as there is work in it.

    Raises:
        RowsError: another run has it.
    """
    import filelock

    folder = work_place(target)
    folder.mkdir(exist_ok=True)
    lock = filelock.FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise RowsError(f"{target}: another run is writing it; wait for that run or stop it") from None
    try:
        yield folder
    finally:
        lock.release()
        if not (folder / PROGRESS).is_file():
            shutil.rmtree(folder)


def earlier_progress(folder: Path, settings: Mapping[str, str], resume: bool) -> Any:
    """Return what `save_progress` was given by an earlier run; None if there is no such run.

    Args:
        folder: The folder of `claimed`.
        settings: What the scores depend on besides the rows.
        resume: Whether to take up what an earlier run has left.

    Raises:
        RowsError: there is an earlier run's work and it is not to be taken up, or it was made with other settings.
    """
    if not (folder / PROGRESS).is_file():
        return None
    if not resume:
        raise RowsError(
            f"{folder} holds the work of a run that was stopped; continue it with --resume, or start over "
            f"after: rm -r {folder}"
        )
    earlier = json.loads((folder / PROGRESS).read_text())
    for name, value in settings.items():
        before = earlier["settings"].get(name)
        if before != value:
            raise RowsError(
                f"{folder} was made with {name} {before}, now it is {value}; give what it was made with, or "
                f"start over after: rm -r {folder}"
            )
    return earlier["progress"]


def save_progress(folder: Path, settings: Mapping[str, str], progress: Any) -> None:
    """Note how far the work has come, and that there is work in the folder."""
    with replacing(folder / PROGRESS) as path:
        path.write_text(json.dumps({"settings": settings, "progress": progress}, indent=1))
