"""The base class of scorers: means, signatures, rows without a score, threads, pickles, and type hints."""

import pickle
import sys
import typing

import pytest

import evaluate_qa
from evaluate_qa.loading import scorer_class
from evaluate_qa.metrics._shared.model_options import ModelKwargs
from evaluate_qa.metrics._shared.options import declarations
from evaluate_qa.metrics._shared.scorer import Scored, mean

OVERLOADS = {
    name: overload.__annotations__
    for overload in typing.get_overloads(evaluate_qa.load)
    for name in typing.get_args(overload.__annotations__["name"])
}


def test_means_leave_out_rows_without_a_score(monkeypatch):
    scorer = evaluate_qa.load("deltableu")
    monkeypatch.setattr(type(scorer), "means", ("width",))
    rows = {"score": [1.0, None, 0.5], "verdict": [True, None, False], "width": [2, None, 5]}
    failed = {**rows, "error": [None, "timeout", None]}
    assert scorer.result(Scored(failed, {"a": 1, "b": None}), None, True) == {
        "deltableu": 0.75,
        "accuracy": 0.5,
        "width": 3.5,
        "unscored": 1,
        "signature": "deltableu|v:1.2.0|a:1",
        "per_example": failed,
    }
    assert "unscored" not in scorer.result(Scored(rows, {}), None, False)
    assert mean([None]) is None


def test_scorers_pickle_without_their_model(name, case):
    scorer = evaluate_qa.load(name, **case.load)
    scorer._model = object()
    assert pickle.loads(pickle.dumps(scorer))._model is None


FORK = """
import os, sys, threading
import evaluate_qa
metric, rows = evaluate_qa.load("deltableu"), {"predictions": ["a b c d"], "references": ["a b c e"]}
expected = metric.compute(**rows)
started, forked = threading.Event(), threading.Event()
metric._model, metric._compute = "in use", lambda **_: started.set() or forked.wait()
threading.Thread(target=lambda: metric.score(metric.check_columns(rows), metric.options())).start()
started.wait()
if not os.fork():
    del metric._compute
    os._exit(0 if metric._model is None and metric.compute(**rows) == expected else 1)
forked.set()
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_process_that_is_forked_while_a_thread_scores_can_score(processes):
    processes.run("-c", FORK, timeout=60, check=True)


FORK_AND_EXIT = """
import os, signal, sys
import evaluate_qa
metric = evaluate_qa.load("bem", num_threads=2)
metric.compute(predictions=["Paris"], references=["Paris, France"], questions=["Where?"])
if not os.fork():
    signal.alarm(30)
    metric.compute(predictions=["Rome"], references=["Rome, Italy"], questions=["Where?"])
    sys.exit()
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_process_that_is_forked_after_scoring_can_score_and_exit(processes):
    """Deleting a session of the parent waits for its threads, and so did ONNX Runtime's telemetry at the exit."""
    processes.run("-c", FORK_AND_EXIT, timeout=60, check=True)


@pytest.mark.parametrize("name", OVERLOADS)
def test_type_hints_of_load_match_the_declared_options(name):
    """The class of keywords is in the module of the options."""
    scorer, hints = scorer_class(name), OVERLOADS[name]
    declared = {option: typing.get_type_hints(scorer.loading)[option] for option in declarations(scorer.loading)}
    if name == "judge":  # the judge's precision has no "auto"
        declared["dtype"] = typing.get_type_hints(ModelKwargs)["dtype"]
    keywords = hints.get("options", "").removeprefix("Unpack[").removesuffix("]")
    known = typing.get_type_hints(getattr(sys.modules[scorer.loading.__module__], keywords)) if keywords else {}
    assert (known, hints["return"]) == (declared, scorer.__name__)


def test_editors_know_the_options_of_metrics_with_a_model():
    assert {"bem", "deltableu", "evqascore", "judge", "nli_lex", "smile"} <= OVERLOADS.keys()


@pytest.mark.parametrize(
    ("name", "hint"), [("bemm", "Did you mean 'bem'[?] "), ("BEM", "Did you mean 'bem'[?] "), ("rouge", ""), (None, "")]
)
def test_an_unknown_metric_raises_an_error(name, hint):
    with pytest.raises(ValueError, match=f"^there is no metric {name!r}. {hint}Available: bem, "):
        evaluate_qa.load(name)


def test_dir_lists_functions_that_are_not_imported_yet():
    assert {"compare", "compare_values", "estimate", "gate"} <= {*dir(evaluate_qa)}
