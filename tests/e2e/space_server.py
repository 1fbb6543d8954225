"""A Space that runs, in a process of its own. It is no test itself."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.parent.name for path in (ROOT / "spaces").glob("*/app.py"))
# Those that compare with references: all but the one that looks at a video instead.
REFERENCES = [name for name in NAMES if name != "evqascore"]
CLIP, OTHER_CLIP = (ROOT / "spaces" / "evqascore" / "clips" / f"{name}.mp4" for name in ("red_square", "green_ring"))


class Server:
    """A running Space.

    Args:
        name: Of the Space.
        app: Its app.py.
        folder: Where files may go.
        start: Starts Python with arguments, as `processes.start` does.

    Attributes:
        name: Of the Space.
        url: Where it is.
        uploads: Where it keeps files.
        log: What it writes.
        process: The process.
    """

    def __init__(self, name, app, folder, start):
        self.name, self.log = name, folder / f"{name}.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        environment = os.environ | {
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_NUM_PORTS": "1",  # or gradio takes another if somebody has taken this one since
            "PYTHONFAULTHANDLER": "1",
            "PYTHONUNBUFFERED": "1",
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_TEMP_DIR": str(folder / f"{name}-uploads"),
            "JUDGE_ENDPOINTS": "any",  # the chat servers of the tests are on this machine
        }
        self.uploads = folder / f"{name}-uploads"
        with self.log.open("w") as log:
            self.process = start(app, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self._wait()
            self.client()
        except BaseException:
            self.stop()
            raise

    def client(self):
        """Return a client that has been answered once."""
        from gradio_client import Client, handle_file

        client = Client(self.url, verbose=False)
        given = {"references": ["Paris"]} if self.name in REFERENCES else {"video": handle_file(str(CLIP))}
        client.predict(prediction="Paris", question="Where?", **given, api_name="/score")
        return client

    def memory(self):
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def stop(self):
        """End it, and what it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise

    def _wait(self):
        for _ in range(1200):
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text())
            try:
                with urllib.request.urlopen(self.url, timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        self.process.send_signal(signal.SIGABRT)  # then it writes where each of its threads stands
        self.process.wait(30)
        raise RuntimeError(f"not up after two minutes:\n{self.log.read_text()}")
