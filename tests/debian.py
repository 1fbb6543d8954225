"""Debian's packages that some tests need, installed where this machine allows it. It is no test itself."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock


def install(*packages):
    """Install packages as root on Debian, one process at a time; elsewhere, and where that fails, leave things be."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    command = f"apt-get update -q; apt-get install -q -y --no-install-recommends {' '.join(packages)}"
    with FileLock(Path(tempfile.gettempdir(), "evaluate-qa-tests-apt.lock")):
        subprocess.run(command, shell=True, capture_output=True, check=False)
