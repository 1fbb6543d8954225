"""Metrics load by name, and commands import heavy packages late."""

import os
import sys

import pytest

from evaluate_qa.loading import load_metric
from evaluate_qa.scoring.job import ScoringJob
from evaluate_qa.scoring.run import run


def test_unknown_metric_without_evaluate_lists_the_metrics(monkeypatch):
    monkeypatch.setitem(sys.modules, "evaluate", None)  # import evaluate then raises ModuleNotFoundError
    with pytest.raises(ImportError, match=r"^there is no metric 'rouge'. Available: bem, .*'evaluate-qa\[evaluate\]'"):
        load_metric("rouge")


def test_a_misspelled_name_is_not_searched_on_the_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with pytest.raises(ValueError, match=r"^there is no metric 'bemm'. Did you mean 'bem'\?"):
        load_metric("bemm")
    with pytest.raises(ImportError):
        load_metric("org/bem")


@pytest.mark.parametrize("name", ["", "/"])
def test_an_empty_name_is_an_unknown_metric(name):
    with pytest.raises(ValueError, match=rf"^there is no metric '{name}'\. Available: bem, "):
        load_metric(name)


def test_long_commands_limit_the_caches_of_shapes_unless_the_user_sets_them(monkeypatch, tmp_path):
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "7")
    monkeypatch.setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "")  # so that monkeypatch restores it
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"prediction": "a b", "reference": "a b"}\n')
    run(ScoringJob("deltableu", str(rows), str(tmp_path / "scored.jsonl")))
    assert os.environ["LRU_CACHE_CAPACITY"] == "7"
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == "32"


def test_help_needs_no_heavy_library(processes):
    """In a new process, because other tests import them."""
    program = "import sys; from evaluate_qa.cli import app\n"
    program += 'for command in ([], ["score"], ["agreement"], ["synthesize"], ["fit"]):\n'
    program += '    app([*command, "--help"], standalone_mode=False)\nprint(*sys.modules)'
    done = processes.run("-c", program, check=True)
    heavy = {"evaluate", "datasets", "transformers", "torch", "pandas", "numpy", "pyarrow", "scipy", "huggingface_hub"}
    assert not heavy & set(done.stdout.splitlines()[-1].split())
