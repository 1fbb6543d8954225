"""Runs a Space's app.py while Gradio treats local addresses as public: `local_is_public.py FILE`.

Gradio fetches nothing from private addresses, so a test could not find out whether it fetches from public ones.
"""

import runpy
import sys
from pathlib import Path

import safehttpx
from gradio.queueing import Queue

if __name__ == "__main__":
    safehttpx.is_public_ip = lambda _: True
    # Gradio looks for work a thousand times per second, which would keep the CPU busy while a Space waits.
    Queue.sleep_when_free = property(lambda _: 0.02, lambda *_: None)
    Queue.progress_update_sleep_when_free = property(lambda _: 0.1, lambda *_: None)
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
