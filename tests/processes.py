"""Start Python in processes of their own."""

import os
import subprocess
import sys


def run(*arguments, check=False, timeout=None, **options):
    """Run Python to its end and return a `CompletedProcess` with texts. The options are those of `start`."""
    with start(*arguments, **options) as process:
        out, err = process.communicate(timeout=timeout)
    if check:
        assert process.returncode == 0, err
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def start(*arguments, env=None, **options):
    """Start Python with these arguments and return a `Popen`, whose output is text."""
    env = {name: str(value) for name, value in (os.environ if env is None else env).items()}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *map(str, arguments)], env=env, text=True, **(streams | options))
