"""Metrics in the command line of lm-evaluation-harness give the scores of one `compute`."""

import json
import math
import shlex

import pytest
from chat_server import ChatServer
from tiny_causal import write_tiny_causal

from evaluate_qa.loading import load_metric

pytest.importorskip("lm_eval")
pytestmark = pytest.mark.slow

METRICS = ("smile", "nli_lex", "bem")

# The command line, which would otherwise first read 26,000 files of built-in tasks for 20 seconds.
PROGRAM = """
from functools import partialmethod
from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager
TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)
cli_evaluate()
"""


@pytest.fixture(scope="module")
def results(processes, root, one_line, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm_eval")
    model = f"{write_tiny_causal(folder / 'model')},max_length=128"
    _, *command = shlex.split(one_line("lm-evaluation-harness").replace("$MODEL", model))
    options = ["--device", "cpu", "--batch_size", "4", "--log_samples", "--output_path", folder / "out"]
    processes.run("-c", PROGRAM, *command, *options, cwd=root, check=True)
    (figures,) = folder.glob("out/*/results_*.json")
    (samples,) = folder.glob("out/*/samples_*.jsonl")
    return json.loads(figures.read_text())["results"]["sample_qa"], [
        json.loads(line) for line in samples.read_text().splitlines()
    ]


@pytest.mark.parametrize("name", METRICS)
def test_means_and_rows_equal_one_compute(results, name):
    figures, samples = results
    assert len(samples) == 8
    assert any(len(sample["doc"]["references"]) > 1 for sample in samples)
    # The answers and questions that the harness logs.
    answers = [sample["filtered_resps"][0].strip() for sample in samples]
    assert len(set(answers)) > 1
    expected = load_metric(name).compute(
        predictions=answers,
        references=[sample["doc"]["references"] for sample in samples],
        questions=[sample["doc"]["question"] for sample in samples],
    )
    assert figures[f"{name},none"] == pytest.approx(expected[name], abs=1e-6)
    for column, values in expected["per_example"].items():
        logged = [sample[name][column] for sample in samples]
        assert logged == (values if isinstance(values[0], str) else pytest.approx(values, abs=1e-6)), column


@pytest.fixture
def chat():
    server = ChatServer()
    yield {"endpoint": server.url, "model": "m"}, server
    server.close()


def test_other_metrics_and_options(chat):
    options, _ = chat
    from evaluate_qa.lm_eval import METRICS as OFFERED
    from evaluate_qa.lm_eval import MeanScore, results_of

    assert {*METRICS, "deltableu", "judge"} == {*OFFERED}
    docs = [{"question": "How long is it?", "references": ["2 km"]}] * 2
    rows = [results_of("bem", "judge")(doc, [answer]) for doc, answer in zip(docs, ["2,000 m", "3 km"], strict=True)]
    assert MeanScore("bem", compute={"typed": ["quantity"]})([row["bem"] for row in rows]) == 0.5
    assert [row["bem"]["value_verdict"] for row in rows] == [True, False]
    judge = MeanScore("judge", options)
    asked = [row["judge"] for row in rows]
    expected = load_metric("judge", **options).compute(
        predictions=["2,000 m", "3 km"], references=[["2 km"]] * 2, questions=["How long is it?"] * 2
    )
    assert judge(asked) == expected["judge"]
    assert [row["verdict"] for row in asked] == expected["per_example"]["verdict"]


def test_mean_of_unscored_rows_is_nan(chat):
    options, server = chat
    from evaluate_qa.lm_eval import MeanScore, results_of

    server.reply = lambda *_: "?"
    rows = [results_of("judge")({"question": "Who?", "references": ["Ann"]}, ["Ann"])["judge"]]
    assert math.isnan(MeanScore("judge", options)(rows))
