"""What all tests share."""

import atexit
import os
import signal
import tempfile
from pathlib import Path

import pytest

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


def pytest_collection_modifyitems(items):
    """Let README's commands, which take longest, run first, and the other process do the rest in the meantime."""
    items.sort(key=lambda item: item.path.name != "test_docs.py")


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
