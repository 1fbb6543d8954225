"""Juries: votes, disagreement, and Krippendorff's alpha."""

from functools import partial
from itertools import combinations

import pytest
from chat_server import LABELS, decision

import evaluate_qa
from evaluate_qa.metrics.judge.scoring import alpha

# Verdicts of three judges on five answers: 1, 0, or no verdict.
VOTES = {"a": (1, 1, 1), "b": (1, 1, 0), "c": (0, 0, 0), "d": (1, 0, None), "e": (None, None, None)}
ROWS = {"predictions": [*VOTES], "references": ["x"] * len(VOTES)}
REPLIES = {1: "correct", 0: "incorrect", None: "Hm."}


@pytest.fixture
def load(server):
    def reply(body):
        return REPLIES[VOTES[server.subject(body)][["one", "two", "three"].index(body["model"])]]

    server.reply = reply
    return partial(evaluate_qa.load, "judge", endpoint=server.url)


def test_the_majority_decides(load):
    """Scores (1 + 1 + 0)/3 and (1 + 0)/2; disagreement: two of three pairs of b's scores differ, and d's only pair."""
    out = load(judges=["one", "two", "three"]).compute(**ROWS, prices=(2, 0))
    found = out["per_example"]
    assert found["score"] == pytest.approx([1, 2 / 3, 0, 1 / 2, None])
    assert found["verdict"] == [True, True, False, False, None]
    assert found["judge_label"] == ["correct", "correct", "incorrect", "incorrect", None]
    assert found["disagreement"] == pytest.approx([0, 2 / 3, 0, 1, None])
    assert found["judges"] == [3, 3, 3, 2, 0]
    assert found["tokens_in"] == [300] * 5
    assert "does not begin with" in found["error"][4]
    assert (out["unscored"], out["disagreement"]) == (1, pytest.approx((2 / 3 + 1) / 4))
    assert out["cost"] == pytest.approx(15 * 200e-6)
    assert "|model:one,two,three|protocol:default@" in out["signature"]
    assert "weights" not in out["signature"]


def test_alpha_by_hand(load):
    """α = 1 − Dₒ / Dₑ over the units with two or more values (Krippendorff 2011).

    The 11 values are 6 ones and 5 zeros, so Dₑ = 2 · 6 · 5 / (11 · 10). Units with m values contribute their differing
    ordered pairs / (m − 1): b 4 / 2, d 2 / 1; Dₒ = 4 / 11.
    """
    out = load(judges=["one", "two", "three"]).compute(**ROWS)
    units = [[vote for vote in votes if vote is not None] for votes in VOTES.values()]
    units = [unit for unit in units if len(unit) > 1]
    differing = sum(2 * (one != other) / (len(unit) - 1) for unit in units for one, other in combinations(unit, 2))
    assert differing == 4
    assert out["alpha"] == pytest.approx(1 - (4 / 11) / (2 * 6 * 5 / (11 * 10)))
    equal = load(judges=["one", "two"]).compute(predictions=["a"], references=["x"])
    assert equal["alpha"] is alpha([]) is None


def test_weights_decide(load):
    out = load(judges=["one", {"model": "two"}, {"model": "three", "weight": 3}]).compute(**ROWS)
    assert out["per_example"]["score"] == pytest.approx([1, 2 / 5, 0, 1 / 2, None])
    assert out["per_example"]["verdict"] == [True, False, False, False, None]
    assert "|weights:1,1,3" in out["signature"]


def test_each_judge_has_its_own_api_cache_and_aspects(server, tmp_path):
    """Only the second judge answers at a decision endpoint, and only it knows the aspect."""
    server.apis |= {"systemone"}
    probabilities = dict(zip(LABELS, (0.6, 0.3, 0.1), strict=True))
    server.reply = lambda body: "incorrect" if "messages" in body else decision(body, probabilities, hedged=0.9)
    judges = ["one", {"model": "two", "api": "systemone", "aspects": ["hedged"], "weight": 2}]
    load = partial(evaluate_qa.load, "judge", endpoint=server.url, judges=judges, cache_dir=tmp_path)
    first = load().compute(predictions=["a", ""], references=["x", "x"])
    assert first["per_example"]["score"] == pytest.approx([0.4, 0])
    assert first["per_example"]["disagreement"] == [pytest.approx(0.6), None]
    assert first["per_example"]["hedged"] == [0.9, None]
    assert first["per_example"]["confidence"] == [0.8, None]
    assert first["alpha"] == pytest.approx(0), "two values that differ are as bad as chance"
    assert first["per_example"]["score_source"] == ["parse+probabilities", "rule"]
    again = load().compute(predictions=["a"], references=["x"], prices=(1, 1))
    assert (len(server.bodies), again["cost"], again["per_example"]["cached"]) == (2, 0, [True])
    evaluate_qa.load("judge", endpoint=server.url, judges=["one", "three"], cache_dir=tmp_path).compute(
        predictions=["a"], references=["x"], prices=(1, 1)
    )
    assert [body["model"] for body in server.bodies] == ["one", "two", "three"]


def test_samples_of_a_jury_are_pooled(load, server):
    out = load(judges=["one", "two", "three"]).compute(predictions=["b"], references=["x"], samples=2)
    found = out["per_example"]
    assert (found["samples"], found["judges"], found["spread"]) == ([2], [3], [0])
    assert (found["score"], found["disagreement"]) == ([pytest.approx(2 / 3)], [pytest.approx(2 / 3)])
    assert len(server.bodies) == 6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"judges": ["a"]}, "judges is .*; expected a list of two or more models, or of mappings"),
        ({"judges": ["a", "b"], "model": "c"}, "model and judges are given; expected one of them"),
        ({"judges": ["a", {"weight": 2}]}, r"judges\[1\] has no model"),
        ({"judges": ["a", {"model": "b", "weight": 0}]}, r"judges\[1\]: weight is 0; expected a number above 0"),
        ({"judges": ["a", {"model": "b", "first": "bem"}]}, r"judges\[1\] has 'first'; expected some of weight, model"),
        ({"judges": ["a", {"model": "b", "timeout": -1}]}, r"judges\[1\]: timeout is -1; expected a number from"),
    ],
)
def test_invalid_juries_raise(load, given, message):
    with pytest.raises(ValueError, match=f"^judge: {message}"):
        load(**given)
