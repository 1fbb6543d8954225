"""A Python that has imported what takes seconds and becomes, in a fork, any other: `fork_server.py MODULE ...`.

No test itself; tests/processes.py starts it and talks to it. Its standard input is a socket that listens: each
connection is an order of one process. Through it come a byte with three descriptors, the new process's standard
streams, and one line of JSON: arguments as they would follow `python`, cwd, env, and whether to begin a session. Back
go two lines: the process's id and, once it has ended, its return code as `subprocess` counts it. Its standard output
is a socket too, whose other end is held by who started it: as that ends, so does the server.

There is one thread and no loop of events: each process has a keeper, forked for it, which waits for it.
"""

import atexit
import builtins
import faulthandler
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from types import ModuleType


def serve():
    """Fork a process for each order. Returns only in such a process, with its order; ends with who started it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; a server ends with who started it
    orders, starter = socket.socket(fileno=0), sys.stdout.fileno()
    while True:
        if starter in select.select([orders, starter], [], [])[0]:
            os._exit(0)
        connection, _ = orders.accept()
        if not os.fork():
            orders.detach()  # it is standard input, whose place the process's own takes
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _keep(connection)
        connection.close()


def _keep(connection):
    """Fork the process and tell of it. Returns in the process; the keeper ends here."""
    with connection:
        _, streams, *_ = socket.recv_fds(connection, 1, 3)
        with connection.makefile() as lines:
            order = json.loads(lines.readline())
        if process := os.fork():
            connection.sendall(f"{process}\n".encode())
            _, status = os.waitpid(process, 0)
            with suppress(BrokenPipeError):  # nobody wants to know any more
                connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    return order


def become(order):
    """Run `python ARGUMENTS` in this process, as if it had just been started."""
    if order["session"]:
        os.setsid()
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    if order["env"].get("PYTHONFAULTHANDLER"):
        faulthandler.enable()
    sys.stdout.reconfigure(write_through=bool(order["env"].get("PYTHONUNBUFFERED")))
    sys.path[1:1] = filter(None, order["env"].get("PYTHONPATH", "").split(os.pathsep))
    first, *arguments = order["arguments"]
    while first in ("-W", "-u"):
        if first == "-u":
            sys.stdout.reconfigure(write_through=True)
        else:
            warnings.simplefilter(arguments.pop(0))
        first, *arguments = arguments
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__builtins__ = builtins
    if first == "-m":
        sys.path[0], sys.argv = str(Path.cwd()), arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path[0], sys.argv = "", ["-c", *arguments[1:]]
        exec(compile(arguments[0], "<string>", "exec"), main.__dict__)
    else:
        main.__file__ = str(Path.cwd() / first)
        sys.path[0], sys.argv = str(Path(first).resolve().parent), [first, *arguments]
        exec(compile(Path(first).read_bytes(), main.__file__, "exec"), main.__dict__)


def end(code):
    """End as Python does, but leave the memory to the system: taking it apart would first copy it, for seconds."""
    threading._shutdown()  # which waits for the threads that are none of daemons
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main():
    """Import, serve, and be what is ordered."""
    for module in sys.argv[1:]:
        with suppress(ImportError):  # which a process that needs it will tell
            importlib.import_module(module)
    gc.freeze()  # a collection in a process would touch, and so copy, all that was imported
    order = serve()
    try:
        become(order)
    except SystemExit as exit:
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
        end(1 if isinstance(exit.code, str) else exit.code or 0)
    except BaseException:
        traceback.print_exc()
        end(1)
    end(0)


if __name__ == "__main__":
    main()
