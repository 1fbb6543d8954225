"""An integration whose package is missing names the command that installs it."""

import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(("name", "extra"), [("mlflow", "mlflow"), ("inspect_ai", "inspect"), ("deepeval", "deepeval")])
def test_a_missing_package_is_named_with_its_extra(monkeypatch, name, extra):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"evaluate_qa.{name}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'evaluate-qa\[{extra}\]'"):
        import_module(f"evaluate_qa.{name}")
