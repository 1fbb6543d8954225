"""What the drills share: they count what they try, go on after a failure, and end with a table."""

import os
import random
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
for folder in ("scripts", "metrics", "e2e"):
    sys.path.append(str(TESTS / folder))

# In the environment, so that all workers have it.
SEED = os.environ.setdefault("DRILLS_SEED", str(int(time.time())))
# No more than 3 GB for the process; what it took at most, in MB, in a file when it ends.
MEASURED = """
import atexit, pathlib, resource as r
r.setrlimit(r.RLIMIT_DATA, (3 << 30, 3 << 30))
atexit.register(lambda: pathlib.Path("memory").write_text(str(r.getrusage(r.RUSAGE_SELF).ru_maxrss // 1024)))
"""
COMMAND = "from evaluate_qa.cli import app; app()"


class Drill:
    """Counts what is tried and what did not hold."""

    def __init__(self):
        self.tries, self.broken = 0, []

    @contextmanager
    def attempt(self, what):
        """Try something that must hold; if it does not, note it and go on."""
        self.tries += 1
        try:
            yield
        except Exception as error:
            self.broken.append(f"{what}: {type(error).__name__}: {str(error).strip()[:1500]}")


@pytest.fixture
def drill(request, record_property):
    """Counts for the table, in the line that the test's docstring begins with; fails if anything did not hold."""
    drill, began = Drill(), time.monotonic()
    yield drill
    label = request.function.__doc__.splitlines()[0].rstrip(".")
    record_property("drill", [label, drill.tries, len(drill.broken), time.monotonic() - began])
    assert not drill.broken, "\n".join(drill.broken)


@pytest.fixture
def rng(request):
    """Chance, another one in each run; DRILLS_SEED repeats one."""
    return random.Random(f"{SEED} {request.node.name}")


@pytest.fixture
def command(processes):
    """Starts `evaluate-qa` in a process of its own, after some lines of Python, if they are given."""

    def start(*arguments, before="", **options):
        return processes.start("-c", f"{before}\n{COMMAND}", *map(str, arguments), **options)

    return start


@pytest.fixture
def finished(command, tmp_path):
    """Runs `evaluate-qa` to its end, which must come without a traceback.

    Returns its exit code and what it told; with `measured=True` also the memory that it took at most, in MB.
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
    """Print the table."""
    reports = [report for some in terminalreporter.stats.values() for report in some if hasattr(report, "when")]
    failed, found = {report.nodeid for report in reports if report.failed}, {}
    for report in (report for report in reports if report.when == "teardown"):
        for label, tries, broken, seconds in (value for name, value in report.user_properties if name == "drill"):
            numbers = tries, max(broken, report.nodeid in failed), seconds
            found[label] = [a + b for a, b in zip(found.get(label, [0, 0, 0]), numbers, strict=True)]
    terminalreporter.section(f"drills (DRILLS_SEED={SEED})")
    terminalreporter.write_line("| drill | tried | outcome | seconds |\n|---|---|---|---|")
    for label, (tries, broken, seconds) in found.items():
        outcome = f"{broken} did not hold" if broken else "all held"
        terminalreporter.write_line(f"| {label} | {tries:,} | {outcome} | {seconds:.0f} |")
