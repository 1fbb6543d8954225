"""What evaluate's own tests/test_metric_common.py asks of each folder in `metrics/`, asked of ours.

There a metric is loaded as `metrics/<name>` from the current folder, and the examples in its module are run.
"""

import dataclasses
import doctest
import importlib
import inspect
import pydoc
import re
import shutil
from pathlib import Path

import evaluate
import evaluate_qa
import pytest
from evaluate.loading import evaluation_module_factory, import_main_class


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `metrics/`, where our links are regular files."""
    folder = tmp_path_factory.mktemp("evaluate")
    for name in evaluate_qa.metric_names():
        shutil.copytree(evaluate_qa.path(name), folder / "metrics" / name)
    return folder


@pytest.fixture(params=evaluate_qa.metric_names())
def name(request: pytest.FixtureRequest, copied: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name of a metric, which `evaluate.load` finds below the current folder."""
    load = evaluate.load
    monkeypatch.chdir(copied)
    monkeypatch.setattr(evaluate, "load", lambda name, *args, **kwargs: load(f"metrics/{name}", *args, **kwargs))
    return request.param


def test_the_examples_in_the_module_run(name):
    module = importlib.import_module(evaluation_module_factory(f"metrics/{name}", module_type="metric").module_path)
    parameters = inspect.signature(import_main_class(module.__name__)._compute).parameters.values()
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters)
    results = doctest.testmod(module, raise_on_error=True)
    assert results.failed == 0
    assert results.attempted > 1


def test_help_tells_description_arguments_and_examples(name):
    metric = evaluate.load(name)
    told = pydoc.plain(pydoc.render_doc(metric))
    assert metric.info.description.splitlines()[0] in told
    options = [option.name for kind in (metric.options, metric.loading) for option in dataclasses.fields(kind)]
    for argument in (*metric.columns, *options, "per_example"):
        assert re.search(rf"^ \|      {argument}( \(optional\))?: ", told, flags=re.MULTILINE), argument
    assert re.search(rf'>>> \w+ = evaluate\.load\("{name}"', told)
