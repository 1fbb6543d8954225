"""Installs frameworks that conflict with the pinned packages into a folder (310 MB): see environment/frameworks.txt.

The folder precedes the packages of `.venv` on the path. It is kept until the list changes.
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
    """Return the folder; skip the test if the packages cannot be installed, or fail it if `CI` is set."""
    folder = Path(sys.prefix, "frameworks")
    state, wanted = folder / "installed", hashlib.sha256(LIST.read_bytes()).hexdigest()
    with FileLock(f"{folder}.lock"):
        if not state.exists() or state.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            _install(folder)
            state.write_text(wanted)
    return folder


def _install(folder):
    # Most modules are never imported, so they are not compiled.
    options = ["--quiet", "--disable-pip-version-check", "--retries=1", "--no-deps", "--no-compile"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", folder, "--requirement", LIST]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"the frameworks cannot be installed: {done.stderr.strip()[-500:]}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    # lighteval imports all its tasks, and one of them downloads this file if it is missing.
    (folder / "lighteval/tasks/tasks/tinyBenchmarks.pkl").touch()
