"""Acts on a run while it runs, for tests of interrupted runs."""

import threading
import time
from collections.abc import Callable
from pathlib import Path


def when_there(path: Path, act: Callable[[], object], seconds: float = 60) -> threading.Thread:
    """Call a function in another thread as soon as a file exists, or after a time limit in seconds."""

    def wait() -> None:
        deadline = time.monotonic() + seconds
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
