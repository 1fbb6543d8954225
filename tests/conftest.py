"""What all tests share."""

import atexit
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

# A shell starts what it runs in the background with interrupts ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Read by the libraries when they are imported, so it is set here: the tests never ask a hub, and what evaluate and
# datasets cache goes to a folder of this run, never to the user's.
_caches = tempfile.TemporaryDirectory(prefix="evaluate-qa-tests-")
atexit.register(_caches.cleanup)
os.environ |= {
    "OMP_NUM_THREADS": "1",  # several processes with several threads each would wait for one another
    "HF_HUB_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_MODULES_CACHE": f"{_caches.name}/modules",
    "HF_METRICS_CACHE": f"{_caches.name}/metrics",
    "HF_DATASETS_CACHE": f"{_caches.name}/datasets",
}

# Tests share the machine's cores, so an example may have to wait for longer than Hypothesis' 200 ms.
settings.register_profile("no deadline", settings.default, deadline=None)
settings.load_profile("no deadline")


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out the tests that start processes or are slow")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Mark what starts processes, keep together what shares fixtures, and begin with what takes long."""
    for item in items:
        if "processes" in item.fixturenames:
            item.add_marker("process")
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(ROOT))))
    takes_long = [item for item in items if any(map(item.get_closest_marker, ("process", "slow")))]
    if config.option.quick:
        config.hook.pytest_deselected(items=takes_long)
        items[:] = [item for item in items if item not in set(takes_long)]
    longest, long = "test_docs.py", {item.path for item in takes_long}
    items.sort(key=lambda item: (item.path.name != longest, item.path not in long))


_running = None  # the test that runs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    global _running  # noqa: PLW0603
    _running = item
    return (yield)


@sys.addaudithook
def _refuse_processes(event, arguments):
    """Refuse them to tests without the mark, or `--quick` would not be quick."""
    starts = event == "os.fork" or (event == "subprocess.Popen" and arguments[1][0] == sys.executable)
    if starts and _running and not _running.get_closest_marker("process"):
        raise RuntimeError("this starts a process: ask for the fixture `processes`")


@pytest.fixture(scope="session")
def processes():
    """Starts Python: see processes.py. Whatever starts a process asks for this fixture, and so is marked `process`."""
    import processes

    return processes


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's top folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with labelled data and oracles that developers have beside their checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the developers' data folder beside the checkout, which is absent")
    return folder
