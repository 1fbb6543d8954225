"""Errors about trackers; `tests/e2e/test_trackers.py` reads what the trackers have stored."""

from importlib.util import find_spec

import pytest

import evaluate_qa


def test_another_tracker_raises_an_error():
    deltableu = evaluate_qa.load("deltableu")
    for make in (deltableu.reward, deltableu.compute_metrics):
        with pytest.raises(ValueError, match=r"^deltableu: log is 'wandb'; expected 'trackio', 'mlflow' or None"):
            make("answer", log="wandb")


@pytest.mark.skipif(find_spec("trackio") is not None, reason="trackio is installed here")
def test_a_missing_tracker_raises_an_error():
    with pytest.raises(ImportError, match=r"^deltableu: log is 'trackio', but .* run: pip install trackio$"):
        evaluate_qa.load("deltableu").reward("answer", log="trackio")
