"""Running Spaces, and Chromium."""

import os
import shutil
import subprocess
import tarfile
from functools import partial
from pathlib import Path

import pytest
from debian import install
from space_server import NAMES, ROOT, Server

from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository

AXE = "axe-core@4.14.1"
RECORDER, LOCAL_IS_PUBLIC = map(Path(__file__).with_name, ("import_recorder.py", "local_is_public.py"))


def pytest_ignore_collect(config):
    """Do not even import these tests with `--quick`, which would leave them out: it takes five seconds."""
    return True if config.option.quick else None


@pytest.fixture(scope="session")
def servers(processes, tmp_path_factory):
    """Starts a Space on first use: one process for all tests of a Space."""
    folder, running = tmp_path_factory.mktemp("servers"), {}

    def start(name):
        if name not in running:
            app = published(name, folder) if name == "smile" else ROOT / "spaces" / name / "app.py"
            program = partial(processes.start, RECORDER, folder / f"{name}.imports", LOCAL_IS_PUBLIC)
            running[name] = Server(name, app, folder, program)
        return running[name]

    yield start
    for server in running.values():
        server.stop()


@pytest.fixture(params=[name for name in NAMES if name != "bem"])
def server(request, servers):
    """Each Space in turn. The Space of bem has the tabs, fields and options of nli_lex's."""
    return servers(request.param)


def _space(name):
    """Return the fixture of one Space; the name is a parameter, so that xdist keeps a Space's tests together."""

    @pytest.fixture(params=[name])
    def space(request, servers):
        return servers(request.param)

    return space


evqascore, judge, nli_lex, smile = map(_space, ("evqascore", "judge", "nli_lex", "smile"))


def published(name, folder):
    """Build a Space as it is published, and return its app.py."""
    # Numbered, because a Space that did not start is built again for the next test.
    space = Repository("space", "org", name, folder / f"published-{len([*folder.glob('published-*')])}")
    build(space)
    return space.folder / "app.py"


def missing(reason):
    """Skip; where nothing may be skipped (CI), fail."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


@pytest.fixture(scope="module")
def browser(processes):
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("needs playwright: pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        install("chromium")
        chromium = shutil.which("chromium")
    if not chromium:
        missing("needs Chromium: apt-get install chromium")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The code of axe-core, which checks the accessibility of a page."""
    folder = tmp_path_factory.mktemp("axe")
    if not shutil.which("npm"):
        missing("needs npm, to get axe-core")
    done = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(f"npm could not get {AXE}: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory):
    """The folder for screenshots: $SPACES_SCREENSHOTS or a temporary one."""
    folder = Path(os.environ.get("SPACES_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
