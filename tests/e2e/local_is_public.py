"""Runs a Space's app.py and lets gradio take this machine for one of the internet: `local_is_public.py FILE`.

Gradio fetches nothing from private addresses; with this, a test can stand for the internet.
"""

import runpy
import sys
from pathlib import Path

import safehttpx
from gradio.queueing import Queue

if __name__ == "__main__":
    safehttpx.is_public_ip = lambda _: True
    # It looks for work a thousand times a second: each Space that waits would take some percent of a core.
    Queue.sleep_when_free = property(lambda _: 0.02, lambda *_: None)
    Queue.progress_update_sleep_when_free = property(lambda _: 0.1, lambda *_: None)
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
