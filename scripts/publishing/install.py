"""Install metrics, as `evaluate-qa install` does, so that `evaluate.load("smile")` finds them from any folder.

`evaluate` loads the newest of the folders `evaluate_modules/metrics/evaluate-metric--smile/<64 hex digits>`; here, the
digits are a hash of the metric's files. A new version is written to another folder and then renamed, so that a process
never loads half a metric.
"""

import hashlib
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import filelock

from .. import standalone

_HASH_LENGTH = 64

Files = Mapping[str, bytes]


def modules_folder() -> Path:
    """Return the folder in which `evaluate` keeps modules; `HF_MODULES_CACHE` moves it."""
    from evaluate.loading import init_dynamic_modules

    return Path(init_dynamic_modules())


def metric_folder(name: str, modules: Path) -> Path:
    """Return the folder of a metric's versions."""
    return modules / "metrics" / f"evaluate-metric--{name}"


def install_metrics(names: Iterable[str]) -> dict[str, Path]:
    """Install metrics of this package, and return the folder of each; if one is unknown, none is installed."""
    texts = {name: standalone.metric_files(name) for name in names}
    modules = modules_folder()
    return {
        name: install(name, {file: text.encode() for file, text in files.items()}, modules)
        for name, files in texts.items()
    }


def install(name: str, files: Files, modules: Path) -> Path:
    """Install or update a metric, remove its other versions, and return its folder."""
    folder = metric_folder(name, modules)
    files = {"__init__.py": b"", **files}
    version = folder / _hash(files)
    folder.parent.mkdir(exist_ok=True)
    with _lock(folder):
        folder.mkdir(exist_ok=True)
        (folder.parent / "__init__.py").touch()
        (folder / "__init__.py").touch()
        if {path.name: path.read_bytes() for path in version.glob("*.py")} != files:
            _write(folder, version, files)
        for file in folder.glob(f"*/{name}.py"):
            if len(file.parent.name) == _HASH_LENGTH and file.parent != version:
                shutil.rmtree(file.parent)
    return version


def uninstall(name: str, modules: Path) -> bool:
    """Remove a metric; return False if it was not installed."""
    folder = metric_folder(name, modules)
    folder.parent.mkdir(exist_ok=True)
    with _lock(folder):
        if not folder.is_dir():
            return False
        removed = folder.with_name(f".{folder.name}")
        shutil.rmtree(removed, ignore_errors=True)
        folder.rename(removed)  # so that no process loads half of it
        shutil.rmtree(removed, ignore_errors=True)
    return True


def _lock(folder: Path) -> filelock.BaseFileLock:
    return filelock.FileLock(f"{folder}.lock")  # evaluate uses the same lock


def _hash(files: Files) -> str:
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _write(folder: Path, version: Path, files: Files) -> None:
    """Write a version with one rename; a damaged version of the same name is removed."""
    new = folder / ".new"
    for left in (new, version):
        shutil.rmtree(left, ignore_errors=True)
    new.mkdir()
    for name, content in files.items():
        (new / name).write_bytes(content)
    new.rename(version)
