"""Errors about trackers; `tests/e2e/test_trackers.py` reads what the trackers have stored."""

import sys
from importlib.util import find_spec
from types import ModuleType

import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.tracking import check_tracker


def test_another_tracker_raises_an_error():
    deltableu = evaluate_qa.load("deltableu")
    for make in (deltableu.reward, deltableu.compute_metrics):
        with pytest.raises(ValueError, match=r"^deltableu: log is 'wandb'; expected 'trackio', 'mlflow' or None"):
            make("answer", log="wandb")


def test_a_stub_counts_as_installed_and_none_as_missing(monkeypatch):
    """Tests of other projects put stubs, which have no specification, into `sys.modules`."""
    monkeypatch.setitem(sys.modules, "mlflow", ModuleType("mlflow"))
    check_tracker("bem", "mlflow")
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match="log is 'mlflow', but this package is not installed"):
        check_tracker("bem", "mlflow")


@pytest.mark.skipif(find_spec("trackio") is not None, reason="trackio is installed here")
def test_a_missing_tracker_raises_an_error():
    with pytest.raises(ImportError, match=r"^deltableu: log is 'trackio', but .* run: pip install trackio$"):
        evaluate_qa.load("deltableu").reward("answer", log="trackio")
