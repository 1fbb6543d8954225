"""What the tests of the Spaces share: each Space's app.py as it runs, and its metric, loaded once."""

import importlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SPACES = Path(__file__).parents[2] / "spaces"
NAMES = sorted(path.parent.name for path in SPACES.glob("*/app.py"))

# space_server.py and space_requests.py, for what needs a Space that runs.
sys.path.append(str(SPACES.parent / "tests" / "e2e"))


@cache
def load_app(name: str) -> ModuleType:
    """Import the app.py of a Space; it starts no server."""
    return importlib.import_module(f"evaluate_qa.spaces.{name}.app")


@cache
def load_scorer(name: str) -> Any:
    """The metric behind a Space."""
    return load_app(name).SPECIFICATION.scorer()


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Each Space in turn."""
    return request.param


@pytest.fixture
def specification(name: str) -> Any:
    """What the Space's app.py states."""
    return load_app(name).SPECIFICATION


@pytest.fixture
def scorer(name: str) -> Any:
    """Its metric."""
    return load_scorer(name)


@pytest.fixture(scope="session")
def specification_of() -> Callable[[str], Any]:
    """Returns what the app.py of a Space states."""
    return lambda name: load_app(name).SPECIFICATION


@pytest.fixture(scope="session")
def scorer_of() -> Callable[[str], Any]:
    """Returns the metric behind a Space."""
    return load_scorer


@pytest.fixture
def smile() -> Any:
    """What SMILE's app.py states, for tests of what all have in common."""
    return load_app("smile").SPECIFICATION
