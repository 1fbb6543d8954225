"""Processes that tests start. It is no test itself.

`start` and `run` do what `subprocess` does with `[sys.executable, *arguments]`, but fork the process from a Python that
has imported evaluate already, which takes 5 to 11 seconds of CPU: see fork_server.py. Where Python's start is a part of
what is tested, `new=True` has it started.
"""

import atexit
import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

FORK_SERVER = Path(__file__).with_name("fork_server.py")

# What libraries read from the environment when they are imported. Where that is another than the tests' own, the
# process is forked from a Python that has not imported those of Hugging Face,
OF_HUGGING_FACE = ("HF_", "HUGGINGFACE_", "TRANSFORMERS_", "PYTHONPATH")
# or it is really started.
OF_OTHERS = ("PYTHON", "OMP_", "MKL_", "OPENBLAS_", "TORCH_", "LD_", "MALLOC_")
# Of these, the fork server sees to the first two; Ray and OpenCV set the others in the process of the tests.
OF_NONE = {"PYTHONFAULTHANDLER", "PYTHONUNBUFFERED", "PYTHONBREAKPOINT", "LD_LIBRARY_PATH"}

# The fork servers: each is a fork of another, if one is named, and imports more. What is not installed is left out.
# Workers of pytest-xdist come from the third and share all but the last, because what it imports reads where modules
# and rows are cached, which is another place for each worker. A Space reads its port when it imports Gradio.
SERVERS = {
    "others": (
        None,
        "httpx numpy pandas pyarrow.dataset pyarrow.parquet rich.console rich.progress scipy.optimize scipy.stats"
        " sklearn.metrics torch torch._dynamo torchvision typer.testing yaml",
    ),
    "transformers": ("others", "huggingface_hub transformers.pipelines"),
    "workers": (
        "transformers",
        "av cv2 gradio gradio_client matplotlib.pyplot nltk open_clip openai rouge_score sacrebleu yake",
    ),
    "evaluate": ("transformers", "datasets evaluate evaluate_qa.cli"),
}

# As the tests began with it. Libraries that they import may change it.
ENVIRONMENT = dict(os.environ)

# The variable with the folder of the servers that workers share.
SHARED = "EVALUATE_QA_TESTS_FORKS"


def run(*arguments, check=False, timeout=None, **options):
    """Run Python to its end; returns a `CompletedProcess` with texts. The options are those of `start`."""
    with start(*arguments, **options) as process:
        out, err = process.communicate(timeout=timeout)
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        assert done.returncode == 0, err
    return done


def start(
    *arguments,
    cwd=None,
    env=None,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    start_new_session=False,
    new=False,
):
    """Start Python with these arguments; returns a `Popen` whose output is text, or what is like one."""
    arguments = list(map(str, arguments))
    env = {name: str(value) for name, value in (os.environ if env is None else env).items()}
    streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": stderr}
    if new or (server := _server_for(env)) is None:
        more = {"cwd": cwd, "env": env, "start_new_session": start_new_session, "text": True}
        return subprocess.Popen([sys.executable, *arguments], **streams, **more)
    order = {"arguments": arguments, "cwd": os.fspath(cwd or Path.cwd()), "env": env, "session": start_new_session}
    return Forked(_server(server), order, **streams)


def fork_workers(specs):
    """Have the workers of pytest-xdist be forks, too: this file, run as a program, is what it takes for Python."""
    os.environ[SHARED] = str(_folder())
    _server("workers")
    for spec in specs:
        spec.python = shlex.join([sys.executable, __file__])


class Forked:
    """A process that a fork server started, with what tests use of `subprocess.Popen`."""

    def __init__(self, server, order, stdin, stdout, stderr):
        self.args, self.returncode, self._lock = order["arguments"], None, threading.Lock()
        self.stdout, self.stderr = _file_for(stdout), _file_for(stderr)
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(server)
        with Path(os.devnull).open("r+") as nothing:
            out = self.stdout or {subprocess.DEVNULL: nothing}.get(stdout, stdout)
            err = self.stderr or {subprocess.DEVNULL: nothing, subprocess.STDOUT: out}.get(stderr, stderr)
            streams = [{subprocess.DEVNULL: nothing}.get(stdin, stdin), out, err]
            socket.send_fds(self._connection, [b"x"], [stream.fileno() for stream in streams])
        self._connection.sendall(json.dumps(order).encode() + b"\n")
        self._told = self._connection.makefile()
        self.pid = int(self._told.readline())

    def poll(self):
        """Return the return code, or None as long as it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(timeout=0)
        return self.returncode

    def wait(self, timeout=None):
        """Wait for its end; return the return code. Several threads may wait."""
        if not self._lock.acquire(timeout=-1 if timeout is None else timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        try:
            if self.returncode is None:
                if not select.select([self._connection], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout)
                self.returncode = int(self._told.readline())
                self._told.close()
                self._connection.close()
        finally:
            self._lock.release()
        return self.returncode

    def communicate(self, timeout=None):
        """Wait for its end; return what it wrote to its output and for errors, where that went nowhere else."""
        self.wait(timeout)
        return _text(self.stdout), _text(self.stderr)

    def send_signal(self, number):
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self):
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def terminate(self):
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.communicate()


def _file_for(stream):
    """A file in place of a pipe, so that the process never waits for somebody to read."""
    return tempfile.TemporaryFile("w+") if stream == subprocess.PIPE else None


def _text(file):
    """All of a file, which is closed."""
    if file is None or file.closed:
        return None
    with file:
        file.seek(0)
        return file.read()


def _server_for(env):
    """The name of the fork server for processes with this environment; None where they need a true start."""
    if sys.platform != "linux":  # elsewhere libraries of the system do not bear a fork
        return None
    changed = {name for name in {*env, *ENVIRONMENT} if env.get(name) != ENVIRONMENT.get(name)}
    of_hugging_face = {name for name in changed if name.startswith(OF_HUGGING_FACE)}
    if any(name.startswith(OF_OTHERS) for name in changed - of_hugging_face - OF_NONE):
        return None
    return "others" if of_hugging_face else "evaluate"


@cache
def _folder():
    """Where fork servers listen."""
    if SHARED in os.environ:
        return Path(os.environ[SHARED])
    folder = tempfile.TemporaryDirectory(prefix="forks-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def _server(name):
    """Return where a server listens. It is started first, unless another process shares its own."""
    before, modules = SERVERS[name]
    path = _folder() / (f"{name}-{os.getpid()}" if name == "evaluate" else name)
    if not path.exists():
        _listen(str(path), before and _server(before), [str(FORK_SERVER), *modules.split()])
    return str(path)


def _listen(path, before, arguments):
    """Start a server, as a fork of the one before it; it ends with this process."""
    ours, theirs = socket.socketpair()
    with socket.socket(socket.AF_UNIX) as listening, theirs:
        listening.bind(path)
        listening.listen(100)
        streams = {"stdin": listening, "stdout": theirs, "stderr": sys.__stderr__}
        if before:
            order = {"arguments": arguments, "cwd": "/", "env": ENVIRONMENT, "session": False}
            process = Forked(before, order, **streams)
        else:
            process = subprocess.Popen([sys.executable, *arguments], env=ENVIRONMENT, **streams)

    def end():
        ours.close()  # which it takes for its end
        process.wait()

    atexit.register(end)


if __name__ == "__main__":  # in place of a worker's Python
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the worker
    order = {"arguments": sys.argv[1:], "cwd": str(Path.cwd()), "env": dict(os.environ), "session": False}
    sys.exit(Forked(_server("workers"), order, sys.stdin, sys.stdout, sys.stderr).wait())
