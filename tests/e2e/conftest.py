"""The Spaces that run while their tests do."""

import sys
from pathlib import Path

import pytest
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository
from space_server import NAMES, REFERENCES, ROOT, Server

LOCAL_IS_PUBLIC = Path(__file__).with_name("local_is_public.py")


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Starts a Space when it is first asked for: one process for all tests of a Space."""
    folder, running = tmp_path_factory.mktemp("servers"), {}

    def start(name):
        if name not in running:
            app = published(name, folder) if name == "smile" else ROOT / "spaces" / name / "app.py"
            running[name] = Server(name, app, folder, (sys.executable, LOCAL_IS_PUBLIC))
        return running[name]

    yield start
    for server in running.values():
        server.stop()


@pytest.fixture(params=NAMES)
def server(request, servers):
    """Each Space in turn."""
    return servers(request.param)


@pytest.fixture(params=REFERENCES)
def with_references(request, servers):
    """Each Space that compares with references in turn."""
    return servers(request.param)


@pytest.fixture
def smile(servers):
    """The Space of SMILE."""
    return servers("smile")


def published(name, folder):
    """Put a Space together as it is published; return its app.py."""
    # By a number, because a Space that did not start is put together anew for the next test, which says why as well.
    space = Repository("space", "org", name, folder / f"published-{len([*folder.glob('published-*')])}")
    build(space)
    return space.folder / "app.py"
