"""Runs a Space's app.py and lets gradio take this machine for one of the internet: `local_is_public.py FILE`.

Gradio fetches nothing from private addresses; with this, a test can stand for the internet.
"""

import runpy
import sys
from pathlib import Path

import safehttpx

if __name__ == "__main__":
    safehttpx.is_public_ip = lambda _: True
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
