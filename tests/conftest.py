"""What all tests share."""

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


# Nothing changes the command once it is imported, and making it anew takes 0.02 seconds, hundreds of times.
typer.testing._get_command = cache(typer.testing._get_command)


def pytest_addoption(parser):
    told = "leave out the tests that start processes or are slow; a tenth of Hypothesis' examples"
    parser.addoption("--quick", action="store_true", help=told)


def pytest_configure(config):
    """Say how Hypothesis tries examples. Tests share the cores, so one may have to wait for longer than its 200 ms."""
    examples = settings.default.max_examples // (10 if config.option.quick else 1)
    settings.register_profile("tests", settings.default, deadline=None, max_examples=examples)
    settings.load_profile("tests")


def pytest_collection_modifyitems(config, items):
    """Mark what starts processes, and begin with what takes long."""
    for item in items:
        if "processes" in item.fixturenames:
            item.add_marker("process")
    takes_long = {item for item in items if any(map(item.get_closest_marker, ("process", "slow")))}
    if config.option.quick:
        config.hook.pytest_deselected(items=takes_long)
        items[:] = [item for item in items if item not in takes_long]
    longest, long = "test_docs.py", {item.path for item in takes_long}
    items.sort(key=lambda item: (item.path.name != longest, item.path not in long))


def pytest_collection_finish():
    """Have the garbage collector leave alone what was imported, which it would look through again and again."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Run more workers than there are cores, since tests wait: for servers and disks, and for processes of theirs."""
    return os.cpu_count() + (1 if config.option.quick else 2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Have one worker run a whole file, whose tests share fixtures, or all tests of a Space, which is started once."""
    from xdist.scheduler import LoadFileScheduling

    class ByFileOrSpace(LoadFileScheduling):
        def _split_scope(self, nodeid):
            space = re.search(r"/test_spaces(_api)?\.py::.*\[(\w+)", nodeid)
            return f"the Space {space[2]}" if space else super()._split_scope(nodeid)

    return ByFileOrSpace(config, log) if config.option.dist == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _complete((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    return _complete((yield))


def _complete(report):
    """Where `CI` is set, let a package that is missing be a failure, not a reason to skip."""
    if report.skipped and os.environ.get("CI") == "true" and "could not import" in str(report.longrepr):
        report.outcome = "failed"
    return report


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
    """Functions that start Python. A test that starts a process must use this fixture, which marks it `process`."""
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


@pytest.fixture(scope="session")
def one_line(root):
    """Gives the line of code that README's table of integrations has for a place."""
    section = (root / "README.md").read_text().partition("## Integrations\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `?(.+?)`? \| `(.+)` \|$", section, flags=re.MULTILINE)).__getitem__


@pytest.fixture
def server():
    """A chat model's server that tests script: see chat_server.py."""
    from chat_server import ChatServer

    server = ChatServer()
    yield server
    server.close()
