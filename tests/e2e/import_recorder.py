"""Runs a Python file, and logs which thread looks for which module: `import_recorder.py LOG FILE ARGUMENTS`."""

import runpy
import sys
import threading
from pathlib import Path


class Recorder:
    """A finder that finds nothing, but notes who asks for what; each line is written at once."""

    def __init__(self, log):
        self._log = log.open("w", buffering=1)

    def find_spec(self, name, _path=None, _target=None):
        """Note who asks, and leave the finding to others."""
        self._log.write(f"{threading.current_thread().name}\t{name}\n")


if __name__ == "__main__":
    log, sys.argv = Path(sys.argv[1]), sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    sys.meta_path.insert(0, Recorder(log))
    runpy.run_path(sys.argv[0], run_name="__main__")
