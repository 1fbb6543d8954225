"""Installs Debian packages that some tests need."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock


def install(*packages):
    """Install packages as root on Debian, one process at a time; do nothing elsewhere, and ignore failures."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    command = f"apt-get update -q; apt-get install -q -y --no-install-recommends {' '.join(packages)}"
    with FileLock(Path(tempfile.gettempdir(), "evaluate-qa-tests-apt.lock")):
        subprocess.run(command, shell=True, capture_output=True, check=False)
