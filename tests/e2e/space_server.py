"""A running Space, in a process of its own."""

import os
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from processes import free_port

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.parent.name for path in (ROOT / "spaces").glob("*/app.py"))
CLIP = ROOT / "spaces" / "evqascore" / "clips" / "red_square.mp4"


class Server:
    """A running Space.

    Args:
        name: Name of the Space.
        app: Its app.py.
        folder: Folder for its files.
        start: Starts Python with arguments, as `processes.start` does.
    """

    def __init__(self, name, app, folder, start):
        self.name, self.log = name, folder / f"{name}.log"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = os.environ | {
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_NUM_PORTS": "1",  # no other port if this one is taken
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
        """Return a client that has received an answer."""
        from gradio_client import Client, handle_file

        client = Client(self.url, verbose=False)
        given = {"video": handle_file(str(CLIP))} if self.name == "evqascore" else {"references": ["Paris"]}
        client.predict(prediction="Paris", question="Where?", **given, api_name="/score")
        return client

    def memory(self):
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def stop(self):
        """End the process and its children."""
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
        self.process.send_signal(signal.SIGABRT)  # so that it writes the stack of each thread
        self.process.wait(30)
        raise RuntimeError(f"not up after two minutes:\n{self.log.read_text()}")
