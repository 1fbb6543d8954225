"""Options: the values of each kind, and the checks, signature and help of every declaration."""

import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.model_options import EngineOptions, ModelOptions
from evaluate_qa.metrics._shared.options import (
    FLAG,
    Choice,
    Number,
    Options,
    Place,
    Text,
    Whole,
    build_options,
    declarations,
    option,
)
from evaluate_qa.metrics._values.options import ValueOptions
from evaluate_qa.metrics.smile.options import SmileOptions

NAN, INF = float("nan"), float("inf")
KINDS = [
    (Number(0, 1), [0, 1, 0.5, np.float64(0.5)], [-0.1, 1.1, NAN, INF, True, "0.5", None], "a number from 0 to 1"),
    (Number(), [-1e300, INF], [NAN, True, "1"], "a number"),
    (Whole(), [1, 10**9], [0, -1, 1.0, True, "1"], "a positive whole number"),
    (Whole(8), [8], [7], "a whole number of at least 8"),
    (Whole(high=9), [1, 9], [0, 10], "a positive whole number, at most 9"),
    (Choice("a", "b", False), ["a", False], ["c", 0, True, None, ["a"], np.array(["a", "b"])], "one of a, b, False"),
    (FLAG, [True, False], [0, 1, "yes", None], "True or False"),
    (Text("a code", "[a-z]{2}"), ["en"], ["e", "eng", "EN", "en\n", 5, None], "a code"),
    (Place("a folder"), ["a", Path("a")], ["", 7, b"a", None], "a folder"),
]


@pytest.mark.parametrize(("kind", "good", "bad", "expected"), KINDS, ids=[kind[3] for kind in KINDS])
def test_kinds_accept_only_their_values(kind, good, bad, expected):
    assert kind.expected == expected
    assert all(kind.accepts(value) for value in good)
    assert not any(kind.accepts(value) for value in bad)


@dataclass(frozen=True)
class Two(Options):
    """Two options, one of which may be None."""

    w: float = option(0.5, Number(0, 1), "A weight.", key="w", always=True)
    most: int | None = option(None, Whole(), "A bound.", key="most")

    def check(self):
        """Refuse a bound without weight."""
        if self.most and not self.w:
            raise ValueError("most is given without w")


def test_an_invalid_value_raises_an_error():
    with pytest.raises(ValueError, match=r"^w is 1.5; expected a number from 0 to 1$"):
        Two(w=1.5)
    with pytest.raises(ValueError, match=r"^w is None; expected a number from 0 to 1$"):
        Two(w=None)
    with pytest.raises(ValueError, match=r"^smile: most is 0; expected a positive whole number$"):
        build_options("smile", Two, {"most": 0, "something": "else"})
    with pytest.raises(ValueError, match=r"^device is 'gpu'; expected cpu, cuda, cuda:1 or mps$"):
        ModelOptions(device="gpu")
    with pytest.raises(ValueError, match=r"""; write typed=\['number'\] \(in a shell: "typed=\['number'\]"\)$"""):
        ValueOptions(typed="number")
    with pytest.raises(ValueError, match=r"^smile: lang is 'en-US'; expected a language code without a region, such "):
        build_options("smile", SmileOptions, {"lang": "en-US"})
    with pytest.raises(ValueError, match=r"^bem: model is 'paper', which is a configuration; write load\('bem', 'p"):
        evaluate_qa.load("bem", model="paper")
    with pytest.raises(ValueError, match="most is given without w"):
        Two(w=0.0, most=1)


def test_scalars_of_numpy_are_accepted_as_numbers_of_python():
    given = Two(w=np.float32(0.5), most=np.int64(4))
    assert (given, type(given.w), type(given.most)) == (Two(w=0.5, most=4), float, int)
    assert EngineOptions(num_threads=np.array(2)).num_threads == 2
    with pytest.raises(ValueError, match=r"^most is 2.0; expected a positive whole number$"):
        Two(most=np.float64(2))


def test_the_signature_has_options_that_differ_from_their_default():
    assert Two().settings() == {"w": 0.5, "most": None}
    assert Two(w=0.3, most=2).settings() == {"w": 0.3, "most": 2}
    assert ModelOptions(dtype="bfloat16", batch_size=3).settings() == {"dtype": "bfloat16"}


def test_every_option_of_a_metric_is_checked_by_its_declaration(metric, load, case):
    def refused(name, declared):
        expected = re.escape(declared.kind.expected)
        return pytest.raises(ValueError, match=rf"^{metric.name}: {name} is <object .*; expected {expected}$")

    for name, declared in declarations(metric.options).items():
        with refused(name, declared):
            metric.compute(**case.columns, **{name: object()})
    for name, declared in declarations(metric.loading).items():
        with refused(name, declared):
            load(**{name: object()})


def test_every_default_passes_its_own_check(metric):
    for options in (metric.options, metric.loading):
        for declared in declarations(options).values():
            assert (declared.default is None and declared.optional) or declared.kind.accepts(declared.default)
            assert declared.help.endswith((".", ")"))
            assert "\n" not in declared.help
            assert all(f"`{value}`" in declared.help for value in getattr(declared.kind, "values", ()))


def test_help_has_columns_options_and_an_example(metric):
    text = type(metric).__doc__
    documented = [*metric.columns, *declarations(metric.options), *declarations(metric.loading), "per_example"]
    for name in documented:
        assert re.search(rf"^    {name}( \(optional\))?: [A-Z`]", text, re.MULTILINE), name
    assert f">>> {metric.name} = evaluate_qa.load(" in text


def test_importing_options_imports_no_other_package(name):
    """A Space builds its page before it loads the metric."""
    source = Path(evaluate_qa.path(name), "options.py").read_text(encoding="utf-8")
    imported = set(re.findall(r"^(?:from|import) ([\w.]+)", source, re.MULTILINE))
    packages = {module.partition(".")[0] for module in imported if not module.startswith(".")}
    assert packages <= sys.stdlib_module_names
    assert importlib.import_module(f"evaluate_qa.metrics.{name}.options")
