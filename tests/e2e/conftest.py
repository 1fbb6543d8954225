"""The Spaces that run while their tests do."""

from functools import partial
from pathlib import Path

import pytest
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository
from space_server import NAMES, REFERENCES, ROOT, Server

LOCAL_IS_PUBLIC = Path(__file__).with_name("local_is_public.py")


@pytest.fixture(scope="session")
def servers(processes, tmp_path_factory):
    """Starts a Space when it is first asked for: one process for all tests of a Space."""
    folder, running = tmp_path_factory.mktemp("servers"), {}

    def start(name):
        if name not in running:
            app = published(name, folder) if name == "smile" else ROOT / "spaces" / name / "app.py"
            running[name] = Server(name, app, folder, partial(processes.start, LOCAL_IS_PUBLIC))
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


# Their names as parameters, because names of tests are all by which a Space's tests can be kept together.
@pytest.fixture(params=["smile"])
def smile(request, servers):
    """The Space of SMILE."""
    return servers(request.param)


@pytest.fixture(params=["evqascore"])
def evqascore(request, servers):
    """The Space of EVQAScore."""
    return servers(request.param)


def published(name, folder):
    """Put a Space together as it is published; return its app.py."""
    # By a number, because a Space that did not start is put together anew for the next test, which says why as well.
    space = Repository("space", "org", name, folder / f"published-{len([*folder.glob('published-*')])}")
    build(space)
    return space.folder / "app.py"
