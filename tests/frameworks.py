"""A folder of frameworks that conflict with the pins: see environment/frameworks.txt. It is no test itself.

It is put before the packages of `.venv`, which hold all else: no second torch. Made by the first run (a minute, of
which 13 seconds are CPU; 310 MB), kept beside them until the list changes.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

LIST = Path(__file__).parent / "environment" / "frameworks.txt"


def installed():
    """Return the folder; skip where there is no index, but where `CI` is set fail."""
    folder = Path(sys.prefix, "frameworks")
    state, wanted = folder / "installed", hashlib.sha256(LIST.read_bytes()).hexdigest()
    with FileLock(f"{folder}.lock"):
        if not state.exists() or state.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            _install(folder)
            state.write_text(wanted)
    return folder


def _install(folder):
    # Most of what is there is never imported, so it is not compiled.
    options = ["--quiet", "--disable-pip-version-check", "--retries=1", "--no-deps", "--no-compile"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", folder, "--requirement", LIST]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        told = f"the frameworks cannot be installed: {done.stderr.strip()[-500:]}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(told)
    # lighteval reads all its tasks first, and one of them downloads this file at that, if it is not there.
    (folder / "lighteval/tasks/tasks/tinyBenchmarks.pkl").touch()
