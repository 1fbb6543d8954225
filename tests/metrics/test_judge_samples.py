"""The judge, asked several times about a row, and with answer and reference swapped."""

from functools import partial
from math import sqrt

import pytest
from chat_server import rows, texts

import evaluate_qa
from evaluate_qa.metrics.judge.verdict_store import JudgedRow


@pytest.fixture
def load(server):
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", concurrency=1)


YES, NO, NONE = "correct", "incorrect", "not attempted"


def test_the_score_is_the_mean_and_the_spread_the_standard_deviation(load, server):
    """1, 0, 1: mean 2/3, √((1/9 + 4/9 + 1/9) / 2) = √(1/3); 0, 0, 0 and 1, 1, 1: 0."""
    server.plan = {"a": [YES, NO, YES], "b": [NO, NONE, NO], "c": [YES] * 3}
    out = load().compute(**rows("a", "b", "", "c"), samples=3)
    found = out["per_example"]
    assert found["score"] == pytest.approx([2 / 3, 0, 0, 1])
    assert found["spread"] == [pytest.approx(sqrt(1 / 3)), 0, None, 0]
    assert found["samples"] == [3, 3, 0, 3]
    assert found["verdict"] == [True, False, False, True]
    assert found["judge_label"] == [YES, NO, NONE, YES]
    assert found["tokens_in"] == [300, 300, 0, 300]
    assert found["tokens_out"] == [6, 6, 0, 6]
    assert out["spread"] == pytest.approx(sqrt(1 / 3) / 3)
    assert out["judge"] == pytest.approx(5 / 12)
    assert out["signature"].endswith("|samples:3")
    assert len(server.bodies) == 9


def test_cached_samples_are_reused(load, server, tmp_path):
    """Each request costs (100 · 2 + 2 · 5) / 10⁶."""
    server.plan = {"a": [YES, NO, NO, YES, YES]}
    load = partial(load, cache_dir=tmp_path)
    prices = {"prices": (2, 5)}
    first = load().compute(**rows("a"), samples=3, **prices)
    again = load().compute(**rows("a"), samples=3, **prices)
    assert again["per_example"]["score"] == first["per_example"]["score"] == [pytest.approx(1 / 3)]
    assert (first["cost"], again["cost"]) == (pytest.approx(3 * 210e-6), 0)
    assert again["per_example"]["cached"] == [True]
    assert len(server.bodies) == 3
    more = load().compute(**rows("a"), samples=5, **prices)
    assert more["per_example"]["score"] == [pytest.approx(3 / 5)]
    assert more["per_example"]["cached"] == [False]
    assert more["per_example"]["tokens_in"] == [500]
    assert more["cost"] == pytest.approx(2 * 210e-6)
    assert load().compute(**rows("a"))["per_example"]["score"] == [1]
    assert len(server.bodies) == 5


def test_failed_samples_are_left_out_and_not_cached(load, server, tmp_path):
    server.plan = {"a": [YES, "Hm.", NO, YES], "b": ["Hm."] * 3}
    metric = load(cache_dir=tmp_path)
    out = metric.compute(**rows("a", "b"), samples=3)
    assert out["per_example"]["samples"] == [2, 0]
    assert out["per_example"]["score"] == [0.5, None]
    assert out["per_example"]["spread"] == [pytest.approx(sqrt(0.5)), None]
    assert out["per_example"]["error"][0] is None
    assert out["per_example"]["error"][1].startswith("the reply does not begin with")
    assert out["unscored"] == 1
    assert metric.compute(**rows("a"), samples=3)["per_example"]["score"] == [pytest.approx(2 / 3)]
    assert server.asked == {"a": 4, "b": 3}


def test_rows_decided_by_the_matcher_are_not_sampled(load, server):
    class Matcher:
        def compute(self, predictions, **_):
            scores = [0.99 if text == "sure" else 0.5 for text in predictions]
            return {"per_example": {"score": scores, "verdict": [s > 0.5 for s in scores]}, "signature": "matcher|v:1"}

    out = load(first=Matcher()).compute(**rows("sure", "right or not"), samples=2)
    assert out["per_example"]["samples"] == [0, 2]
    assert server.asked == {"right or not": 2}


def test_answer_and_reference_are_swapped(load, server, tmp_path):
    """The server judges by recall of words: 1, then 1/3; 1 and 1, the same request; 0 and 0."""
    columns = rows("right or not", "right", "wrong", "")
    out = load(cache_dir=tmp_path).compute(**columns, swap=True, prices=(1, 0))
    assert out["per_example"]["flipped"] == [True, False, False, None]
    assert out["flipped"] == pytest.approx(1 / 3)
    assert out["per_example"]["score"] == pytest.approx([0.99, 0.99, 0.01, 0])
    assert out["per_example"]["tokens_in"] == [200, 200, 200, 0]
    assert {"Reference": ["right or not"], "Answer": ["right"]} in map(texts, server.bodies)
    assert out["cost"] == pytest.approx(5 * 100e-6)
    assert load(cache_dir=tmp_path).compute(**columns, swap=True)["flipped"] == out["flipped"]
    assert len(server.bodies) == 5


def test_the_nearest_reference_is_swapped():
    row = JudgedRow("Who?", ("Manya", "Marie Curie", "Curie and others"), "It was Marie Curie.", 2)
    assert row.swap() == JudgedRow("Who?", ("It was Marie Curie.",), "Marie Curie")


def test_a_failed_swap_does_not_change_the_score(load, server):
    server.plan = {"right": ["Hm.", "Hm."]}
    out = load().compute(**rows("right or not"), swap=True)
    assert (out["judge"], out["flipped"], out["unscored"]) == (pytest.approx(0.99), None, 0)
    with pytest.raises(ValueError, match="a row has no verdict"):
        load().compute(**rows("right or not"), swap=True, unscored="raise")
