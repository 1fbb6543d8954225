"""Fixtures of the drills, which count attempts, continue after failures, and end with a table."""

import os
import random
import signal
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
for folder in ("scripts", "metrics", "e2e"):
    sys.path.append(str(TESTS / folder))

# All workers read it from the environment.
SEED = os.environ.setdefault("DRILLS_SEED", str(int(time.time())))
# Limits a process to 3 GB and writes its peak memory in MB to a file.
MEASURED = """
import atexit, pathlib, resource as r
r.setrlimit(r.RLIMIT_DATA, (3 << 30, 3 << 30))
atexit.register(lambda: pathlib.Path("memory").write_text(str(r.getrusage(r.RUSAGE_SELF).ru_maxrss // 1024)))
"""
# Interrupts are ignored until everything is imported, because Python itself would print a traceback.
COMMAND = """
import signal
from evaluate_qa.cli import app
signal.signal(signal.SIGINT, signal.default_int_handler)
app()
"""


class Drill:
    """Counts attempts and failures."""

    def __init__(self):
        self.tries, self.broken = 0, []

    @contextmanager
    def attempt(self, what):
        """Record a failure of the body and continue."""
        self.tries += 1
        try:
            yield
        except Exception as error:
            self.broken.append(f"{what}: {type(error).__name__}: {str(error).strip()[:1500]}")


@pytest.fixture
def drill(request, record_property):
    """Counts attempts for the line of the table that the test's docstring begins with; fails if any attempt failed."""
    drill, began = Drill(), time.monotonic()
    yield drill
    label = request.function.__doc__.splitlines()[0].rstrip(".")
    record_property("drill", [label, drill.tries, len(drill.broken), time.monotonic() - began])
    assert not drill.broken, "\n".join(drill.broken)


@pytest.fixture
def rng(request):
    """Random numbers, which DRILLS_SEED repeats."""
    return random.Random(f"{SEED} {request.node.name}")


@pytest.fixture
def command(processes):
    """Starts `evaluate-qa` in a process, after optional lines of Python."""

    def start(*arguments, before="", **options):
        ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
        return processes.start("-c", f"{before}\n{COMMAND}", *arguments, preexec_fn=ignore, **options)

    return start


@pytest.fixture
def finished(command, tmp_path):
    """Runs `evaluate-qa` to its end and checks that it prints no traceback.

    Returns exit code, output and, with `measured=True`, the peak memory in MB.
    """

    def run(*arguments, timeout=120, measured=False, **options):
        options |= {"before": MEASURED, "cwd": tmp_path} if measured else {}
        with command(*arguments, **options) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            finally:
                process.kill()
        assert "Traceback" not in err, err[-3000:]
        memory = [int((tmp_path / "memory").read_text())] if measured else []
        return process.returncode, out + err, *memory

    return run


def pytest_terminal_summary(terminalreporter):
    reports = [report for some in terminalreporter.stats.values() for report in some if hasattr(report, "when")]
    failed, found = {report.nodeid for report in reports if report.failed}, {}
    for report in (report for report in reports if report.when == "teardown"):
        for label, tries, broken, seconds in (value for name, value in report.user_properties if name == "drill"):
            numbers = tries, max(broken, report.nodeid in failed), seconds
            found[label] = [a + b for a, b in zip(found.get(label, [0, 0, 0]), numbers, strict=True)]
    terminalreporter.section(f"drills (DRILLS_SEED={SEED})")
    terminalreporter.write_line("| drill | tried | outcome | seconds |\n|---|---|---|---|")
    for label, (tries, broken, seconds) in found.items():
        outcome = f"{broken} failed" if broken else "no failures"
        terminalreporter.write_line(f"| {label} | {tries:,} | {outcome} | {seconds:.0f} |")
