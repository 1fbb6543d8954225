"""Settings, hooks and fixtures for all tests."""

import atexit
import gc
import os
import re
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from hypothesis import settings

ROOT = Path(__file__).parent.parent

# A shell starts background jobs with interrupts ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Libraries read these when they are imported. The tests are offline, and evaluate and datasets cache files in a folder
# of this run.
_caches = tempfile.TemporaryDirectory(prefix="evaluate-qa-tests-")
atexit.register(_caches.cleanup)
os.environ |= {
    "OMP_NUM_THREADS": "1",  # several processes with several threads each would be slow
    "HF_HUB_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_MODULES_CACHE": f"{_caches.name}/modules",
    "HF_METRICS_CACHE": f"{_caches.name}/metrics",
    "HF_DATASETS_CACHE": f"{_caches.name}/datasets",
}


# Building the command takes 0.02 seconds, hundreds of times.
typer.testing._get_command = cache(typer.testing._get_command)


def pytest_addoption(parser):
    text = "skip slow tests, tests/e2e, tests that start processes or import torch, and nine of ten Hypothesis examples"
    parser.addoption("--quick", action="store_true", help=text)


def pytest_configure(config):
    """Configure Hypothesis without its deadline of 200 ms, because tests share the cores."""
    if config.option.quick:
        sys.addaudithook(_skip_heavy_imports)
    examples = settings.default.max_examples // (10 if config.option.quick else 1)
    settings.register_profile("tests", settings.default, deadline=None, max_examples=examples)
    settings.load_profile("tests")


def pytest_collection_modifyitems(config, items):
    """Mark tests that start processes, and run slow files first."""
    for item in items:
        if "processes" in item.fixturenames:
            item.add_marker("process")
    takes_long = {item for item in items if any(map(item.get_closest_marker, ("process", "slow")))}
    if config.option.quick:
        config.hook.pytest_deselected(items=takes_long)
        items[:] = [item for item in items if item not in takes_long]
    long = {item.path for item in takes_long}
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish():
    """Exclude imported objects from garbage collection, which would scan them repeatedly."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Run one more worker than cores, because tests that `--quick` leaves out wait for servers and processes."""
    return os.cpu_count() + (not config.option.quick)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run the tests of a file, or of a Space, in one worker, because they share fixtures."""
    from xdist.scheduler import LoadFileScheduling

    class ByFileOrSpace(LoadFileScheduling):
        def _split_scope(self, nodeid):
            space = re.search(r"/test_spaces\w*\.py::.*\[(\w+)", nodeid)
            return f"the Space {space[1]}" if space else super()._split_scope(nodeid)

    return ByFileOrSpace(config, log) if config.option.dist == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _complete((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    return _complete((yield))


def _complete(report):
    """Turn a skip because of a missing package into a failure if `CI` is set."""
    if report.skipped and os.environ.get("CI") == "true" and "could not import" in str(report.longrepr):
        report.outcome = "failed"
    return report


_running = None  # the current test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    global _running  # noqa: PLW0603
    _running = item
    return (yield)


@sys.addaudithook
def _refuse_processes(event, arguments):
    """Forbid processes in tests without the mark, which `--quick` runs."""
    starts = event == "os.fork" or (event == "subprocess.Popen" and arguments[1][0] == sys.executable)
    if starts and _running and not _running.get_closest_marker("process"):
        raise RuntimeError("A test that starts a process must use the fixture `processes`.")


# Importing them takes up to twelve seconds in each worker.
HEAVY = {"datasets", "evaluate", "gradio", "torch", "transformers"}


def _skip_heavy_imports(event, arguments):
    """Skip the running test, or the file that is collected, with `--quick`."""
    if event == "import" and arguments[0] in HEAVY:
        pytest.skip(f"--quick does not import {arguments[0]}", allow_module_level=True)


@pytest.fixture(scope="session")
def processes():
    """Functions that start Python. A test that starts a process must use this fixture, which marks it `process`."""
    import processes

    return processes


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' folder with labeled data and oracles, next to the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the developers' data folder next to the checkout")
    return folder


@pytest.fixture
def working_folder(tmp_path, monkeypatch) -> Path:
    """The folder of the test as the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def one_line(root):
    """Returns the line of code for a framework in README's table of integrations."""
    section = (root / "README.md").read_text().partition("## Integrations\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `?(.+?)`? \| `(.+)` \|$", section, flags=re.MULTILINE)).__getitem__


@pytest.fixture
def server():
    """A chat server with scripted replies: see chat_server.py."""
    from chat_server import ChatServer

    server = ChatServer()
    yield server
    server.close()
