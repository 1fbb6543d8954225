"""Fixtures for the tests of the Spaces: each Space's specification and its metric, which is loaded once."""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SPACES = Path(__file__).parents[2] / "spaces"
NAMES = sorted(path.parent.name for path in SPACES.glob("*/app.py"))


def _specification(name: str) -> Any:
    return importlib.import_module(f"evaluate_qa.spaces.{name}.app").SPECIFICATION


@cache
def _scorer(name: str) -> Any:
    return _specification(name).scorer()


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def specification(name: str) -> Any:
    return _specification(name)


@pytest.fixture
def scorer(name: str) -> Any:
    return _scorer(name)


@pytest.fixture(scope="session")
def specification_of() -> Callable[[str], Any]:
    return _specification


@pytest.fixture(scope="session")
def scorer_of() -> Callable[[str], Any]:
    return _scorer


@pytest.fixture(scope="session")
def explained() -> Callable[..., Any]:
    """Explains a row, by default with the options with which the page opens."""
    from evaluate_qa.spaces._shared.scoring.answering import analyze, explain

    def explained(name: str, row: dict[str, Any], options: Any = None) -> Any:
        specification, scorer = _specification(name), _scorer(name)
        options = options or specification.options()
        return explain(specification, scorer, analyze(specification, scorer, row, options), options)

    return explained


@pytest.fixture(scope="session")
def scored_rows() -> Callable[..., Any]:
    """Scores rows as those of a file, with the options with which the page opens."""
    from evaluate_qa.spaces._shared.scoring import batch
    from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect

    def scored_rows(name: str, rows: list[dict[str, Any]]) -> Any:
        specification = _specification(name)
        table = collect(UploadedTable("rows.jsonl", ".jsonl"), enumerate(rows, 1), specification.fields)
        *_, scored = batch.score(specification, _scorer(name), table, specification.options())
        return scored

    return scored_rows


@pytest.fixture
def smile() -> Any:
    return _specification("smile")


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    return folder


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    from evaluate_qa.spaces._shared.visitors.limits import LIMITS

    def change(**limits: float) -> None:
        for name, value in limits.items():
            monkeypatch.setattr(LIMITS, name, value)

    return change
