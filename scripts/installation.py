"""Put metrics where `evaluate.load("smile")` finds them by name; no process ever sees half a metric or old code.

`evaluate` asks the Hub and then takes that folder `evaluate_modules/metrics/evaluate-metric--smile/<64 hex digits>`
whose `smile.py` was changed last. Here the digits are a hash of the metric's files. A version is written beside, then
renamed, and made the one that was changed last. The version before it stays for a while, for processes that have just
chosen it or that still import from it.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import pairwise
from pathlib import Path

import filelock

from . import standalone

_SPARED = 3600
"""Seconds for which a version stays after it was replaced."""

_HASH_LENGTH = 64

Files = Mapping[str, bytes]


class State(Enum):
    """What `evaluate.load` finds under the name of a metric."""

    CURRENT = "current"
    STALE = "stale"
    ABSENT = "not installed"


def modules_folder() -> Path:
    """Return the folder in which this process's `evaluate` keeps modules; `HF_MODULES_CACHE` moves it."""
    from evaluate.loading import init_dynamic_modules

    return Path(init_dynamic_modules())


def metric_folder(name: str, modules: Path) -> Path:
    """Return the folder of a metric's versions."""
    return modules / "metrics" / f"evaluate-metric--{name}"


def standalone_files(name: str) -> Files:
    """Return the files that are installed for a metric of this package."""
    return {file: text.encode() for file, text in standalone.metric_files(name).items()}


def state(name: str, files: Files, modules: Path) -> State:
    """Say whether the version that `evaluate` would load has these files."""
    versions = _versions(metric_folder(name, modules), name)
    if not versions:
        return State.ABSENT
    return State.CURRENT if _files(versions[-1]) == _installed(files) else State.STALE


def install_metrics(names: Iterable[str]) -> dict[str, Path]:
    """Install metrics of this package by name, for this user; return the folder of each.

    Raises:
        ValueError: no metric of that name comes with this package; then none is installed.
        OSError: evaluate's folder of modules cannot be written.
    """
    files = {name: standalone_files(name) for name in names}
    modules = modules_folder()
    return {name: install(name, content, modules) for name, content in files.items()}


def install(name: str, files: Files, modules: Path) -> Path:
    """Install a metric's files or bring them up to date, and return the folder they are in.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = metric_folder(name, modules)
    files = _installed(files)
    version = folder / _hash(files)
    folder.parent.mkdir(exist_ok=True)
    with _locked(folder):
        folder.mkdir(exist_ok=True)
        (folder.parent / "__init__.py").touch()
        (folder / "__init__.py").touch()
        if _files(version) != files:
            _write(folder, version, files)
        _make_newest(version, name)
        _remove_replaced(folder, name)
    return version


def uninstall(name: str, modules: Path) -> bool:
    """Remove a metric; returns whether it was there."""
    folder = metric_folder(name, modules)
    folder.parent.mkdir(exist_ok=True)
    removed = folder.with_name(f".{folder.name}")
    with _locked(folder):
        if not folder.is_dir():
            return False
        _remove(removed)
        folder.rename(removed)
        _remove(removed)
    return True


def _locked(folder: Path) -> filelock.BaseFileLock:
    # The lock that evaluate itself takes when it writes to this folder.
    return filelock.FileLock(f"{folder}.lock")


def _files(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}


def _installed(files: Files) -> Files:
    return {"__init__.py": b"", **files}


def _hash(files: Files) -> str:
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _versions(folder: Path, name: str) -> list[Path]:
    """Return the versions, the one that `evaluate` takes last."""
    found = [path for path in folder.glob(f"*/{name}.py") if len(path.parent.name) == _HASH_LENGTH]
    return [path.parent for path in sorted(found, key=lambda path: path.stat().st_mtime)]


def _write(folder: Path, version: Path, files: Files) -> None:
    """Write a version, whole from the moment at which it is there; one that is damaged makes room."""
    new, damaged = folder / ".new", folder / ".damaged"
    _remove(new, damaged)
    new.mkdir()
    for name, content in files.items():
        (new / name).write_bytes(content)
    if version.exists():
        version.rename(damaged)
    new.rename(version)
    _remove(damaged)


def _make_newest(version: Path, name: str) -> None:
    others = [_changed(other, name) for other in _versions(version.parent, name) if other != version]
    if others and _changed(version, name) <= max(others):
        newest = max(time.time(), max(others) + 1)
        os.utime(version / f"{name}.py", (newest, newest))


def _remove_replaced(folder: Path, name: str) -> None:
    versions = _versions(folder, name)
    for version, successor in pairwise(versions):
        if time.time() - _changed(successor, name) > _SPARED:
            shutil.rmtree(version)


def _changed(version: Path, name: str) -> float:
    return (version / f"{name}.py").stat().st_mtime


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
