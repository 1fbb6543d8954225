"""The base class of scorers: means, signatures, rows without a score, threads, pickles, and type hints."""

import pickle
import typing
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

import evaluate_qa
from evaluate_qa.loading import scorer_class
from evaluate_qa.metrics._shared.arguments import EngineKeywords, ModelKeywords, declarations
from evaluate_qa.metrics._shared.scorer import Scored, mean
from evaluate_qa.metrics.evqascore.options import EvqascoreKeywords
from evaluate_qa.metrics.judge.options import JudgeKeywords
from evaluate_qa.metrics.smile.options import SmileKeywords

KEYWORDS = {
    "bem": EngineKeywords,
    "deltableu": None,
    "evqascore": EvqascoreKeywords,
    "judge": JudgeKeywords,
    "nli_lex": EngineKeywords,
    "smile": SmileKeywords,
}


@dataclass
class Rows:
    """The columns of a result."""

    score: list
    verdict: list
    width: list
    error: list | None


def test_means_leave_out_rows_without_a_score(monkeypatch):
    scorer = evaluate_qa.load("deltableu")
    base = scorer_class("bem").__mro__[-2]
    monkeypatch.setattr(type(scorer), "means", ("width",))
    rows = Rows([1.0, None, 0.5], [True, None, False], [2, None, 5], [None, "timeout", None])
    assert base.result(scorer, Scored(rows, {"a": 1, "b": None}), None, True) == {
        "deltableu": 0.75,
        "accuracy": 0.5,
        "width": 3.5,
        "unscored": 1,
        "signature": "deltableu|v:1.1.0|a:1",
        "per_example": vars(rows),
    }
    assert "unscored" not in base.result(scorer, Scored(Rows([1.0], [True], [2], None), {}), None, False)
    assert mean([None]) is None


def test_threads_can_share_a_scorer():
    shared = evaluate_qa.load("deltableu")
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

    def score(number):
        return shared.compute(predictions=[" ".join(words[: 4 + number % 7])], references=[" ".join(words)])

    expected = [score(number) for number in range(30)]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(score, range(30))) == expected


def test_scorers_pickle_without_their_model(name, case):
    scorer = evaluate_qa.load(name, **case.load)
    scorer._model = object()
    assert pickle.loads(pickle.dumps(scorer))._model is None


@pytest.mark.parametrize("name", KEYWORDS)
def test_type_hints_of_load_match_the_declared_options(name):
    loading = scorer_class(name).loading
    declared = {option: typing.get_type_hints(loading)[option] for option in declarations(loading)}
    overload = next(o for o in typing.get_overloads(evaluate_qa.load) if name in str(o.__annotations__["name"]))
    known = KEYWORDS[name]
    assert known is None or known.__name__ in overload.__annotations__["options"]
    if name == "judge":  # the judge's precision has no "auto"
        declared["dtype"] = typing.get_type_hints(ModelKeywords)["dtype"]
    assert (typing.get_type_hints(known) if known else {}) == declared


def test_an_unknown_metric_raises_an_error():
    with pytest.raises(ValueError, match=r"^there is no metric 'bemm'. Did you mean 'bem'\?"):
        evaluate_qa.load("bemm")
