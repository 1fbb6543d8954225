"""Fixtures for the tests of the data sets."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import datasets
import pytest
from file_server import files_served


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str]]:
    """A folder, and the address of a local HTTP server for its files."""
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    folder = tmp_path / "served"
    folder.mkdir()
    with files_served(folder) as address:
        yield folder, address


@pytest.fixture
def sha256() -> Callable[[Path], str]:
    return lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
