"""`python -m evaluate_qa.dev.bench reward`: what it times scores alike, and its arithmetic."""

import pytest
from commands import run_program

from evaluate_qa.dev.benchmarks.reward import Step, Took, alternately, made_of, measured
from evaluate_qa.loading import load_metric

ROWS = [
    {"question": f"question {number}?", "references": [f"answer {number}"], "prediction": "one two three four"}
    for number in range(3)
]


def test_completions_come_in_groups():
    given = made_of(ROWS, count=8, group=2, words=5)
    assert given.prompts == [f"question {number}?" for number in (0, 0, 1, 1, 2, 2, 0, 0)]
    assert given.answers[2] == ["answer 1"]
    assert {len(text.split()) for text in given.completions} == {5}
    assert made_of(ROWS, count=8, group=2, words=5) == given


def test_a_steps_arithmetic():
    step = Step(parameters=7e9, operations=4e14, bandwidth=3.5e12, prompt=100, completion=100)
    # 8 · 7e9 · 64 · 200 = 7.168e14 operations, at 4e14 a second 1.792 s; 100 tokens, each 14e9 bytes at 3.5e12: 0.4 s.
    assert step.training(64) == pytest.approx(1.792)
    assert step.generation() == pytest.approx(0.4)


def test_cases_run_in_turn_and_the_fastest_counts():
    order = []
    cases = [lambda: order.append("a") or 1, lambda: order.append("b") or 2]
    found = alternately(cases, 3)
    assert order == ["a", "b"] * 3
    assert [result for _, result in found] == [1, 2]
    assert all(took.clock > 0 for took, _ in found)
    assert Took(1, 5).best(Took(2, 4)) == Took(1, 4)


def test_rewards_that_are_not_the_scores_are_told(monkeypatch):
    metric = load_metric("deltableu")
    assert all(took.clock > 0 for took in measured(metric, made_of(ROWS, 4, 2, 6), rounds=1))
    reward = metric.reward

    def shifted(*given):
        found = reward(*given)
        found._shape = type(found._shape)(value=(-1.0, 200.0))
        return found

    monkeypatch.setattr(metric, "reward", shifted)
    with pytest.raises(ValueError, match="deltableu: the rewards are not the scores"):
        measured(metric, made_of(ROWS, 4, 2, 6), rounds=1)


def test_the_command_prints_speed_and_share():
    done = run_program("bench", "reward", "--completions", "4", "--words", "6", "--rounds", "1")
    for told in ("bem.compute", "bem.reward", "ratio", "train 7 B: 8 x 7 B x 4 x 16 / 4.0e+14", "share of the reward"):
        assert told in done.output
