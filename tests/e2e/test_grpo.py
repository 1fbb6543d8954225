"""GRPO training of a tiny model with a metric as its reward, in two processes."""

import json
import os
from statistics import mean

import pytest
import tiny_grpo
from tiny_grpo import ANSWERS, GENERATIONS, QUESTIONS, STEPS

import evaluate_qa

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ranks(processes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("grpo")
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": processes.free_port()}
    processes.run(tiny_grpo.__file__, folder, env=os.environ | place, timeout=300, check=True)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


@pytest.fixture(scope="module")
def bem():
    return evaluate_qa.load("bem")


def known(call):
    """Return the indices of the completions with a reference."""
    return [row for row, gold in enumerate(call["gold"]) if gold is not None]


def test_the_reward_rises(ranks):
    """A model with 11 words learns to name the capital."""
    logged = [step["rewards/bem/mean"] for step in ranks[0]["log"] if "rewards/bem/mean" in step]
    assert len(logged) == STEPS
    assert mean(logged[-3:]) > mean(logged[:3]) + 0.25


def test_rewards_equal_a_plain_compute(ranks, bem):
    for found in ranks:
        rows = [
            (call["completions"][row], call["gold"][row], call["prompts"][row], call["rewards"][row])
            for call in found["bem"]
            for row in known(call)
        ]
        predictions, references, questions, rewards = map(list, zip(*rows, strict=True))
        plain = bem.compute(predictions=predictions, references=references, questions=questions)
        assert rewards == pytest.approx(plain["per_example"]["score"], abs=1e-6)
        second = [call["rewards"][row] for call in found["right"] for row in known(call)]
        assert second == [float(verdict) for verdict in plain["per_example"]["verdict"]]


def test_each_process_scores_its_own_completions_in_one_call_a_step(ranks):
    count = len(QUESTIONS) * GENERATIONS // len(ranks)
    for found in ranks:
        assert [len(call["rewards"]) for call in found["bem"]] == [count] * STEPS
        for call in found["bem"]:
            assert {"completion_ids", "log_extra", "log_metric", "trainer_state"} < set(call["names"])
            assert call["gold"] == [dict(zip(QUESTIONS, ANSWERS, strict=True))[prompt] for prompt in call["prompts"]]
            assert [row for row, reward in enumerate(call["rewards"]) if reward is not None] == known(call)
    assert ranks[0]["bem"][0]["completions"] != ranks[1]["bem"][0]["completions"]


def test_the_trainer_logs_means_of_all_processes(ranks, bem):
    steps = [step for step in ranks[0]["log"] if "rewards/bem/mean" in step]
    for number, step in enumerate(steps):
        calls = [found["bem"][number] for found in ranks]
        rewards = [reward for call in calls for reward in call["rewards"] if reward is not None]
        assert step["rewards/bem/mean"] == pytest.approx(mean(rewards), abs=1e-6)
        verdicts = [[call["rewards"][row] > 0.5 for row in known(call)] for call in calls]
        shares = [mean(map(float, of_one)) for of_one in verdicts if of_one]
        assert step["rewards/bem/accuracy"] == pytest.approx(mean(shares), abs=1e-6)
    scores = [score for found in ranks for score in found["bem"][-1]["rewards"]]
    assert ranks[0]["extra"]["bem_score"] == scores
