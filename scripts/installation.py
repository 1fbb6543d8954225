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
from collections.abc import Mapping
from enum import Enum
from itertools import pairwise
from pathlib import Path

import filelock

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


def state(source: Path, modules: Path) -> State:
    """Say whether the version that `evaluate` would take has the files of `source`, the metric's folder."""
    versions = _versions(metric_folder(source.name, modules), source.name)
    if not versions:
        return State.ABSENT
    return State.CURRENT if _files(versions[-1]) == _installed(_files(source)) else State.STALE


def install(source: Path, modules: Path) -> Path:
    """Install a metric or bring it up to date, and return the folder it is in.

    Args:
        source: The metric's folder; links in it are followed.
        modules: The folder in which `evaluate` keeps modules.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = metric_folder(source.name, modules)
    files = _installed(_files(source))
    version = folder / _hash(files)
    folder.parent.mkdir(exist_ok=True)
    with _locked(folder):
        folder.mkdir(exist_ok=True)
        (folder.parent / "__init__.py").touch()
        (folder / "__init__.py").touch()
        if _files(version) != files:
            _write(folder, version, files)
        _make_newest(version, source.name)
        _remove_replaced(folder, source.name)
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
