"""Metrics in the command line of lm-evaluation-harness give the scores of one `compute`."""

import json
import shlex

import pytest
from tiny_causal import write_tiny_causal

from evaluate_qa.loading import load_metric

pytest.importorskip("lm_eval")
pytestmark = pytest.mark.slow

METRICS = ("smile", "nli_lex", "bem")


@pytest.fixture(scope="module")
def results(processes, root, one_line, tmp_path_factory):
    """The results and the logged samples of the harness."""
    folder = tmp_path_factory.mktemp("lm_eval")
    model = f"{write_tiny_causal(folder / 'model')},max_length=128"
    _, *command = shlex.split(one_line("lm-evaluation-harness").replace("$MODEL", model))
    options = ["--device", "cpu", "--batch_size", "4", "--log_samples", "--output_path", folder / "out"]
    processes.run("-m", "lm_eval", *command, *options, cwd=root, check=True)
    (figures,) = folder.glob("out/*/results_*.json")
    (samples,) = folder.glob("out/*/samples_*.jsonl")
    return json.loads(figures.read_text())["results"]["sample_qa"], [
        json.loads(line) for line in samples.read_text().splitlines()
    ]


@pytest.mark.parametrize("name", METRICS)
def test_means_and_rows_equal_one_compute(results, name):
    figures, samples = results
    assert len(samples) == 8
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


def test_questions_have_all_their_references(results):
    _, samples = results
    assert all(isinstance(sample["doc"]["references"], list) for sample in samples)
    assert any(len(sample["doc"]["references"]) > 1 for sample in samples)
