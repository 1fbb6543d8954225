"""Start Python in processes of their own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

# Code for the start of programs that do not need torch, torchvision or transformers. `import evaluate` imports these
# packages if they are installed, which takes ten seconds of CPU. The environment may have a finder that imports torch
# before torchvision.
HIDE_TORCH = """
import sys
from importlib.machinery import PathFinder

class WithoutTorch(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name in ("torch", "torchvision", "transformers")
        return None if hidden else super().find_spec(name, path, target)

others = (finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "DeclareOperators")
sys.meta_path = [WithoutTorch if finder is PathFinder else finder for finder in others]
"""


def path_without_torch(folder):
    """Return a PYTHONPATH for programs that do not need torch and that start such programs themselves."""
    (folder / "sitecustomize.py").write_text(HIDE_TORCH)
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def run(*arguments, check=False, timeout=None, **options):
    """Run Python to its end and return a `CompletedProcess` with texts. The options are those of `start`."""
    with start(*arguments, **options) as process:
        out, err = process.communicate(timeout=timeout)
    if check:
        assert process.returncode == 0, err
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def free_port():
    """Return a port on which no program listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def start(*arguments, env=None, **options):
    """Start Python with these arguments and return a `Popen`, whose output is text."""
    env = {name: str(value) for name, value in (os.environ if env is None else env).items()}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *map(str, arguments)], env=env, text=True, **(streams | options))


def wait_until_up(url, process, log, seconds):
    """Wait until a server answers; raise an error with its log if it does not, or if its process ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    process.send_signal(signal.SIGABRT)  # so that it writes the stack of each thread
    process.wait(30)
    raise RuntimeError(f"{url} does not answer:\n{log.read_text()}")
