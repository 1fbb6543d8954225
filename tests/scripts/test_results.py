"""Tests of `evaluate-qa results`: the Hub parses its file, and its figures are those of `report` and `estimate`."""

import json
import os
import subprocess
import sys
from datetime import date

import pytest
import yaml
from commands import run_command
from huggingface_hub import parse_eval_result_entries

import evaluate_qa
from evaluate_qa.files.writing import write_rows
from evaluate_qa.uncertainty.intervals import wilson

SIGNATURE = "bem|v:1.2.0"
SCORES = [0.9, 0.8, 0.2, 0.7, 0.1, 0.6, 0.95, 0.3] * 10
RIGHT = sum(score > 0.5 for score in SCORES) / len(SCORES)


@pytest.fixture
def scored(tmp_path):
    """A file of 80 scored rows, one of them without a score."""
    rows = [
        {"id": at, "score": score, "verdict": score > 0.5, "label": score > 0.5, "signature": SIGNATURE}
        for at, score in enumerate(SCORES)
    ]
    write_rows(tmp_path / "scored.jsonl", [*rows, {"id": 80}])
    return tmp_path / "scored.jsonl"


def results(scored, *arguments, **options):
    given = {"--model": "org/llama", "--dataset": "org/evouna", "--task": "nq", "--output": scored.parent} | options
    return run_command("results", "--scored", scored, *(part for pair in given.items() for part in pair), *arguments)


def entry(scored):
    (found,) = parse_eval_result_entries(
        yaml.safe_load((scored.parent / ".eval_results/evouna-nq.yaml").read_text("utf-8"))
    )
    return found


def test_the_hub_parses_the_file(scored):
    done = results(scored)
    printed, found = done.stdout, entry(scored)
    assert "warning: the Hub ranks this metric's value with those of the task's own scorer" in done.stderr
    assert (found.dataset_id, found.task_id) == ("org/evouna", "nq")
    assert found.value == RIGHT
    assert abs((date.today() - date.fromisoformat(found.date)).days) <= 1
    assert found.notes.startswith("judged correct 0.6250 [0.5")
    low = float(found.notes.partition("[")[2].partition(",")[0])
    assert low == pytest.approx(wilson(RIGHT, len(SCORES)).low, abs=1e-4)
    assert float(found.notes.partition("mean score ")[2].split()[0]) == pytest.approx(sum(SCORES) / 80, abs=1e-4)
    assert "; 95% intervals; 80 rows; 1 without a score left out; evaluate-qa " in found.notes
    assert found.notes.endswith(SIGNATURE)
    assert found.notes in printed
    assert "hf upload org/llama " in printed


def test_labels_give_the_estimated_accuracy(scored, tmp_path):
    labels = [{"id": at, "label": at % 4 != 0} for at in range(40)]
    write_rows(tmp_path / "labels.csv", labels)
    assert "warning" not in results(scored, "--labels", tmp_path / "labels.csv").stderr
    known = [row["label"] for row in labels] + [None] * 40
    expected = evaluate_qa.estimate(SCORES, known).all.accuracy
    assert entry(scored).value == pytest.approx(expected.value, abs=1e-4)
    figure = f"{expected.value:.4f} [{expected.low:.4f}, {expected.high:.4f}]"
    assert entry(scored).notes.startswith(f"accuracy from 40 human labels {figure}")


def test_a_record_has_both_figures_with_intervals(scored, tmp_path):
    results(scored, "--record", tmp_path / "record.json", "--organization", "org")
    found = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert found["source_metadata"]["evaluator_relationship"] == "first_party"
    assert found["model_info"]["id"] == "org/llama"
    accuracy, score = found["evaluation_results"]
    assert accuracy["score_details"]["score"] == RIGHT
    for figure in (accuracy["score_details"], score["score_details"]):
        interval = figure["uncertainty"]["confidence_interval"]
        assert 0 < interval["lower"] < figure["score"] < interval["upper"] < 1
    assert score["metric_config"]["additional_details"] == {"signature": SIGNATURE}


VALIDATE = """
import pathlib, sys
from every_eval_ever.validator.validation_core import validate_aggregate
path = "data/evouna/org/llama/00000000-0000-4000-8000-000000000000.json"
report = validate_aggregate(pathlib.Path(sys.argv[1]), repo_path=path, run_semantic_checks=True)
print(report.valid, report.errors, report.warnings)
"""


@pytest.mark.slow
def test_every_eval_ever_accepts_the_record(processes, scored, tmp_path):
    results(scored, "--record", tmp_path / "record.json", "--organization", "other")
    # The package wants Python 3.12, but its validator runs on 3.11, from the wheel.
    pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--retries=1"]
    pip += ["--python-version=3.12", "--only-binary=:all:"]
    wanted = [*pip, "--dest", str(tmp_path), "every-eval-ever==0.3.0"]
    if subprocess.run([sys.executable, *wanted], capture_output=True, check=False).returncode:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("every-eval-ever cannot be downloaded")
    (wheel,) = tmp_path.glob("*.whl")
    environment = os.environ | {"PYTHONPATH": wheel}
    run = processes.run("-c", VALIDATE, tmp_path / "record.json", cwd=tmp_path, env=environment, check=True)
    assert run.stdout == "True [] []\n"


def test_the_mean_of_row_scores_is_not_the_score_of_deltableu(scored):
    write_rows(
        scored, [{"id": at, "score": score * 100, "signature": "deltableu|v:1"} for at, score in enumerate(SCORES)]
    )
    options = ["--scored", scored, "--model", "org/a", "--dataset", "org/b", "--task", "c", "--output", scored.parent]
    error = run_command("results", *options, code=1).stderr
    assert (
        "scored.jsonl has scores of deltableu, whose score of all rows is not the mean of row scores. Use the" in error
    )
    assert [path.name for path in scored.parent.iterdir()] == ["scored.jsonl"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"--model": "llama"}, "--model is 'llama'; expected a repository of the Hub"),
        ({"--dataset": "org/a/b"}, "--dataset is 'org/a/b'"),
        ({"--task": "a b"}, "--task is 'a b'; expected an id from the data set's eval.yaml"),
        ({"--organization": "org"}, "--record and --organization belong together"),
        ({"--output": "nowhere"}, "--output is nowhere, which is not a folder"),
        ({"--scored": "-"}, "Give a file instead of standard input"),
        ({"--column": "score=points"}, "points"),
    ],
)
def test_bad_options_write_nothing(scored, options, message):
    given = {"--scored": scored, "--model": "org/a", "--dataset": "org/b", "--task": "c", "--output": scored.parent}
    arguments = [part for pair in (given | options).items() for part in pair]
    assert message in run_command("results", *arguments, code=1).stderr
    assert [path.name for path in scored.parent.iterdir()] == ["scored.jsonl"]
