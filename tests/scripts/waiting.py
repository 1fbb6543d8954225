"""Doing something to a run while it runs, for tests of runs that are stopped. It is no test itself."""

import threading
import time
from collections.abc import Callable
from pathlib import Path


def when_there(path: Path, act: Callable[[], object], seconds: float = 60) -> threading.Thread:
    """Do something, in another thread, as soon as a file is there, or at the latest after so many seconds."""

    def wait() -> None:
        deadline = time.monotonic() + seconds
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
