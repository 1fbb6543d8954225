"""A running Space, in a process of its own."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from processes import free_port, wait_until_up

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
            wait_until_up(self.url, self.process, self.log, 120)
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
